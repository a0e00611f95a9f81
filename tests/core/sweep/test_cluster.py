"""Local worker processes of a study that fail to start."""

import pytest

from core.spec import SpecError
from core.sweep.cluster import cluster_of


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), RuntimeError("QuickNanny failed to start.")])
def test_processes_that_cannot_be_started_are_refused_in_one_line(error, monkeypatch):
    import distributed

    def refuse(**settings):
        raise error

    monkeypatch.setattr(distributed, "LocalCluster", refuse)
    with (
        pytest.raises(SpecError, match="--workers: cannot be started; use fewer workers") as caught,
        cluster_of(None, 2),
    ):
        pass
    assert "\n" not in str(caught.value)
