"""Ends of links on machines of many dimensions: rows of the hottest links are distinguishable."""

from app.panels.bottleneck.hottest_links import hottest_columns
from core.job import Permutation
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Hypercube, Torus
from core.routing import Minimal


def test_end_of_a_link_shows_only_changed_coordinates_if_there_are_many():
    network = Torus(dims=(3, 3, 3, 2, 3, 2), unit=3)
    report = evaluate(Scenario(network, Permutation(tasks=324), Sequential(), Minimal()).build())
    links = report.hottest(200)
    kind, start, end = hottest_columns(report, links)[:3]
    rows = list(zip(*([column.write(value) for value in column.values] for column in (kind, start, end)), strict=True))
    assert all(to.split()[0] == name for name, _, to in rows)
    assert len(set(rows)) == links.size
    for link, value in zip(links.tolist(), end.values, strict=True):
        assert end.explain(value).startswith(report.case.network.coordinates(int(report.case.network.dst[link])))


def test_few_coordinates_are_written_in_full():
    report = evaluate(Scenario(Torus(dims=(4, 4)), Permutation(tasks=16), Sequential(), Minimal()).build())
    _, start, end = hottest_columns(report, report.hottest(5))[:3]
    assert all(column.write(value).count(",") == 1 for column in (start, end) for value in column.values)


def test_labels_without_coordinates_are_unchanged():
    report = evaluate(Scenario(Hypercube(dimensions=6), Permutation(tasks=64), Sequential(), Minimal()).build())
    _, start, end = hottest_columns(report, report.hottest(5))[:3]
    assert all(len(column.write(value)) == 6 for column in (start, end) for value in column.values)
