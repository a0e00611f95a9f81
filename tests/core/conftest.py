"""Folders for drawn examples."""

import pytest


@pytest.fixture(scope="module")
def empty_folder(tmp_path_factory):
    """Return a function that empties and returns a folder: to make one per example takes longer than most of them."""
    folder = tmp_path_factory.mktemp("examples")

    def emptied():
        for path in folder.iterdir():
            path.unlink()
        return folder

    return emptied
