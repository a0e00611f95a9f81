"""A link's load by labelled part of the job: the parts sum to the load, also over repeated and mixed phases."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import Halo, job
from core.load import explain as explaining
from core.load.explain import UNLABELLED, explain
from core.mapping import Random
from core.network import Torus
from core.routing import Adaptive
from tests.core.load.cases import report_of
from tests.core.load.labelled import TASKS, Labelled, channels

RING = Torus(dims=(4, 3))
task = st.integers(0, TASKS - 1)
flow = st.tuples(task, task, st.integers(1, 8), st.integers(0, 4))
phase = st.builds(
    lambda flows, times, kind: channels(*flows, times=times, kind=kind),
    st.lists(flow, min_size=1, max_size=20), st.integers(1, 3), st.sampled_from(("channel", "channel", "")),
)  # fmt: skip


@given(st.lists(phase, min_size=1, max_size=3), st.integers(0, 47), st.integers(1, 9))
def test_parts_are_those_of_the_flows_and_sum_to_the_load(phases, link, block):
    report = report_of(RING, Labelled(tuple(phases)), Adaptive(), Random(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "BLOCK", block)  # many small blocks
        patch.setattr(explaining, "SLICE", 4)
        explanation = explain(report, link)
    loads, steps = Counter(), Counter()
    node = report.case.mapping.nodes
    for kind, labels, flows, times in phases:
        crossed = set()
        for src, dst, volume, part in flows:
            route = report.case.router.route(int(node[src]), int(node[dst]))
            share = float(route.shares[route.links == link].sum())
            label = labels[part] if kind else UNLABELLED
            if share:
                loads[label] += times * volume * share
                crossed.add(label)
        steps.update(dict.fromkeys(crossed, times))
    if not any(kind for kind, *_ in phases):
        assert (explanation.parts, explanation.part_kind) == ((), "")
        return
    assert explanation.part_kind == "channel"
    assert {part.label: part.load for part in explanation.parts} == pytest.approx(dict(loads))
    assert {part.label: part.steps for part in explanation.parts} == dict(steps)
    assert sum(part.load for part in explanation.parts) == pytest.approx(report.load[link], rel=1e-12)
    sizes = [part.load for part in explanation.parts]
    assert sizes == pytest.approx(sorted(sizes, reverse=True))


def test_parts_of_different_kinds_are_called_parts():
    first = channels((0, 1, 1.0, 0))
    report = report_of(RING, Labelled((first, ("thread block", ["gpu 0 tb 1"], first[2], 1))), Adaptive())
    explanation = explain(report, int(report.hottest(1)[0]))
    assert explanation.part_kind == "part"
    assert [part.label for part in explanation.parts] == ["channel 0", "gpu 0 tb 1"]


def test_other_jobs_have_no_parts():
    report = report_of(RING, Halo(3, 4), Adaptive())
    assert explain(report, int(report.hottest(1)[0])).parts == ()
