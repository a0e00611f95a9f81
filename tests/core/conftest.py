"""A folder for drawn examples."""

import pytest


@pytest.fixture(scope="module")
def empty_folder(tmp_path_factory):
    """Returns a folder, empty, whenever called: to make another for each example takes longer than most of them."""
    folder = tmp_path_factory.mktemp("examples")

    def emptied():
        for path in folder.iterdir():
            path.unlink()
        return folder

    return emptied
