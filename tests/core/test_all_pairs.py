"""Every network goes with every job, mapping and routing that is offered, or says in one sentence why not.

The choices are read from the unions, so new ones are tested too. A family whose default is not small, or that needs a
file, has a line in `SMALL`.
"""

from functools import cache, partial
from itertools import product
from math import isclose
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace as changed

from core.files import read_scenario, write_scenario
from core.formats import FORMATS
from core.job import AnyJob, Flows
from core.load.bounds import bounds
from core.load.compatibility import fitted
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import AnyMapping, Explicit, FromFile, Random, Sequential
from core.mapping.edit import Edit
from core.network import AnyNetwork
from core.routing import AnyRouting, Minimal
from core.routing.flows import NodeFlows
from core.spec import SpecError, fields_of, members

MOST = 48
"""Maximum slots of a small network."""
TASKS = 9
"""Tasks of a small job: no power of two, a square, and more than a supernode of the small PERCS holds."""
SECTIONS = ("network", "job", "mapping", "routing")
FILES = {"edges.txt": "0 1\n1 2\n2 3\n3 0\n3 4\n4 5\n5 1\n", "slots.txt": "4\n3\n0\n1\n2\n"}
SMALL = {
    "percs": {"supernodes": 3, "d_links": 2, "drawers": 2, "nodes_per_drawer": 2, "slots_per_node": 2},
    "torus": {"dims": (4, 2, 3), "slots_per_node": 2},
    "mesh": {"dims": (4, 4)},
    "hypercube": {"dimensions": 4},
    "twisted-torus": {"dims": (2, 2, 4)},
    "fat-tree": {"arity": 2, "levels": 4},
    "xgft": {"down": (4, 4), "up": (1, 2)},
    "dragonfly": {"routers": 3, "global_links": 1, "groups": 4},
    "dragonfly-plus": {"leaves": 2, "spines": 2, "groups": 5},
    "hyperx": {"dims": (4, 4)},
    "slim-fly": {"q": 3},
    "rail": {"servers": 2, "gpus": 4, "spines": 2},
    "complete": {"nodes": 16},
    "circulant": {"nodes": 16, "jumps": (1, 2, 4, 8)},
    "shortcut": {"nodes": 16, "degree": 5},
    "clex": {"levels": 2},
    "edges": {"file": "edges.txt"},
}
"""Fields of small instances, by the tag of their family."""
JOBS = {"flows": Flows(tasks=5, src=(0, 1, 2, 2), dst=(1, 2, 0, 4), volume=(1.0, 2.5, 0.0, 3.0))}
"""Jobs without a size, by tag."""
QUICK = {"congestion-aware": {"rounds": 1}, "ugal": {"rounds": 1}, "tables": {"file": "opensm-lfts.dump"}}
"""Fields of routings that need a file or would take long, by tag."""
FABRIC = Path(__file__).parents[1] / "data" / "infiniband" / "tree"
OF_FILES = {form.job for form in FORMATS if form.job}
"""Jobs whose ranks and messages are given by a file."""
MAPPINGS = {"explicit": Explicit(slots=tuple(range(5))), "file": FromFile(file="slots.txt")}


def tags(union):
    return [kind.tag() for kind in members(union)]


def family(union, tag):
    return next(kind for kind in members(union) if kind.tag() == tag)


def variants(spec):
    """The spec, and the spec with each field that is a choice or a flag changed in turn."""
    specs = [spec]
    for field in fields_of(type(spec)):
        for value in (False, True) if field.kind is bool else field.choices if len(field.choices) < 5 else ():
            if value not in (None, getattr(spec, field.name)):
                specs.append(changed(spec, **{field.name: value}))
    return specs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("graphs")
    for name, text in FILES.items():
        (made / name).write_text(text)
    for name in ("ibnetdiscover.txt", "opensm-lfts.dump"):
        (made / name).write_bytes((FABRIC / name).read_bytes())
    return made


@cache
def routings():
    return [spec for kind in members(AnyRouting) for spec in variants(kind(**QUICK.get(kind.tag(), {})))]


@cache
def networks(tag, folder):
    """Small instances of a family with their networks; refused instances are omitted, except the first."""
    kind = family(AnyNetwork, tag)
    built = []
    fabrics = [kind(file="ibnetdiscover.txt")] if tag == "edges" else []
    for spec in [*variants(kind(**SMALL.get(tag, {}))), *fabrics]:
        try:
            built.append((spec, spec.build(folder)))
        except SpecError as refusal:
            assert_one_sentence(refusal)
    assert built[0][1].slots <= MOST, f"give {tag!r} a small instance in SMALL"
    return built


def small_jobs(slots):
    kinds = [kind for kind in members(AnyJob) if kind.tag() not in OF_FILES]
    return [JOBS.get(kind.tag()) or kind().resized(min(slots, TASKS)) for kind in kinds]


def assert_one_sentence(refusal):
    assert refusal.field.partition(".")[0].partition("[")[0] in SECTIONS, refusal
    assert refusal.message.strip()
    assert "\n" not in str(refusal)
    assert "Traceback" not in str(refusal)
    assert not refusal.message.endswith(("Error", "Exception"))
    assert 10 < len(str(refusal)) < 250, refusal


def tried(scenario, before=None):
    """The built scenario, or None if it is refused properly."""
    try:
        return scenario.build(before)
    except SpecError as refusal:
        assert_one_sentence(refusal)
    return None


def assert_evaluates(case):
    """Assert that the loads add up to the hops of the flows."""
    report, crossed = evaluate(case), 0.0
    assert len(report.phases) == len(case.job.phases)
    for index, (phase, load) in enumerate(zip(case.job.phases, report.phases, strict=True)):
        assert load.shape == (case.network.links,)
        assert np.isfinite(load).all()
        assert (load >= 0).all()
        hops, node = 0.0, case.mapping.nodes
        for _, block in phase.blocks():
            away = report.router(index).hops(node[block.src], node[block.dst])
            hops += float((block.volume * away).sum())
        crossed += hops
        assert isclose(load.sum(), hops, rel_tol=1e-9, abs_tol=1e-9)
    assert isclose(sum(c.sum_load for c in report.classes), crossed, rel_tol=1e-9, abs_tol=1e-9)
    assert (report.throughput_gbs is None) == (crossed == 0)
    assert report.verdict
    return report


@pytest.mark.parametrize("tag", tags(AnyNetwork))
def test_every_family_builds_small(tag, folder):
    for _, network in networks(tag, folder):
        assert 2 <= network.nodes <= MOST
        assert network.links
        assert network.layout is not None


@pytest.mark.parametrize("tag", tags(AnyNetwork))
def test_every_job_goes_with_every_routing_or_is_refused(tag, folder):
    for spec, network in networks(tag, folder):
        jobs, mappings = small_jobs(network.slots), (Sequential(), Random(seed=1))
        # After any refusal, the network is not built again.
        done, before = 0, tried(Scenario(spec, jobs[0], mappings[0], Minimal(), folder=folder))
        for (r, routing), (j, job) in product(enumerate(routings()), enumerate(jobs)):
            # Every job and every routing is combined with both mappings.
            case = tried(Scenario(spec, job, mappings[(j + r) % 2], routing, folder=folder), before)
            if case is not None:
                before = case
                report = assert_evaluates(case)
                for bound in bounds(case):
                    assert bound.time <= report.time * (1 + 1e-9), f"{spec!r} {job!r} {routing!r}: {bound.reason}"
                done += 1
        assert done, f"no routing takes {spec!r}"


@pytest.mark.parametrize("tag", tags(AnyNetwork))
def test_a_refused_network_is_refused_at_once(tag, folder):
    # `check`, which is fast, and `build` agree.
    for _, network in networks(tag, folder):
        for routing in routings():
            messages = []
            for ask in (routing.check, partial(routing.build, folder=folder)):
                try:
                    ask(network)
                    messages.append("")
                except SpecError as refusal:
                    assert_one_sentence(refusal)
                    messages.append(str(refusal))
            assert messages[0] == messages[1]


@pytest.mark.parametrize("tag", tags(AnyNetwork))
def test_every_routing_serves_causes_and_live_engine(tag, folder):
    for spec, network in networks(tag, folder):
        job = family(AnyJob, "permutation")().resized(network.slots)
        for routing in routings():
            case = tried(Scenario(spec, job, Sequential(), routing, folder=folder))
            if case is None:
                continue
            report = assert_evaluates(case)
            assert_route_is_load(report)
            told = explain(report, int(report.hottest(1)[0]))
            assert told.tasks.total == pytest.approx(told.load)
            assert sum(told.roles.values()) == pytest.approx(told.load)
            live = LiveLoads(report)
            swap = Edit(np.array([0, 1], np.int32), np.array([0, 1], np.int32), np.array([1, 0], np.int32))
            if case.router.plans:
                with pytest.raises(ValueError, match="loads cannot follow edits"):
                    live.apply(swap)
                continue
            live.apply(swap)
            after = evaluate(live.report().case)
            np.testing.assert_allclose(live.report().load, after.load, rtol=1e-6, atol=1e-9)
            assert live.time == pytest.approx(after.time)


def assert_route_is_load(report):
    case = report.case
    block = next(case.node_flows(case.job.phases[0]))
    apart = int(np.flatnonzero(block.src != block.dst)[0])
    u, v = int(block.src[apart]), int(block.dst[apart])
    route, load = report.router(0).route(u, v), np.zeros(case.network.links)
    np.add.at(load, route.links, route.shares)
    flow = NodeFlows(np.array([u], np.int32), np.array([v], np.int32), np.ones(1))
    np.testing.assert_allclose(report.router(0).loads([flow]), load, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("tag", tags(AnyNetwork))
def test_every_mapping_places_every_job_or_is_refused(tag, folder):
    ((_, network), *_) = networks(tag, folder)
    jobs, placed = [job.build() for job in small_jobs(network.slots)], set()
    for kind in members(AnyMapping):
        for mapping in variants(MAPPINGS.get(kind.tag()) or kind()):
            for job in jobs:
                try:
                    built = mapping.build(job, network, folder=folder)
                except SpecError as refusal:
                    assert_one_sentence(refusal)
                    continue
                placed.add(kind.tag())
                assert np.unique(built.slots).size == built.slots.size
    assert {"sequential", "random", "file"} <= placed


@pytest.mark.parametrize("tag", tags(AnyNetwork))
def test_every_network_can_be_switched_to_and_written_down(tag, folder):
    first = Scenario(family(AnyNetwork, "percs")(), family(AnyJob, "halo")(), Random(seed=2), routings()[0])
    for spec, _ in networks(tag, folder):
        scenario = fitted(Scenario(spec, first.job, first.mapping, first.routing, folder=folder))
        assert_evaluates(scenario.build())
        path = folder / "pair.fabriscope.json"
        write_scenario(path, scenario)
        assert read_scenario(path) == scenario


@pytest.mark.parametrize("tag", tags(AnyRouting))
def test_every_routing_routes_some_family(tag, folder):
    kind = family(AnyRouting, tag)
    pairs = ((name, built) for name in tags(AnyNetwork) for _, built in networks(name, folder))
    for _, network in pairs:
        try:
            kind().check(network)
        except SpecError:
            continue
        return
    pytest.fail(f"{tag} routes no family")
