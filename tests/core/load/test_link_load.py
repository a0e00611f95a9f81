"""Background loads of unknown origin: in files, in evaluations and in searches."""

import json

import numpy as np
import pytest

from core.figures.notes import notes_of
from core.files import decode, encode
from core.job import Permutation
from core.load.compatibility import fitted
from core.load.evaluate import evaluate
from core.load.job_reports import Share, shares_of
from core.load.link_load import LinkLoad
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Explicit, Sequential
from core.mapping.edit import edit_moving
from core.network import LinkFault, Torus
from core.optimise.objective import AllJobs, Throughput
from core.optimise.request import Request
from core.optimise.run import optimise
from core.routing import DimensionOrder
from core.spec import SpecError
from tests.core.routing.tables.test_scheme import TREE

PAIR = Permutation(tasks=2, targets=(1, 0))
RING = Scenario(
    Torus(dims=(12,), gbs=1.0),
    PAIR,
    Explicit(slots=[1, 3]),
    DimensionOrder(),
    allocation="1,3,6,7",
    background=(LinkLoad(2, 3, 4.0),),
)


def test_a_loaded_link_slows_the_job():
    report = evaluate(RING.build())
    link = report.case.network.links_between(2, 3)[0]
    assert (report.time, report.time_alone, report.slowdown) == (5, 1, 5)
    assert report.bottleneck_links.tolist() == [link]
    assert (report.others.sum(), report.total_load[link]) == (4, 5)
    assert shares_of(report, link) == (Share("Permutation", 1), Share("unknown background", 4))
    assert "unknown background: 4 units on 1 link" in notes_of(report)


def test_live_edits_equal_a_full_evaluation():
    live = LiveLoads(evaluate(RING.build()))
    for task, slot in ((0, 7), (1, 6), (0, 1), (1, 3)):
        edit = edit_moving(live.mapping, np.array([task]), np.array([slot]), live.occupant)
        previewed = live.preview(edit).time
        live.apply(edit)
        scenario = Scenario(**{**vars(RING), "mapping": Explicit(slots=live.mapping.slots.tolist())})
        full = evaluate(scenario.build())
        assert previewed == live.report().time == full.time
        np.testing.assert_array_equal(live.report().total_load, full.total_load)


@pytest.mark.parametrize("objective", [Throughput(), AllJobs(of="sum"), AllJobs(of="worst")])
def test_a_search_avoids_loaded_links(objective):
    result = optimise(evaluate(RING.build()), Request(objective, steps=200, seconds=None))
    assert (result.start, result.best) == (5, 1)
    assert sorted(result.slots.tolist()) == [6, 7]


def test_failed_links_carry_no_background():
    scenario = Scenario(**{**vars(RING), "faults": (LinkFault(2, 3),)})
    assert evaluate(scenario.build()).others.sum() == 0


def test_files_hold_loads():
    assert decode(encode(RING)) == RING
    raw = json.loads(encode(RING))
    assert raw["background"] == [{"src": 2, "dst": 3, "load": 4.0}]
    network = {"type": "edges", "file": str(TREE / "ibnetdiscover.txt")}
    raw |= {"network": network, "allocation": "", "mapping": {"type": "sequential"}, "routing": {"type": "minimal"}}
    raw["background"] = [{"src": "s1_0000 port 8", "dst": "s2_0003", "load": 2.0}]
    case = decode(json.dumps(raw).encode(), own=True).build()
    (link,) = np.flatnonzero(case.neighbours.constant)
    assert case.network.link_ends(link) == ("s1_0000 port 8", "s2_0003 port 1")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"src": 0, "dst": 1}, "background[0].load: is missing"),
        ({"src": 0, "dst": 1, "load": -1.0}, "background[0].load: expected float > 0"),
        ({"src": 0, "dst": 1, "load": 1.0, "loads": 2}, "background[0].loads: a background load has no field 'loads'"),
        ({"src": 0, "dst": 5, "load": 1.0}, "background[0].dst: is 5; links from 0 lead to 1, 11"),
        ({"src": 0, "dst": 1, "parallel": 3, "load": 1.0}, "background[0].parallel: is 3"),
        ({"src": "x", "dst": 1, "load": 1.0}, "background[0].src: "),
    ],
)
def test_invalid_loads_are_refused(entry, message):
    raw = json.loads(encode(RING)) | {"background": [entry]}
    with pytest.raises(SpecError) as error:
        decode(json.dumps(raw).encode()).build()
    assert str(error.value).startswith(message)


def test_loads_of_missing_links_are_dropped_with_another_network():
    small = Scenario(Torus(dims=(3,)), PAIR, Sequential(), DimensionOrder(), background=RING.background)
    assert fitted(small).background == ()
    with pytest.raises(SpecError, match=r"background\[0\].dst"):
        small.build()
