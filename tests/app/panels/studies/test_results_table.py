"""Titles of a study's columns: titles of the form with units, or paths if two titles are equal."""

from app.panels.studies.results_table import ResultRows


def heads(*columns):
    return [ResultRows(columns).head(name) for name in columns]


def test_varied_fields_have_the_titles_of_the_form():
    assert heads("point", "network.ll_gbs", "network.dims", "throughput_gbs", "classes.LL.max_load") == [
        "point", "LL links, GB/s", "Dimensions", "Throughput, GB/s", "classes.LL.max_load",
    ]  # fmt: skip
    assert ResultRows(("network.ll_gbs",)).named("network.ll_gbs", {"network.ll_gbs": 10.0}) == "LL links 10 GB/s"


def test_fields_with_equal_titles_are_named_by_their_paths():
    assert heads("job.seed", "mapping.seed", "job.rows") == ["job.seed", "mapping.seed", "Rows"]
    assert heads("mapping.seed", "job.rows") == ["Seed", "Rows"]
