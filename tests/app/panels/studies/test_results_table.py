"""Titles of a study's columns: those of the form, with their units, told apart where two are called the same."""

from app.panels.studies.results_table import ResultRows


def heads(*columns):
    return [ResultRows(columns).head(name) for name in columns]


def test_what_was_varied_is_called_as_in_the_form():
    assert heads("point", "network.ll_gbs", "network.dims", "throughput_gbs", "classes.LL.max_load") == [
        "point", "LL links, GB/s", "Dimensions", "Throughput, GB/s", "classes.LL.max_load",
    ]  # fmt: skip
    assert ResultRows(("network.ll_gbs",)).named("network.ll_gbs", {"network.ll_gbs": 10.0}) == "LL 10 GB/s"


def test_fields_of_one_title_are_told_apart_by_their_paths():
    assert heads("job.seed", "mapping.seed", "job.rows") == ["job.seed", "mapping.seed", "Rows"]
    assert heads("mapping.seed", "job.rows") == ["Seed", "Rows"]
