"""Bounds read the flows of a job at most twice as often as the evaluation: by source and by destination."""

from dataclasses import replace

import numpy as np
import pytest

from app.storage.presets import preset, preset_names
from core.job import AllToAll
from core.job.flows import ListedPhase
from core.job.job import Phase
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly
from core.routing import Minimal, Valiant
from core.spec import SpecError

LARGE = {"power775-largest"}
"""Presets in which a flow takes long to route by enumerating paths."""
ROUTINGS = {"own": None, "minimal": Minimal(), "valiant": Valiant(), "valiant-group": Valiant(through="group")}


def kinds(kind):
    yield kind
    for sub in kind.__subclasses__():
        yield from kinds(sub)


@pytest.fixture
def flows_read(monkeypatch):
    """The number of flows that phases were asked for since the fixture was made, as a list of one number."""
    read = [0]

    def counted(listed):
        def listing(self, tasks):
            block = listed(self, tasks)
            read[0] += block.src.size
            return block

        return listing

    def counted_blocks(listed):
        def listing(self, *tasks_on):
            for done, block in listed(self, *tasks_on):
                read[0] += block.src.size
                yield done, block

        return listing

    wrappers = {"out_flows": counted, "in_flows": counted, "node_pair_flows": counted_blocks}
    monkeypatch.setattr(ListedPhase, "blocks", counted_blocks(ListedPhase.blocks))
    for kind in {*kinds(Phase)}:
        for name in wrappers.keys() & vars(kind).keys():
            monkeypatch.setattr(kind, name, wrappers[name](vars(kind)[name]))
    return read


def work(scenario, read):
    """Return the number of flows read by an evaluation, and by its bounds."""
    case = scenario.build()
    before = read[0]
    report = evaluate(case)
    evaluated = read[0] - before
    bounds(case, report)
    return evaluated, read[0] - before - evaluated


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("name", sorted({*preset_names()} - LARGE))
def test_bounds_read_flows_by_source_and_by_destination_only(flows_read, name, routing):
    scenario = preset(name)
    spec = ROUTINGS[routing]
    try:
        evaluated, bounded = work(scenario if spec is None else replace(scenario, routing=spec), flows_read)
    except SpecError:
        return  # the scheme does not route this network
    assert evaluated > 0
    assert bounded <= 2 * evaluated


def test_an_all_to_all_on_a_large_machine_is_bounded_without_its_flows(flows_read):
    network = Dragonfly(routers=8, global_links=4, groups=33, nodes_per_router=4)
    tasks = network.nodes
    scenario = Scenario(network, AllToAll(tasks=tasks), Sequential(), Valiant())
    evaluated, bounded = work(scenario, flows_read)
    assert max(evaluated, bounded) < 10 * tasks < tasks**2
    report = evaluate(scenario.build())
    assert bounds(report.case, report)[0].time == pytest.approx(report.time)
    assert np.isfinite(report.time)
