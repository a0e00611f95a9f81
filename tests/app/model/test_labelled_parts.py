"""Texts of the labelled parts of a job that load a link."""

from app.model.load_parts import MAX_LABELS, labelled_parts
from core.load.explain import explain
from core.network import Torus
from core.routing import Adaptive
from tests.core.load.cases import report_of
from tests.core.load.labelled import Labelled, channels


def texts(*phases):
    report = report_of(Torus(dims=(4, 3)), Labelled(phases), Adaptive())
    explanation = explain(report, int(report.hottest(1)[0]))
    return [part.text for part in labelled_parts(report, explanation)]


def test_parts_name_the_steps_in_which_they_load_a_link():
    every, once = channels((0, 1, 4.0, 0), (0, 1, 2.0, 1), times=14), channels((0, 1, 1.0, 2), (0, 1, 1.0, 0))
    assert texts(every) == ["channel 0, all 14 steps", "channel 1, all 14 steps"]
    assert texts(every, once) == ["channel 0, all 15 steps", "channel 1, 14 of 15 steps", "channel 2"]
    assert texts(once) == ["channel 0", "channel 2"]


def test_many_parts_are_summed_after_the_largest():
    flows = [(0, 1, 1.0, part) for part in range(MAX_LABELS + 3)]
    assert texts(channels(*flows)) == [*(f"channel {part}" for part in range(MAX_LABELS)), "and 3 more"]
