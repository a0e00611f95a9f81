"""The built-in studies."""

from pathlib import Path

import pytest

import resources
from core.sweep.points import rows_of
from core.sweep.study import SUFFIX, read_study

FILES = sorted((Path(resources.__file__).parent / "studies").glob(f"*{SUFFIX}"))


def test_there_are_built_in_studies():
    assert len(FILES) >= 7


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(SUFFIX))
def test_every_built_in_study_is_read_and_its_first_point_has_all_figures(path):
    study = read_study(path)
    assert study.file.note
    assert len(study.points) == len(set(map(str, study.points)))
    (row,) = rows_of(study.content, study.folder, [0], 60.0)
    assert row["error"] is None
    assert all(row[measure] is not None for measure in study.file.measure)
