"""MSCCL schedules as jobs: contents, refusals and results, compared with plain counts and textbook collectives."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.files.import_report import reports_of
from core.files.recognise import choice_of, imported
from core.job import Allreduce, Flows, Msccl, Sequence
from core.job.msccl import promise
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Complete, Edges
from core.routing import Minimal
from core.spec import SpecError
from tests.core.job.msccl.schedules import (
    Draft,
    chain_broadcast,
    direct_all_to_all,
    halving_reduce_scatter,
    ring_allgather,
    ring_allreduce,
)
from tests.oracle import msccl

SAMPLE = Path(__file__).resolve().parents[5] / "shared" / "data" / "cases" / "ml" / "alltoall-8n-0-9kb.xml"
VERIFIED = "verified: every GPU ends with the result of {}"


def job_of(folder, xml, message_bytes=1e6):
    (folder / "s.xml").write_text(xml if isinstance(xml, str) else xml.xml())
    return Msccl(file="s.xml", message_bytes=message_bytes).build(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("schedules")


def sent(job):
    """Chunks by pair of GPUs, for a message of one GB per chunk and loop."""
    pairs = Counter()
    for phase in job.phases:
        for _, (src, dst, volume) in phase.blocks():
            for u, v, w in zip(src.tolist(), dst.tolist(), volume.tolist(), strict=True):
                pairs[u, v] += round(w)
    return pairs


def refused(folder, xml):
    with pytest.raises(SpecError) as error:
        job_of(folder, xml)
    assert error.value.field == "job.file"
    assert error.value.message.startswith("s.xml")
    return error.value.message.removeprefix("s.xml").removeprefix(", ").removeprefix(": ")


# Counts and loads


def test_a_direct_all_to_all_has_one_chunk_per_pair(folder):
    job = job_of(folder, direct_all_to_all(8), 8e9)
    assert (job.tasks, len(job.phases)) == (8, 1)
    assert sent(job) == {(u, v): 1 for u in range(8) for v in range(8) if u != v}
    expected = "8 GPUs, 8 chunks per loop, 56 sending steps, 56 pairs with 1 chunk each"
    assert job.contents == (expected, VERIFIED.format("alltoall"))
    assert job.warnings == ()
    assert job.phases[0].name == "wave 1: 56 sends"


@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample of another tool's files is not here")
def test_the_sample_has_one_chunk_per_pair():
    job = Msccl(file=str(SAMPLE), message_bytes=8e3).build()
    assert job.contents == (
        "8 GPUs, 8 chunks per loop, 56 sending steps, 56 pairs with 1 chunk each",
        VERIFIED.format("alltoall"),
    )
    assert job.warnings == ()


@pytest.mark.parametrize(
    "draft",
    [
        ring_allreduce(2),
        ring_allreduce(5, channels=3),
        direct_all_to_all(3, each=2),
        halving_reduce_scatter(3),
        ring_allgather(4),
        chain_broadcast(4, chunks=2),
    ],
    ids=lambda draft: draft.attributes["coll"],
)
def test_sends_are_counted_as_by_the_oracle(folder, draft):
    steps, chunks = msccl.steps_of(draft.xml())
    expected = Counter()
    for step in steps:
        if step.type in msccl.SENDS:
            expected[step.gpu, step.peer] += step.count
    job = job_of(folder, draft, chunks * 1e9)
    assert sent(job) == expected
    names = [label for phase in job.phases for label in phase.parts.labels]
    assert sorted(names) == sorted(step.name for step in steps if step.type in msccl.SENDS)
    assert job.quantum == Fraction(1)


@settings(max_examples=20, deadline=None)
@given(gpus=st.integers(2, 6), channels=st.integers(1, 3))
def test_a_ring_loads_links_like_the_textbook_ring(folder, gpus, channels):
    (folder / "ring.xml").write_text(ring_allreduce(gpus, channels).xml())
    own = evaluated(folder, gpus, Msccl(file="ring.xml", message_bytes=6e9))
    expected = evaluated(folder, gpus, Allreduce(tasks=gpus, message_bytes=6e9, algorithm="ring"))
    assert len(own.case.job.phases) == 2 * (gpus - 1)
    np.testing.assert_allclose(own.load, expected.load)
    assert own.throughput_gbs == pytest.approx(expected.throughput_gbs)


def evaluated(folder, nodes, job):
    return evaluate(Scenario(Complete(nodes=nodes), job, Sequential(), Minimal(), folder=folder).build())


def test_the_load_of_a_link_is_explained_by_steps(folder):
    (folder / "ring.xml").write_text(ring_allreduce(3).xml())
    report = evaluated(folder, 3, Msccl(file="ring.xml", message_bytes=3e9))
    network = report.case.network
    link = int(np.flatnonzero((network.src == 1) & (network.dst == 2))[0])
    explained = explain(report, link)
    assert explained.part_kind == "step"
    kinds = ("s", "rrs", "rrcs", "rcs")
    expected = [(f"gpu 1 tb 0 step {k} ({kind})", 1.0) for k, kind in enumerate(kinds)]
    assert [(part.label, part.load) for part in explained.parts] == expected


# Import


def test_a_schedule_is_recognised_as_a_job(folder):
    xml = f"<?xml version='1.0'?>\n<!-- made\nup -->\n{direct_all_to_all(2).xml()}"
    (folder / "a.txt").write_text(xml)
    assert choice_of(folder / "a.txt") == "job"
    assert imported(folder / "a.txt", "job", folder) == Msccl(file="a.txt")


def test_other_choices_refer_to_the_job(folder):
    (folder / "s.xml").write_text(direct_all_to_all(2).xml())
    with pytest.raises(SpecError, match=r"this is an MSCCL schedule \(choose the job msccl\)"):
        Edges(file="s.xml").build(folder)
    with pytest.raises(SpecError, match=r"this is an MSCCL schedule \(choose the job msccl\)"):
        Flows(file="s.xml").build(folder)


def test_the_import_is_reported(folder):
    (folder / "s.xml").write_text(direct_all_to_all(4, each=2).xml())
    case = evaluated(folder, 4, Msccl(file="s.xml")).case
    assert reports_of(case)["job"].lines == [
        "s.xml: an MSCCL schedule, 4 GPUs, 8 chunks per loop, 12 sending steps, 12 pairs with 2 chunks each",
        VERIFIED.format("alltoall"),
    ]


@pytest.mark.parametrize(
    ("least", "most", "message_bytes", "words"),
    [
        (0, 9216, 1e6, "the schedule is meant for messages from 0 to 9,216 bytes"),
        (2000, 0, 1e3, "the schedule is meant for messages of at least 2,000 bytes"),
        (2000, 0, 2000, None),
        (0, 0, 1e9, None),
    ],
)
def test_a_message_of_another_size_is_noted(folder, least, most, message_bytes, words):
    draft = direct_all_to_all(2)
    draft.attributes |= {"minBytes": least, "maxBytes": most}
    assert job_of(folder, draft, message_bytes).warnings == ((words,) if words else ())


def test_a_schedule_without_sends_is_a_job_without_messages(folder):
    draft = Draft("custom", 2, 1)
    draft.step((0, -1, -1, 0), "cpy", ("i", 0), ("o", 0))
    job = job_of(folder, draft)
    assert sent(job) == {}
    assert job.order is None
    assert job.contents == (
        "2 GPUs, 1 chunk per loop, 0 sending steps",
        "not verified: custom promises no known result",
    )


def test_a_schedule_can_be_part_of_a_sequence(folder):
    (folder / "s.xml").write_text(ring_allgather(4).xml())
    parts = (Msccl(file="s.xml"), Allreduce(tasks=4))
    job = Sequence(parts=parts).build(folder)
    assert job.order is None
    assert job.warnings == ("fair-share runs the schedule of part 1 rank by rank, as part of a sequence",)


# What collectives promise


@pytest.mark.parametrize(
    "draft",
    [
        ring_allreduce(4, channels=2),
        direct_all_to_all(5),
        halving_reduce_scatter(2),
        halving_reduce_scatter(3, inplace=1),
        ring_allgather(5),
        ring_allgather(4, inplace=1, outofplace=0),
        chain_broadcast(3, root=2),
    ],
    ids=lambda draft: draft.attributes["coll"],
)
def test_right_schedules_are_verified(folder, draft):
    job = job_of(folder, draft)
    assert job.contents[1:] == (VERIFIED.format(draft.attributes["coll"]),)
    assert job.warnings == ()


def changed(draft, block, number, **attributes):
    draft.blocks[block][number] |= attributes
    return draft


ALONE = (-1, -1, 0)
"""A thread block without peers."""


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (
            changed(ring_allreduce(3), (0, 1, 2, 0), 2, type="rcs"),
            "allreduce in place fails: output chunk 1 of gpu 0 lacks input chunk 1 of gpu 0",
        ),
        (
            changed(ring_allreduce(3), (0, 1, 2, 0), 2, src=("i", 0)),
            "allreduce in place fails: output chunk 1 of gpu 0 lacks input chunk 1 of gpu 0",
        ),
        (
            changed(direct_all_to_all(3), (1, *ALONE), 0, src=("i", 2)),
            "alltoall fails: output chunk 1 of gpu 1 lacks input chunk 1 of gpu 1",
        ),
        (
            changed(direct_all_to_all(3), (2, *ALONE), 0, dst=("s", 2)),
            "alltoall fails: output chunk 2 of gpu 2 is never written",
        ),
        (
            changed(halving_reduce_scatter(1), (1, *ALONE), 0, src=("s", 5)),
            "reduce_scatter fails: output chunk 0 of gpu 1 lacks input chunk 1 of gpu 0",
        ),
        (
            changed(halving_reduce_scatter(1), (1, *ALONE), 1, type="re"),
            "reduce_scatter fails: output chunk 0 of gpu 1 includes memory that is never written",
        ),
        (
            changed(chain_broadcast(3), (1, 2, 0, 0), 0, type="rrcs"),
            "broadcast fails: output chunk 0 of gpu 1 includes input chunk 0 of gpu 1, which does not belong there",
        ),
        (
            changed(chain_broadcast(3), (0, *ALONE), 0, src=("s", 0)),
            "broadcast fails: output chunk 0 of gpu 0 is never written",
        ),
    ],
)
def test_the_first_wrong_chunk_is_named(folder, draft, words):
    job = job_of(folder, draft)
    assert job.warnings == (words,)
    assert len(job.contents) == 1


def test_a_contribution_that_counts_twice_is_wrong(folder):
    draft = halving_reduce_scatter(1)
    draft.step((0, *ALONE), "re", ("i", 0), ("o", 0))
    words = "reduce_scatter fails: output chunk 0 of gpu 0 includes input chunk 0 of gpu 0, gpu 1 more than once"
    assert job_of(folder, draft).warnings == (words,)


def test_in_place_memory_is_shared(folder):
    # Without the copy, the allgather is right only in place.
    draft = ring_allgather(3)
    del draft.blocks[0, *ALONE], draft.blocks[1, *ALONE], draft.blocks[2, *ALONE]
    assert job_of(folder, draft).warnings == ("allgather fails: output chunk 0 of gpu 0 is never written",)
    draft.attributes |= {"inplace": 1, "outofplace": 0}
    assert job_of(folder, draft).warnings == ()


@pytest.mark.parametrize(
    ("collective", "chunks", "words"),
    [
        ("", 2, "not verified: custom promises no known result"),
        ("gather", 2, "not verified: gather promises no known result"),
        ("allgather", 3, "not verified: 3 chunks cannot be divided among 2 GPUs"),
        ("alltoall", 3, "not verified: 3 chunks cannot be divided among 2 GPUs"),
    ],
)
def test_other_schedules_are_not_verified(folder, collective, chunks, words):
    job = job_of(folder, Draft(collective, 2, chunks))
    assert job.contents[1:] == (words,)
    assert job.warnings == ()


def test_large_schedules_are_not_verified(folder, monkeypatch):
    monkeypatch.setattr(promise, "MAX_WORK", 20)
    assert job_of(folder, direct_all_to_all(4)).contents[1] == "not verified: the schedule moves too many chunks"


# Refusals

PAIR = """<algo ngpus="2" nchunksperloop="2" coll="custom">
<gpu id="0"><tb id="0" send="1" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1"/>
</tb></gpu>
<gpu id="1"><tb id="3" send="-1" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1"/>
</tb></gpu>
</algo>
"""
"""A message from GPU 0 to GPU 1."""
RECEIVE = PAIR.splitlines()[5]
ELEMENTS = "MSCCL schedules contain algo, gpu in algo, tb in gpu, and step in tb"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (RECEIVE, "", "line 3: gpu 0 tb 0 step 0 (s) sends to gpu 1 on channel 0, which does not receive it"),
        (
            '<tb id="3" send="-1" recv="0" chan="0">',
            '<tb id="3" send="-1" recv="0" chan="1">',
            "line 3: gpu 0 tb 0 step 0 (s) sends to gpu 1 on channel 0, which does not receive it",
        ),
        (
            RECEIVE,
            RECEIVE + RECEIVE.replace('s="0"', 's="1"'),
            "line 6: gpu 1 tb 3 step 1 (r) receives from gpu 0 on channel 0, which does not send it",
        ),
        (
            RECEIVE,
            RECEIVE.replace('cnt="1"', 'cnt="2"'),
            "line 3: gpu 0 tb 0 step 0 (s) sends 1 chunk, but gpu 1 tb 3 step 0 (r) receives 2",
        ),
        (
            "</tb></gpu>\n</algo>",
            f'</tb><tb id="4" send="-1" recv="0" chan="0">{RECEIVE}</tb></gpu>\n</algo>',
            "line 7: gpu 1 tb 4 step 0 (r) receives from gpu 0 on channel 0, as does tb 3; use another channel",
        ),
        (
            'type="r"',
            'type="recv"',
            "line 6: gpu 1 tb 3 step 0 has the unknown type 'recv'; did you mean re? "
            "types: s, r, rcs, rrs, rrc, rrcs, cpy, re, nop",
        ),
        ('type="r"', 'type="s"', "line 6: gpu 1 tb 3 step 0 (s) sends, but its tb has send=-1"),
        ('type="s"', 'type="rcs"', "line 3: gpu 0 tb 0 step 0 (rcs) receives, but its tb has recv=-1"),
        ('type="r" ', "", "line 6: gpu 1 tb 3 step 0 has no attribute type"),
        ('type="s" srcbuf="i"', 'type="s"', "line 3: gpu 0 tb 0 step 0 (s) has no attribute srcbuf"),
        ('s="0" type="s"', 'type="s"', "line 3: a step of gpu 0 tb 0 has no attribute s"),
        (' chan="0"', "", "line 2: gpu 0 tb 0 has no attribute chan"),
        ('id="3"', "", "line 5: a tb of gpu 1 has no attribute id"),
        (' ngpus="2"', "", "line 1: algo has no attribute ngpus"),
        (
            'nchunksperloop="2"',
            'nchunksperloop="0"',
            "line 1: algo has nchunksperloop='0'; give a whole number from 1 to 65,536",
        ),
        ('cnt="1"', 'cnt="0"', "line 3: gpu 0 tb 0 step 0 (s) has cnt='0'; give a whole number from 1 to 65,536"),
        ('cnt="1"', 'cnt="x"', "line 3: gpu 0 tb 0 step 0 (s) has cnt='x'; give a whole number from 1 to 65,536"),
        ('cnt="1"', 'cnt="²"', "line 3: gpu 0 tb 0 step 0 (s) has cnt='²'; give a whole number from 1 to 65,536"),
        ('send="1"', 'send="2"', "line 2: gpu 0 tb 0 has send='2'; give a whole number from -1 to 1"),
        ('<gpu id="1">', '<gpu id="2">', "line 5: gpu has id='2'; give a whole number from 0 to 1"),
        ('<gpu id="1">', '<gpu id="0">', "line 5: gpu 0 appears twice"),
        ('ngpus="2"', 'ngpus="3"', "line 1: algo has 3 gpus according to ngpus, but no gpu 2"),
        (
            'send="1"',
            'send="0"',
            "line 2: gpu 0 tb 0 communicates with its own gpu; use step types cpy and re inside a gpu",
        ),
        (
            'dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1"/>\n</tb></gpu>\n</algo>',
            'dstbuf="x" dstoff="0" cnt="1"/></tb></gpu></algo>',
            "line 6: gpu 1 tb 3 step 0 (r) has dstbuf='x'; give i (input), o (output) or s (scratch)",
        ),
        (
            'depid="-1" deps="-1"/>\n</tb></gpu>\n</algo>',
            'depid="4" deps="1"/></tb></gpu></algo>',
            "line 6: gpu 1 tb 3 step 0 (r) waits for tb 4 step 1, which gpu 1 does not have",
        ),
        (
            'depid="-1" deps="-1"/>\n</tb></gpu>\n</algo>',
            'depid="3"/></tb></gpu></algo>',
            "line 6: gpu 1 tb 3 step 0 (r) has depid=3 and deps=-1; give both or neither",
        ),
        (
            'depid="-1" deps="-1"/>\n</tb></gpu>\n</algo>',
            'depid="3" deps="0"/></tb></gpu></algo>',
            "line 6: gpu 1 tb 3 step 0 (r) cannot start: it waits for itself",
        ),
        (RECEIVE, 2 * RECEIVE, "line 6: gpu 1 tb 3 step 0 appears twice"),
        (
            "<step",
            "<op",
            f"line 3: unknown element <op> in <tb>; {ELEMENTS}",
        ),
        ("</algo>", "", "line 9: is not valid XML: no element found"),
        (PAIR, "<platform/>", f"line 1: unknown element <platform> as the first element; {ELEMENTS}"),
        (PAIR, "num_ranks 2\n", "this is a GOAL schedule (choose it as the job); give an MSCCL schedule, which is XML"),
        (PAIR, "", "is not XML; give an MSCCL schedule, which is XML"),
    ],
)
def test_schedules_that_cannot_run_are_refused_with_their_line(folder, before, after, words):
    assert job_of(folder, PAIR).contents
    assert before in PAIR
    assert refused(folder, PAIR.replace(before, after, 1)) == words


def test_steps_that_wait_for_each_other_are_refused(folder):
    draft = Draft("custom", 2, 1)
    for gpu in range(2):
        block = (gpu, 1 - gpu, 1 - gpu, 0)
        draft.step(block, "r", ("i", 0), ("o", 0))
        draft.step(block, "s", ("i", 0), ("o", 0))
    words = refused(folder, draft)
    assert " cannot start: it and gpu " in words
    assert words.endswith(" wait for each other")


def test_entities_are_refused(folder):
    bomb = '<!DOCTYPE a [<!ENTITY a "a">]>' + PAIR
    assert refused(folder, bomb) == "declares XML entities; write their text instead"


@pytest.mark.parametrize(("limit", "words"), [("MAX_STEPS", "has more than 1 steps, the limit")])
def test_files_beyond_a_limit_are_refused(folder, monkeypatch, limit, words):
    monkeypatch.setattr(f"core.job.msccl.xml_reader.{limit}", 1)
    assert refused(folder, PAIR) == words


def test_a_file_must_be_chosen(folder):
    with pytest.raises(SpecError, match=r"^job\.file: choose a file"):
        Msccl().build(folder)
