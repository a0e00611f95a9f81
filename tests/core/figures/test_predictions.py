"""Predictions match measured figures if the paper's premises hold."""

import pytest

from core.figures.predictions import predictions
from core.job import Halo, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, RowOrColumn, Sequential
from core.network import Percs
from core.routing import PercsDirect, PercsIndirect


@pytest.mark.parametrize("d_links", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(
    ("job", "mapping", "routing"),
    [
        (Halo(), Blocks(), PercsDirect()),
        (Halo(), ModColour(), PercsDirect()),
        (Halo(), Blocks(), PercsIndirect()),
        (Transpose(), RowOrColumn(), PercsDirect()),
        (Transpose(), RowOrColumn(), PercsIndirect()),
    ],
    ids=["halo-blocks", "halo-mod", "halo-indirect", "transpose-direct", "transpose-indirect"],
)
def test_the_measured_class_meets_its_prediction(job, mapping, routing, d_links):
    case = Scenario(Percs(d_links=d_links), job, mapping, routing).build()
    report = evaluate(case)
    measured = {c.name: c.throughput_gbs for c in report.classes}
    assert predictions(case)
    for prediction in predictions(case):
        if prediction.at_least:
            assert measured[prediction.link_class] >= prediction.gbs * (1 - 1e-9)
        else:
            assert measured[prediction.link_class] == pytest.approx(prediction.gbs)


def test_nothing_is_predicted_for_lines_longer_than_a_supernode():
    large = Scenario(Percs(supernodes=512, d_links=1), Transpose(rows=256, cols=256), RowOrColumn(), PercsDirect())
    assert predictions(large.build()) == ()


def test_nothing_is_predicted_for_blocks_that_meet_twice():
    small = Scenario(Percs(supernodes=2, d_links=1), Halo(rows=16, cols=16), Blocks(), PercsDirect())
    assert predictions(small.build()) == ()


def test_nothing_is_predicted_if_the_premises_do_not_hold():
    for network, mapping in (
        (Percs(), Sequential()),
        (Percs(d_gbs=12), ModColour()),
        (Percs(supernodes=64), ModColour()),
    ):
        assert predictions(Scenario(network, Halo(), mapping, PercsDirect()).build()) == ()
