"""Traffic files of profilers and partitioners: one small job in each format."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats import FORMATS, read_of, written_of
from core.job import AllToAll, Flows, Halo, Sequence
from core.job.flows import NO_UNIT
from core.job.matrix_file import MAX_BYTES
from core.job.traffic import edges, form_of
from core.job.traffic.partitioner_graphs import LABELLED
from core.spec import SpecError
from tests.core.malformed import facts

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "formats"
SENT = {(0, 1): 3000, (0, 2): 500, (1, 0): 20, (2, 1): 7}
"""Bytes from a rank to another."""

WRITTEN = written_of("job")


def sent_by(rank):
    return [(dst, volume) for (src, dst), volume in SENT.items() if src == rank]


def profile(rank):
    lines = [
        f"E\t{rank}\t{dst}\t{volume} bytes\t3 msgs sent\t0,0" for (src, dst), volume in SENT.items() if src == rank
    ]
    return "\n".join(["# POINT TO POINT", *lines, "# COLLECTIVES", f"O2A\t{rank}\t9 bytes\t1 msgs sent", ""])


def tau(rank):
    lines = [
        f'"Message size sent to node {dst}" 4 9 1 {volume / 4} 9' for (src, dst), volume in SENT.items() if src == rank
    ]
    return "\n".join(["9 templated_functions_MULTI_TIME", *lines, '"Message size sent to node 1 : x" 1 1 1 1 1', ""])


IPM = """# region irank jrank data_tot data_tx data_rx nmsg_tx nmsg_rx
main 1 0 3020 20 3000 1 1
main 2 0 500 0 500 0 1
main 2 1 7 7 0 1 0
"""
GOAL = """num_ranks 3
rank 0 { // sends most
a: send 3000b to 1 tag 0
send 500b to 2
b: recv 20b from -1
b requires a
}
rank 1 {
send 20b to 0 /* twice
nothing */
recv 3000b from 0 tag 1
recv 7b from -1
calc 7
}
rank 2 {
recv 500b from 0
send 7b to 1 tag 3 cpu 0
}
"""


def flows_of(folder, name, text, **fields):
    (folder / name).write_text(text)
    job = Flows(file=name, unit="bytes", **fields).build(folder)
    block = job.phases[0].flows
    return {(int(u), int(v)): w for u, v, w in zip(block.src, block.dst, np.rint(block.volume * 1e9), strict=True) if w}


@pytest.mark.parametrize(("name", "write"), [("mon.{}.prof", profile), ("profile.{}.0.0", tau)])
@pytest.mark.parametrize("named", [0, 2])
def test_any_file_of_a_trace_with_a_file_per_rank_can_be_chosen(tmp_path, name, write, named):
    for rank in range(3):
        (tmp_path / name.format(rank)).write_text(write(rank))
    assert flows_of(tmp_path, name.format(named), write(named)) == SENT


@pytest.mark.parametrize(("name", "text"), [("map_data.txt", IPM), ("job.goal", GOAL), ("trace.txt", GOAL)])
def test_files_of_all_tools_give_the_same_traffic(tmp_path, name, text):
    assert flows_of(tmp_path, name, text) == SENT


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.graph", "% traffic\n3 2 001\n2 10\n1 10 3 4\n2 4\n"),
        ("a.grf", "0\n3 4\n0 010\n1 10 1\n2 10 0 4 2\n1 4 1\n"),
        ("b.grf", "0\n3 4\n1 110\n7 1 10 8\n8 2 10 7 4 9\n9 1 4 8\n"),
    ],
)
def test_half_of_an_edge_is_sent_in_each_direction(tmp_path, name, text):
    assert flows_of(tmp_path, name, text) == {(0, 1): 5, (1, 0): 5, (1, 2): 2, (2, 1): 2}


@pytest.mark.parametrize("tag", ["", "[1,{}]<stderr>:"])
@pytest.mark.parametrize("start", ["", "Hello\n"])
def test_the_lines_of_all_ranks_may_be_in_one_file(tmp_path, tag, start):
    lines = [f"{tag.format(rank)}{line}" for rank in (1, 0, 2) for line in profile(rank).splitlines()]
    text = start + "\n".join([*lines[:5], f"{tag.format(0)}step 1", "", *lines[5:]])
    assert flows_of(tmp_path, "stderr.txt", text) == SENT
    others = ["'Hello'"] * bool(start) + ["'step 1'"]
    note = f"{len(others)} line{'s' * (len(others) > 1)} of other output ignored: {', '.join(others)}"
    assert Flows(file="stderr.txt").build(tmp_path).warnings == (note,)


def test_the_example_of_open_mpis_readme_is_read(tmp_path):
    # From ompi/mca/common/monitoring/README: kind, sender, receiver, bytes.
    example = [
        *("I 0 1 108", "E 0 1 1012", "E 0 2 23052", "I 1 2 104", "I 1 3 208", "E 1 0 860", "E 1 3 2552"),
        *("I 2 3 104", "E 2 0 22804", "E 2 3 860", "I 3 0 104", "I 3 1 204", "E 3 1 2304", "E 3 2 860"),
    ]
    lines = ["{}\t{}\t{}\t{} bytes\t1 msgs sent\n".format(*line.split()) for line in example]
    sent = flows_of(tmp_path, "err", "".join(lines))
    assert (sum(sent.values()), len(sent), sent[0, 1]) == (55_136, 10, 1120)


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("a.graph", "2 1 011\n7 2 10\n7 1 10\n", "sizes and weights of vertices are ignored"),
        ("a.graph", "2 1 001\n2 10\n1 10\n", ""),
        ("a.grf", "0\n2 2\n0 011\n7 1 10 1\n7 1 10 0\n", "loads of vertices are ignored"),
        ("a.grf", "0\n2 2\n0 010\n1 10 1\n1 10 0\n", ""),
    ],
)
def test_weights_of_vertices_are_noted(tmp_path, name, text, note):
    assert flows_of(tmp_path, name, text) == {(0, 1): 5, (1, 0): 5}
    assert Flows(file=name, unit="bytes").build(tmp_path).warnings == ((note,) if note else ())


def test_a_format_can_be_chosen(tmp_path):
    assert flows_of(tmp_path, "a.txt", "3 2 001\n2 10\n1 10 3 4\n2 4\n", format="metis-graph")[0, 1] == 5
    assert flows_of(tmp_path, "a.prof", "0 4\n2 0\n", format="matrix") == {(0, 1): 4, (1, 0): 2}


@st.composite
def symmetric_jobs(draw):
    """Jobs in which any two tasks send each other the same volume, in whole bytes."""
    tasks = draw(st.integers(2, 6))
    pairs = draw(st.sets(st.sampled_from([(u, v) for u in range(tasks) for v in range(u)]), min_size=1))
    sent = {(u, v): draw(st.integers(1, 1 << 20)) for u, v in sorted(pairs)}
    both = {**sent, **{(v, u): volume for (u, v), volume in sent.items()}}
    src, dst = zip(*both, strict=True)
    return Flows(tasks=tasks, src=src, dst=dst, volume=tuple(map(float, both.values())), unit="bytes"), both


@pytest.mark.parametrize("kind", WRITTEN)
@given(symmetric_jobs())
def test_exported_traffic_is_read_back_the_same(empty_folder, kind, drawn):
    folder = empty_folder()
    spec, sent = drawn
    writer = WRITTEN[kind]
    export = writer.write(spec.build())
    assert export.losses == ()
    assert flows_of(folder, f"job{writer.ending}", export.content) == sent
    assert Flows(file=f"job{writer.ending}").build(folder).tasks == spec.tasks


@pytest.mark.parametrize("kind", WRITTEN)
def test_weights_are_whole_multiples_of_the_reported_unit(tmp_path, kind):
    def written(**fields):
        spec = Flows(src=(0, 1, 1, 2), dst=(1, 0, 2, 2), **fields)
        export = WRITTEN[kind].write(spec.build())
        return flows_of(tmp_path, f"a{written_of('job')[kind].ending}", export.content), export.losses

    same = ("messages of tasks to themselves", "the direction of messages")
    assert written(volume=(3.0, 1.0, 4.0, 9.0)) == ({(0, 1): 2, (1, 0): 2, (1, 2): 2, (2, 1): 2}, same)
    # The sum of two volumes without a common measure is about 2^30 / 10 or more.
    flows, losses = written(volume=(1.0, 2.0, 2**0.5, 0.0), unit="MB")
    assert losses[-1] == "exact volumes (rounded; 1 stands for 1e-08 MB)"
    assert flows[0, 1] / flows[1, 2] == pytest.approx(3 / 2**0.5, rel=1e-7)


@pytest.mark.parametrize("kind", WRITTEN)
def test_quarters_of_a_unit_are_counted_and_phases_added_up(kind):
    halo = Halo(rows=3, cols=3).build()
    assert WRITTEN[kind].write(halo).losses == ("the unit of volumes (1 stands for 0.25 unit)",)
    steps = AllToAll(tasks=4, algorithm="pairwise").build()
    content, losses = WRITTEN[kind].write(steps)
    assert losses[0] == "the times of messages (3 phases are added up)"
    everyone = {"metis-graph": "4 6 001", "scotch-graph": "0\n4 12\n0 010"}
    assert content.startswith(everyone[kind])


def test_lists_of_too_many_flows_are_refused(monkeypatch):
    monkeypatch.setattr(edges, "MAX_FLOWS", 30)
    with pytest.raises(SpecError, match="job: has more than 30 flows, the limit for exports"):
        WRITTEN["metis-graph"].write(Halo(rows=3, cols=3).build())


@pytest.mark.parametrize(
    ("kind", "command", "words"),
    [("scotch-graph", "gtst", "S\tVertex\tnbr=9"), ("metis-graph", "graphchk", "The format of the graph is correct!")],
)
def test_the_tools_accept_exported_files(tmp_path, kind, command, words):
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")
    (tmp_path / "job").write_text(WRITTEN[kind].write(Halo(rows=3, cols=3).build()).content)
    done = subprocess.run([command, "job"], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert words in done.stdout


LIBRARY = """
class Named:
    def __init__(self, **given): self.__dict__.update(given)
class GroupType: COMM_LOCATIONS, COMM_GROUP = "locations", "group"
class MpiSend(Named): pass
class MpiIsend(Named): pass
class MpiCollectiveEnd(Named): pass
places = [Named(group=f"process {rank}") for rank in range(3)]
world = Named(group=Named(members=tuple(places)))
pair = Named(group=Named(members=(places[2], places[1])))
thread = Named(group="process 0")
events = [
    (places[0], MpiSend(communicator=world, receiver=1, msg_length=2000)),
    (thread, MpiIsend(communicator=world, receiver=1, msg_length=1000)),
    (places[0], MpiSend(communicator=world, receiver=2, msg_length=500)),
    (places[1], MpiSend(communicator=world, receiver=0, msg_length=20)),
    (places[2], MpiSend(communicator=pair, receiver=1, msg_length=7)),
    (places[2], MpiCollectiveEnd()), (places[1], MpiCollectiveEnd()),
    (places[2], MpiSend(communicator=Named(group_a=1), receiver=0, msg_length=99)),
]
groups = [Named(group_type="group"), Named(group_type="locations", members=tuple(places))]
class Trace(Named):
    def __enter__(self): return self
    def __exit__(self, *error): pass
def open(path):
    if path.endswith("torn.otf2"): raise OSError("torn")
    return Trace(definitions=Named(groups=groups if "empty" not in path else []), events=events)
"""
"""Stands in for the library otf2: every file it reads is a trace of SENT."""


@pytest.fixture
def traces(tmp_path, monkeypatch):
    """A folder for traces, with a library that reads them."""
    library, folder = tmp_path / "library", tmp_path / "traces"
    (library / "otf2").mkdir(parents=True)
    (library / "otf2" / "__init__.py").write_text("from otf2 import enums, events, reader\n")
    (library / "otf2" / "reader.py").write_text(LIBRARY)
    for name, has in (("enums", "GroupType"), ("events", "MpiSend, MpiIsend, MpiCollectiveEnd")):
        (library / "otf2" / f"{name}.py").write_text(f"from otf2.reader import {has}\n")
    monkeypatch.setenv("PYTHONPATH", str(library))
    monkeypatch.syspath_prepend(library)

    def trace(name):
        (folder / name).mkdir(parents=True)
        (folder / f"{name}.def").touch()
        (folder / f"{name}.otf2").write_bytes(b"\x03BOTF2\0")
        return Flows(file=f"{name}.otf2", unit="bytes").build(folder)

    return trace


def test_traces_count_messages_to_ranks_of_communicators(traces):
    job = traces("traces")
    sent_flows = job.phases[0].flows
    sent = zip(sent_flows.src.tolist(), sent_flows.dst.tolist(), np.rint(sent_flows.volume * 1e9).tolist(), strict=True)
    assert {(src, dst): volume for src, dst, volume in sent if volume} == SENT
    assert job.tasks == 3
    assert job.warnings == (
        "2 collective operations ignored, since OTF2 does not record their messages between ranks",
        "1 message ignored, sent between two communicators or outside MPI ranks",
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [("torn", "cannot be read by the otf2 library; the trace is incomplete or damaged"), ("empty", "has no MPI ranks")],
)
def test_invalid_traces_are_refused(traces, name, words):
    with pytest.raises(SpecError, match=rf"job.file: {name}\.otf2: {words}"):
        traces(name)


def test_a_trace_needs_all_its_files_and_the_library(traces, tmp_path, monkeypatch):
    traces("traces")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    message = re.escape(
        "job.file: traces.otf2: requires the package otf2; run pip install 'fabriscope[otf2]' or pip install otf2"
    )
    with pytest.raises(SpecError, match=message):
        Flows(file="traces.otf2").build(tmp_path / "traces")
    (tmp_path / "traces" / "traces.def").unlink()
    with pytest.raises(
        SpecError, match=r"needs traces\.def and the folder traces in its folder; copy the complete trace"
    ):
        Flows(file="traces.otf2").build(tmp_path / "traces")


def test_bytes_read_in_another_unit_are_reported(tmp_path):
    (tmp_path / "job.goal").write_text(GOAL)
    for unit in ("auto", "bytes"):
        job = Flows(file="job.goal", unit=unit).build(tmp_path)
        assert (job.measure.singular, job.warnings) == ("byte", ())
    assert Flows(file="job.goal", unit="MB").build(tmp_path).warnings == (
        "'job.goal' counts bytes; 1 is taken as 1 MB",
    )


REFUSED = [
    ("mon.0.prof", "# POINT TO POINT\nE\t0\t1\t100 bytes\n", 'line 2: missing "N msgs sent"'),
    ("mon.1.prof", "# POINT TO POINT\nE\t2\t1\t100 bytes\t1 msgs sent\n", "line 2: sender 2 in the file of rank 1"),
    ("x.prof", "# POINT TO POINT\n", "has no E, I, S or R line; run with pml_monitoring_enable"),
    (
        "x.prof",
        "E\t3\t1\t100 bytes\t1 msgs sent\n",
        "has only lines of rank 3, and no rank in its name; "
        "choose one of the files mon.0.prof, mon.1.prof, ..., or the output of all ranks",
    ),
    ("out.txt", "E\t0\t1\t9 bytes\t1 msgs sent\nE\t1\t0\t9 bytes\n", 'line 2: missing "N msgs sent"'),
    ("map_data.txt", "# region irank\nmain 1 0 100 60\n", "line 2: 5 fields; the heading has 8"),
    (
        "map_data.txt",
        "# region irank\nmain 1 0 100 60 50 1 1\n",
        "line 2: data_tx + data_rx is 110, but data_tot is 100",
    ),
    ("a.grf", "1\n2 2\n0 000\n1 1\n1 0\n", "has version 1; only version 0 is supported"),
    ("a.grf", "0\n3 5\n0 000\n1 1\n2 0 2\n1 1\n", "declares 5 arcs, but has 4"),
    ("a.grf", "0\n3 4\n0 000\n1 1\n1 2\n2 0 1\n", "arc 0 to 1 has no opposite arc"),
    ("a.grf", "0\n2 4\n0 000\n2 0 1\n2 1 0\n", "vertex 0 has an arc to itself"),
    ("a.grf", "0\n2 2\n0 000\n1 1\n", "ends within the line of vertex 1"),
    ("a.graph", "2 1 1\n2 5\n1 6\n", "edge 1-2 has weight 5 on line 2, but 6 on line 3"),
    ("a.goal", "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n", "line 4: rank 0 is not closed with }"),
    ("a.goal", "num_ranks 2\nrank 0 {\nsend 8b to 2\n}\n", "line 3: no rank 2; ranks are 0 to 1"),
    ("a.goal", "num_ranks 2\nrank 0 {\nsend 8 to 1\n}\n", "line 3: write the size as 8b"),
    ("a.goal", "num_ranks 2\nrank 0 {\nl1: calc 3\nl2 requires l9\n}\n", "line 4: unknown label l9"),
]


@pytest.mark.parametrize(("name", "text", "words"), REFUSED, ids=range(len(REFUSED)))
def test_errors_are_reported_with_their_place(tmp_path, name, text, words):
    with pytest.raises(SpecError) as refused:
        flows_of(tmp_path, name, text)
    assert refused.value.field == "job.file"
    assert name in refused.value.message
    assert refused.value.message.endswith(words)


@pytest.mark.parametrize("form", [form for form in read_of("job") if form != "matrix"])
@given(st.binary(max_size=40), st.sampled_from([profile(0), tau(0), IPM, GOAL, "3 2 001\n2 1"]), st.integers(0, 200))
def test_hostile_files_are_refused_in_one_line(empty_folder, form, noise, text, at):
    folder = empty_folder()
    (folder / "profile.0.0.0").write_bytes(text.encode()[:at] + noise + text.encode()[at:])
    try:
        Flows(file="profile.0.0.0", format=form).build(folder)
    except SpecError as error:
        assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_the_samples_of_all_tools_are_read():
    for name, figures in json.loads((SAMPLES / "expected.json").read_text())["traffic"].items():
        path = SAMPLES / name
        if path.suffix == ".otf2" and find_spec("otf2") is None:
            continue
        job = Flows(file=path.name, unit="bytes").build(path.parent)
        flows = job.phases[0].flows
        volumes = {(int(u), int(v)): w * 1e9 for u, v, w in zip(flows.src, flows.dst, flows.volume, strict=True) if w}
        assert (job.tasks, len(volumes)) == (figures["tasks"], figures["flows"]), name
        assert sum(volumes.values()) == pytest.approx(figures["volume"])
        for u, v, volume in figures["some"]:
            assert volumes[u, v] == pytest.approx(volume)


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_malformed_samples_are_refused_as_expected():
    expected = json.loads((SAMPLES / "bad" / "errors.json").read_text())
    kinds = r"(otf2/|mon\.|prof-|metis-|scotch-(arcs|oneway|old|loop)|map_data-|tau|goal-).*"
    refused = {name: words for name, words in expected.items() if re.fullmatch(kinds, name)}
    assert len(refused) == 21
    for name, words in refused.items():
        path = SAMPLES / "bad" / name
        assert form_of(path, path.read_bytes()) is not None, name
        with pytest.raises(SpecError) as refusal:
            Flows(file=path.name).build(path.parent)
        assert refusal.value.message.startswith(path.name)
        assert facts(words) <= facts(refusal.value.message.removeprefix(name)), name


@pytest.mark.parametrize(
    ("receives", "warning"),
    [
        ("", ""),
        ("recv 8b from 0\nrecv 4b from 0", ""),
        ("recv 4b from -1\nrecv 8b from 0", ""),
        ("recv 8b from -1\nrecv 4b from -1", ""),
        ("recv 8b from 0", "line 4: rank 0 sends 4b to 1 more often than received; only sends are counted"),
        ("recv 4b from -1", "line 3: rank 0 sends 8b to 1 more often than received; only sends are counted"),
        ("recv 9b from 0", "line 7: rank 1 receives 9b from 0 more often than sent; only sends are counted"),
        (
            "recv 8b from 0\nrecv 4b from 0\nrecv 4b from -1",
            "line 9: rank 1 receives 4b from any rank more often than sent; only sends are counted",
        ),
    ],
)
def test_unmatched_receives_of_a_schedule_give_a_warning(tmp_path, receives, warning):
    text = f"num_ranks 2\nrank 0 {{\nsend 8b to 1\nsend 4b to 1\n}}\nrank 1 {{\n{receives}\n}}\n"
    assert flows_of(tmp_path, "a.goal", text) == {(0, 1): 12}
    assert Flows(file="a.goal").build(tmp_path).warnings == ((warning,) if warning else ())


@pytest.mark.parametrize(
    ("name", "singular"),
    [("volume", "GB"), ("weight", "GB"), ("size", "GB"), ("bytes", "byte"), ("Bytes", "byte"), ("messages", "message")],
)
def test_a_column_gives_its_unit(tmp_path, name, singular):
    (tmp_path / "m.csv").write_text(f"dst,src,{name}\n0,1,5\n")
    job = Flows(file="m.csv").build(tmp_path)
    assumed = (f"'m.csv' {NO_UNIT}",) * (singular == "GB")
    assert (job.measure.singular, job.warnings) == (singular, assumed)
    assert job.measure.converted(job.volume) == 5
    job = Flows(file="m.csv", unit="MB").build(tmp_path)
    is_unit = name.lower() in ("bytes", "messages")
    assert (job.measure.singular, job.warnings) == (
        "MB",
        (f"'m.csv' counts {name.lower()}; 1 is taken as 1 MB",) * is_unit,
    )


def test_a_matrix_counts_gigabytes_unless_a_unit_is_given(tmp_path):
    (tmp_path / "m.txt").write_text("0 1\n1 0\n")
    assert Flows(file="m.txt").build(tmp_path).measure.singular == "GB"
    assert Flows(file="m.txt", unit="MB").build(tmp_path).measure.singular == "MB"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.txt", b"0 1\n1 0\n"),
        ("m.csv", b"src,dst,volume\n0,1,5\n"),
        ("m.mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n"),
        ("m.graph", b"2 1 001\n2 5\n1 5\n"),
        ("m.npy", None),
    ],
)
def test_a_unit_that_is_assumed_is_noted(tmp_path, name, content):
    if content is None:
        np.save(tmp_path / name, np.eye(2)[::-1])
    else:
        (tmp_path / name).write_bytes(content)
    note = f"{name!r} {NO_UNIT}"
    assert note in Flows(file=name).build(tmp_path).warnings
    assert Sequence(parts=(Flows(file=name),)).build(tmp_path).warnings.count(note) == 1
    assert Flows(file=name).volumes_without_unit(tmp_path).size > 0
    for unit in ("bytes", "GB", "messages"):
        spec = Flows(file=name, unit=unit)
        assert (spec.build(tmp_path).warnings, spec.volumes_without_unit(tmp_path).size) == ((), 0)


def test_a_file_that_counts_bytes_needs_no_unit(tmp_path):
    (tmp_path / "m.csv").write_text("src,dst,bytes\n0,1,5\n")
    job = Flows(file="m.csv")
    assert (job.build(tmp_path).warnings, job.volumes_without_unit(tmp_path).size) == ((), 0)
    listed = Flows(src=(0,), dst=(1,), volume=(5.0,))
    assert (listed.build().warnings, listed.volumes_without_unit().size) == ((), 0)


def trace_of_two(folder, form, *, linked):
    """A trace whose second file lies elsewhere; `linked` is whether it may be read."""
    file_name, text = {"monitoring": ("mon.{}.prof", profile), "tau": ("profile.{}.0.0", tau)}[form]
    inside, outside = folder / "scenario", folder / "elsewhere"
    for place in (inside / "deeper", outside):
        place.mkdir(parents=True)
    home = inside / "deeper" if linked else outside
    (inside / file_name.format(0)).write_text(text(0))
    (home / file_name.format(1)).write_text(text(1))
    (inside / file_name.format(1)).symlink_to(home / file_name.format(1))
    return inside, file_name.format(0), file_name.format(1)


@pytest.mark.parametrize("form", [form.id for form in FORMATS if form.by_rank])
def test_files_of_other_ranks_must_be_in_the_scenarios_folder(tmp_path, form):
    inside, first, second = trace_of_two(tmp_path / "a", form, linked=False)
    with pytest.raises(SpecError, match=f"'{second}' is outside the scenario's folder"):
        Flows(file=first).build(inside)
    assert Flows(file=str(inside / first)).build(None)  # a path that the user has chosen
    inside, first, _ = trace_of_two(tmp_path / "b", form, linked=True)
    assert Flows(file=first).build(inside)


@pytest.mark.parametrize("form", [form.id for form in FORMATS if form.by_rank])
def test_files_of_other_ranks_have_the_same_size_limit(tmp_path, form):
    inside, first, second = trace_of_two(tmp_path, form, linked=True)
    with (inside / "deeper" / second).open("r+b") as file:
        file.truncate(MAX_BYTES + 1)  # sparse
    for name, folder in ((first, inside), (str(inside / first), None)):
        with pytest.raises(SpecError, match=f"{second}' has 256 MiB; the limit is 256 MiB"):
            Flows(file=name).build(folder)


@pytest.mark.parametrize("form", [form.id for form in FORMATS if form.by_rank])
def test_a_missing_file_ends_the_files_of_the_ranks(tmp_path, form):
    inside, first, second = trace_of_two(tmp_path, form, linked=True)
    tasks = Flows(file=first).build(inside).tasks
    (inside / second).unlink()
    (inside / second).mkdir()
    assert Flows(file=first).build(inside).tasks <= tasks
    (inside / second).rmdir()
    os.mkfifo(inside / second)
    assert Flows(file=first).build(inside).tasks <= tasks


def test_arcs_of_scotch_lead_to_labels_if_vertices_have_labels(tmp_path):
    # Labels 2, 0, 1 for vertices 0, 1, 2: the edge 2-0 of load 6 joins vertices 0 and 1.
    (tmp_path / "g.grf").write_text("0\n3 4\n0 110\n2 1 6 0\n0 2 6 2 4 1\n1 1 4 0\n")
    job = Flows(file="g.grf", format="scotch-graph").build(tmp_path)
    block = next(iter(job.phases[0].blocks()))[1]
    flows = zip(block.src.tolist(), block.dst.tolist(), block.volume.tolist(), strict=True)
    assert sorted(flows) == [(0, 1, 3.0), (1, 0, 3.0), (1, 2, 2.0), (2, 1, 2.0)]
    assert LABELLED.format("2, 0, 1") in job.warnings


@pytest.mark.skipif(shutil.which("gcv") is None, reason="Scotch is not installed")
@pytest.mark.parametrize("seed", range(3))
def test_scotch_reads_labelled_graphs_alike(tmp_path, seed):
    draw, count = np.random.default_rng(seed), 7
    labels = draw.permutation(count)
    pairs = [(u, v) for u in range(count) for v in range(u) if v == u - 1 or draw.random() < 0.4]
    ends = {u: [v for pair in pairs if u in pair for v in pair if v != u] for u in range(count)}
    lines = [f"{labels[u]} {len(ends[u])} {' '.join(str(labels[v]) for v in ends[u])}\n" for u in range(count)]
    (tmp_path / "g.grf").write_text(f"0\n{count} {2 * len(pairs)}\n0 100\n{''.join(lines)}")
    job = Flows(file="g.grf").build(tmp_path)
    block = job.phases[0].flows
    assert {(u, v) for u, v in zip(block.src.tolist(), block.dst.tolist(), strict=True) if u > v} == set(pairs)
    # gcv checks the graph, and writes its edges by label, from 1.
    command = ["gcv", "-is", "-om", str(tmp_path / "g.grf"), "-"]
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[3:]
    edges_of_scotch = {frozenset(int(word) - 1 for word in row.split()) for row in rows}
    edges_by_label = {frozenset((int(labels[u]), int(labels[v]))) for u, v in pairs}
    assert {edge for edge in edges_of_scotch if len(edge) == 2} == edges_by_label


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("0\n2 2\n0 100\n5 1 7\n7 1 6\n", "vertex 7 has an arc to 6; no vertex has this label"),
        ("0\n2 2\n0 100\n5 1 5\n7 1 5\n", "vertex 5 has an arc to itself"),
        ("0\n2 2\n0 100\n5 1 5\n5 1 5\n", "has two vertices with the same label"),
    ],
)
def test_unknown_labels_of_scotch_are_refused(tmp_path, text, what):
    (tmp_path / "g.grf").write_text(text)
    with pytest.raises(SpecError, match=what):
        Flows(file="g.grf", format="scotch-graph").build(tmp_path)
