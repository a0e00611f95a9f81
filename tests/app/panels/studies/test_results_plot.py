"""Results as points: any columns on the axes, as colours, and as small plots."""

import pytest

from app.panels.studies.results_plot import MAX_PANELS, NO_COLUMN, scatter_of, short_texts, value_colours
from app.panels.studies.results_table import ResultRows
from app.style.theme import DARK, LIGHT
from core.mapping import Random
from tests.app.panels.studies.conftest import choose, run, vary

SEQUENTIAL, RANDOM = '{"type":"sequential"}', '{"type":"random"}'


def results(rows):
    results_of_rows = ResultRows(("point", "network.d_links", "mapping", "gbs", "bottleneck", "seconds", "error"))
    results_of_rows.add([dict(zip(results_of_rows.columns, row, strict=True)) for row in rows])
    return results_of_rows


FOUND = results(
    [
        (2, 4, SEQUENTIAL, 10.0, "D", 0.1, None),
        (0, 1, SEQUENTIAL, 2.5, "D", 0.1, None),
        (3, 4, RANDOM, None, None, 0.1, "network: too large"),
        (1, 1, RANDOM, 5.5, "LR", 0.1, None),
    ]
)


def test_a_row_is_a_point_with_the_colour_of_its_value():
    scatter = scatter_of(FOUND, ("gbs", "network.d_links", "mapping", ""), DARK)
    assert [(dot.row, dot.x, dot.y, scatter.hues[dot.hue].name) for dot in scatter.dots] == [
        (0, 4, 10.0, "Sequential"), (1, 1, 2.5, "Sequential"), (3, 1, 5.5, "Random"),
    ]  # fmt: skip
    assert (scatter.x_title, scatter.y_title, scatter.hue_title) == ("D links per pair", "gbs", "mapping")
    assert scatter.panels == ("",)


def test_names_and_small_plots_are_in_the_order_of_the_points():
    scatter = scatter_of(FOUND, ("gbs", "bottleneck", "", "mapping"), DARK)
    assert scatter.x_names == ("D", "LR")
    assert scatter.panels == ("mapping: Sequential", "mapping: Random")
    assert [(dot.x, dot.panel) for dot in scatter.dots] == [(0, 0), (0, 0), (1, 1)]
    assert scatter.hues == ()


def test_too_many_small_plots_become_one():
    many = results([(k, k, SEQUENTIAL, 1.0 + k, "D", 0.1, None) for k in range(MAX_PANELS + 1)])
    assert scatter_of(many, ("gbs", "point", "", "network.d_links"), DARK).panels == ("",)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("count", [1, 7, 8, 40])
def test_colours_differ(theme, count):
    colours = value_colours(count, theme)
    assert len(set(colours)) == len(colours) == count


def test_choices_are_named_by_distinct_titles():
    seeds = ['{"type":"random","seed":1}', '{"type":"random","seed":2}']
    assert short_texts(seeds) == ["Random, seed 1", "Random, seed 2"]
    assert short_texts([seeds[0], SEQUENTIAL]) == ["Random", "Sequential"]
    assert short_texts([4.0, 0.25]) == ["4", "0.25"]


def test_varied_fields_are_plotted_and_can_be_chosen(opened, here, qtbot):
    vary(opened, "network.gbs", "1, 2, 4")
    vary(opened, "job.rows", "2, 4")
    run(opened, qtbot)
    boxes = opened.plot.boxes
    assert [box.currentData() for box in boxes] == ["throughput_gbs", "network.gbs", "job.rows", ""]
    plot = opened.plot.plot
    assert {(dot.x, dot.hue) for dot in plot.scatter.dots} == {(x, hue) for x in (1, 2, 4) for hue in (0, 1)}
    choose(opened.plot.colour, NO_COLUMN)
    choose(opened.plot.apart, "Rows")
    assert plot.scatter.panels == ("Rows: 2", "Rows: 4")
    assert plot.scatter.hues == ()


def test_field_with_most_values_is_on_the_horizontal_axis_unless_a_seed(opened, here, qtbot):
    opened.session.choose("mapping", Random(seed=1))
    vary(opened, "job.rows", "2, 4")
    vary(opened, "network.gbs", "1, 2, 4")
    vary(opened, "mapping.seed", "1..5")
    run(opened, qtbot)
    assert [box.currentData() for box in opened.plot.boxes[1:]] == ["network.gbs", "job.rows", "mapping.seed"]
