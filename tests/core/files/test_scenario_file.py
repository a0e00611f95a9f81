"""Scenario files: round trips, refusals that name the field, and a fuzz test that finds no other error."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files import decode, encode, read_network, read_scenario, write_scenario
from core.job import AllToAll, Flows, Halo, Permutation, Transpose
from core.load.evaluate import evaluate
from core.load.neighbours import Neighbour
from core.load.scenario import CHOICES, Scenario, Snapshot
from core.load.snapshots import with_snapshot
from core.mapping import Blocks, Explicit, ModColour, Random, RowOrColumn, Sequential
from core.network import LinkFault, Mesh, NodeFault, Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from core.spec import SpecError

GOOD: dict[str, Any] = {
    "fabriscope": 1,
    "network": {"type": "percs", "supernodes": 32, "d_links": 4, "ll_gbs": 21, "lr_gbs": 5, "d_gbs": 10},
    "job": {"type": "halo", "rows": 64, "cols": 64, "periodic": True},
    "mapping": {"type": "mod-colour"},
    "routing": {"type": "percs-direct", "intra": "striped"},
    "note": "free text",
}

SCENARIOS = (
    Scenario(Percs(), Halo(), ModColour(), PercsDirect(), note="two\nlines"),
    Scenario(
        Percs(supernodes=5, d_links=32), Transpose(rows=4, cols=8), RowOrColumn(), PercsIndirect(intra="single-hop")
    ),
    Scenario(Torus(dims=(4, 3), wrap=(True, False)), AllToAll(tasks=12), Random(seed=7), Adaptive(model="hop-local")),
    Scenario(Mesh(dims=(3, 2)), Permutation(tasks=3, targets=(2, 0, 1)), Explicit(slots=(5, 0, 3)), DimensionOrder()),
    Scenario(
        Torus(dims=(8,)), Flows(src=(0, 1), dst=(1, 2), volume=(0.5, 3.0), tasks=4, scale=2.0), Sequential(), Adaptive()
    ),
    Scenario(Percs(), Halo(), Blocks(rows=4, cols=8, order="random", seed=3), PercsDirect()),
)
SLOTS: dict[str, Any] = {"type": "explicit", "slots": [0, -1]}


def kept(name: str, **choices: Any) -> dict[str, Any]:
    """Return a snapshot as in a file."""
    return {"name": name, **{key: GOOD[key] for key in CHOICES}, **choices}


def beside(**fields: Any) -> dict[str, Any]:
    """Return a background job as in a file."""
    return {"job": {"type": "halo", "rows": 2, "cols": 2}, "mapping": {"type": "sequential"}, **fields}


def changed(path: str, value: Any) -> bytes:
    """Return the good file with one value replaced."""
    content = copy.deepcopy(GOOD)
    *sections, name = path.split(".")
    place = content
    for section in sections:
        place = place[section]
    place[name] = value
    return json.dumps(content).encode()


def test_reads_the_file_of_the_format_description():
    scenario = decode(json.dumps(GOOD).encode())
    assert scenario == Scenario(Percs(), Halo(), ModColour(), PercsDirect(), note="free text")
    assert evaluate(scenario.build()).throughput_gbs == pytest.approx(64)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: f"{s.network.tag()}-{s.job.tag()}-{s.mapping.tag()}")
def test_written_scenarios_read_back_the_same(scenario, tmp_path):
    path = tmp_path / "a.fabriscope.json"
    write_scenario(path, scenario)
    back = read_scenario(path)
    assert (back.network, back.job, back.mapping, back.routing, back.note) == (
        scenario.network, scenario.job, scenario.mapping, scenario.routing, scenario.note,
    )  # fmt: skip
    assert encode(back) == encode(scenario)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_background_jobs_are_written_with_their_choices_if_there_are_any():
    neighbour = Neighbour(name="B", job=Halo(2, 2), mapping=Explicit(slots=[9, 8, 7, 6]), allocation="n[6-9]")
    scenario = replace(SCENARIOS[2], neighbours=(neighbour, Neighbour(job=AllToAll(tasks=2), mapping=Sequential())))
    content = json.loads(encode(with_snapshot(scenario, "a")))
    assert list(content["neighbours"][0]) == ["name", "job", "mapping", "allocation"]
    assert list(content["neighbours"][1]) == ["job", "mapping"]
    assert content["snapshots"][0]["neighbours"] == content["neighbours"]
    assert decode(encode(scenario)) == scenario
    assert b"neighbours" not in encode(SCENARIOS[2])
    assert b"job_name" not in encode(SCENARIOS[2])


def test_a_byte_order_mark_is_ignored(tmp_path):
    path = tmp_path / "windows.fabriscope.json"
    path.write_bytes(b"\xef\xbb\xbf" + encode(SCENARIOS[0]))
    assert replace(read_scenario(path), folder=None) == SCENARIOS[0]


def test_brackets_in_texts_are_unchanged():
    scenario = replace(decode(json.dumps(GOOD).encode()), note="blocks [1,   2]\n[\n 3 ]")
    for kept in (scenario, with_snapshot(scenario, "at [4,  4]")):
        assert (decode(encode(kept)).note, decode(encode(kept)).snapshots) == (kept.note, kept.snapshots)


def test_snapshots_are_written_last_and_read_back_the_same(tmp_path):
    scenario = with_snapshot(SCENARIOS[0], "as it was")
    scenario = replace(scenario, mapping=Explicit(range(4096)), faults=(NodeFault(3), LinkFault(0, 1, speed=0.5)))
    scenario = replace(with_snapshot(scenario, "drawn, 64.0 GB/s per node"), faults=(NodeFault(7),))
    path = tmp_path / "a.fabriscope.json"
    write_scenario(path, scenario)
    assert read_scenario(path) == replace(scenario, folder=tmp_path)
    content = json.loads(path.read_bytes())
    assert list(content)[-2:] == ["note", "snapshots"]
    assert [list(snapshot) for snapshot in content["snapshots"]] == [["name", *CHOICES], ["name", *CHOICES, "faults"]]
    assert b"snapshots" not in encode(SCENARIOS[0])


def test_equal_choices_of_snapshots_are_stored_once():
    drawn = SCENARIOS[0].with_choice("mapping", Explicit(range(4096)))
    scenario = with_snapshot(with_snapshot(drawn, "a").with_choice("routing", PercsIndirect()), "b")
    back = decode(encode(scenario))
    first, second = back.snapshots
    assert first.kept.mapping.slots.array is second.kept.mapping.slots.array is back.mapping.slots.array


def test_files_that_are_too_large_to_read_are_not_written(tmp_path, monkeypatch):
    path = tmp_path / "a.fabriscope.json"
    write_scenario(path, SCENARIOS[0])
    monkeypatch.setattr("core.files.scenario_file.MAX_BYTES", 1 << 20)
    huge = with_snapshot(SCENARIOS[0].with_choice("mapping", Explicit(range(200_000))), "huge")
    with pytest.raises(SpecError, match="larger than 1 MiB; delete some of its snapshots"):
        write_scenario(path, huge)
    assert read_scenario(path) == replace(SCENARIOS[0], folder=tmp_path)


def test_defaults_need_not_be_written():
    content = {
        "fabriscope": 1, "network": {"type": "percs"}, "job": {"type": "halo"}, "mapping": {"type": "sequential"},
        "routing": {"type": "percs-direct"},
    }  # fmt: skip
    assert decode(json.dumps(content).encode()).network == Percs()


REFUSALS = (
    # changed field, its value, field that must be named, words that the message must have
    ("network.supernodes", "x", "network.supernodes", "a whole number from 1 to 4,096"),
    ("network.supernodes", 10**9, "network.supernodes", "4096"),
    ("network.supernodes", 10**40, "network.supernodes", "4096"),
    ("network.supernodes", 4000, "network.supernodes", "must be at most 10,000,000"),
    ("network.supernodes", 2.5, "network.supernodes", "whole number"),
    ("network.d_links", 3, "network.d_links", "must divide the 32 nodes of a supernode; give one of 1, 2"),
    ("network.ll_gbs", 0, "network.ll_gbs", "GB/s"),
    ("network.ll_gbs", -3.0, "network.ll_gbs", "GB/s"),
    ("network.type", "percz", "network.type", "did you mean percs"),
    ("network.type", 5, "network.type", "percs, torus, mesh"),
    ("network.colour", 5, "network.colour", "fields: type, supernodes"),
    ("network", 5, "network", "percs, torus, mesh"),
    ("network", {}, "network.type", "is missing"),
    ("network", {"type": "torus", "dims": []}, "network.dims", "X, Y, Z"),
    ("network", {"type": "torus", "dims": [1]}, "network.dims", "single node"),
    ("network", {"type": "torus", "dims": [65536] * 8}, "network.dims", "must be at most 10,000,000"),
    ("network", {"type": "torus", "dims": [4, 4], "wrap": [True]}, "network.wrap", "give one per dimension"),
    ("job.rows", -1, "job.rows", "from 1"),
    ("job", {"type": "halo", "rows": 1 << 20, "cols": 1 << 20}, "job.rows", "the limit is"),
    ("job", {"type": "all-to-all", "tasks": 1 << 21}, "mapping", "do not fit"),
    ("job", {"type": "permutation", "tasks": 3, "targets": [0, 0, 1]}, "job.targets", "twice"),
    ("job", {"type": "permutation", "tasks": 3, "targets": [0, 1]}, "job.targets", "one target per task"),
    ("job", {"type": "permutation", "tasks": 3, "targets": [0, 1, 3]}, "job.targets", "0 to 2"),
    ("job", {"type": "flows"}, "job.file", "choose a file in the scenario's folder"),
    ("job", {"type": "flows", "src": [0], "dst": [1], "volume": [-1]}, "job.volume[0]", ">= 0"),
    ("job", {"type": "flows", "src": [0], "dst": [1, 2], "volume": [1]}, "job.volume", "equal length"),
    ("job", {"type": "flows", "src": [0, 1], "dst": [1, 0], "volume": [1e308, 1e308]}, "job.volume", "exceeds"),
    ("job", {"type": "flows", "src": [0], "dst": [9], "volume": [1], "tasks": 4}, "job.src", "0 to 3"),
    ("job", {"type": "flows", "file": "../secret.csv"}, "job.file", "copy it there"),
    ("job", {"type": "flows", "file": "a\u0000b.csv"}, "job.file", ""),
    ("job", {"type": "flows", "file": "x" * 5000}, "job.file", ""),
    ("mapping", {"type": "explicit"}, "mapping.slots", "is missing"),
    ("mapping", {"type": "explicit", "slots": [0] * 4096}, "mapping.slots", "both in slot 0"),
    ("mapping", {"type": "explicit", "slots": [0, 1]}, "mapping.slots", "one slot per task"),
    ("mapping", {"type": "explicit", "slots": [*range(4095), 1 << 30]}, "mapping.slots", "0 to 4,095"),
    ("mapping", {"type": "explicit", "slots": [0, "x"]}, "mapping.slots[1]", "expected int, got str; slot of"),
    ("mapping", {"type": "explicit", "slots": [0, 1.5]}, "mapping.slots[1]", "expected int, got float"),
    ("mapping", {"type": "explicit", "slots": [0, 2.0]}, "mapping.slots[1]", "expected int, got float"),
    ("mapping", {"type": "explicit", "slots": [True]}, "mapping.slots[0]", "expected int, got bool"),
    ("mapping", {"type": "explicit", "slots": [0, 7, -1]}, "mapping.slots[2]", "expected int >= 0; slot of each task"),
    ("mapping", {"type": "explicit", "slots": [1 << 31]}, "mapping.slots[0]", "expected int <= 2147483647"),
    ("mapping", {"type": "explicit", "slots": [10**40]}, "mapping.slots[0]", "expected int <= 2147483647"),
    ("mapping", {"type": "explicit", "slots": 5}, "mapping.slots", "expected array, got int; slot of each task"),
    ("mapping", {"type": "explicit", "slots": []}, "mapping.slots", "has 0 slots for 4,096 tasks"),
    ("mapping", {"type": "mod-color"}, "mapping.type", "did you mean mod-colour"),
    ("mapping", {"type": "blocks", "rows": 3, "cols": 8}, "mapping.rows", "try blocks of"),
    ("faults", {}, "faults", "give a list of objects with a type; types: link, node, bundle"),
    ("faults", [5], "faults[0]", "give an object with a type; types: link, node, bundle"),
    ("faults", [{"type": "node", "node": 3}, {"type": "nod"}], "faults[1].type", "did you mean node"),
    ("faults", [{"type": "link", "src": 0}], "faults[0].dst", "is missing; number or name of the vertex that the link"),
    ("faults", [{"type": "link", "src": -1, "dst": 1}], "faults[0].src", "vertex that the link leaves"),
    ("faults", [{"type": "link", "source": 1}], "faults[0].source", "fields: type, src, dst"),
    ("snapshots", [kept("a", faults=[{"type": "x"}])], "snapshots[0].faults[0].type", "types: link, node, bundle"),
    ("snapshots", {}, "snapshots", "expected array"),
    ("snapshots", [5], "snapshots[0]", "expected object, got int; list of named states"),
    ("snapshots", [{"name": ""}], "snapshots[0].name", "length >= 1"),
    ("snapshots", [{"name": "a"}], "snapshots[0].network", "is missing; give an object with a type; types: percs"),
    ("snapshots", [kept("a"), kept("a")], "snapshots[1].name", "give each snapshot a different name"),
    ("snapshots", [kept("a"), kept("  ")], "snapshots[1].name", "is empty"),
    ("snapshots", [kept("a", note="x")], "snapshots[0].note", "fields: name, network, job, mapping, routing, timing, "),
    ("snapshots", [kept("a"), kept("b", job={"type": "halo", "rows": 0})], "snapshots[1].job.rows", "from 1"),
    ("snapshots", [kept("a", job={"type": "halo", "rums": 1})], "snapshots[0].job.rums", "fields: type, rows, cols"),
    ("snapshots", [kept("a", network={"type": "x"})], "snapshots[0].network.type", "types: percs"),
    ("snapshots", [kept("a", mapping=SLOTS)], "snapshots[0].mapping.slots[1]", "expected int >= 0; slot of each task"),
    ("neighbours", {}, "neighbours", "expected array"),
    ("neighbours", [beside(), 5], "neighbours[1]", "expected object, got int; list of background jobs"),
    ("hosts", {"file": "a", "x": 1}, "hosts.x", "fields: file"),
    ("hosts", {}, "hosts.file", "is missing; names of all hosts in order"),
    ("hosts", {"file": 5}, "hosts.file", 'got int; names of all hosts in order, such as n[0001-1024], or {"file"'),
    ("neighbours", [{"name": "B"}], "neighbours[0].job", "is missing; give an object with a type; types: halo"),
    ("neighbours", [beside(job={"type": "hallo"})], "neighbours[0].job.type", "did you mean halo"),
    ("neighbours", [beside(job={"type": "halo", "rows": 0})], "neighbours[0].job.rows", "from 1"),
    ("neighbours", [beside(routing={})], "neighbours[0].routing", "fields: name, job, mapping, allocation"),
    ("neighbours", [beside(mapping=SLOTS)], "neighbours[0].mapping.slots[1]", "expected int >= 0; slot of each task"),
    ("neighbours", [beside(allocation="9999")], "neighbours[0].allocation", "no node 9,999"),
    ("neighbours", [beside(allocation="n[")], "neighbours[0].allocation", ""),
    (
        "snapshots", [kept("a", neighbours=[beside(job={"type": "x"})])],
        "snapshots[0].neighbours[0].job.type", "types: halo",
    ),
    ("routing", {"type": "dimension-order"}, "routing.type", "choose minimal"),
    ("routing", [], "routing", "object"),
    ("fabriscope", 2, "fabriscope", "must be 1"),
    ("note", 5, "note", "str"),
    ("extra\nline", 5, "extra?line", "fields: fabriscope"),
)  # fmt: skip


@pytest.mark.parametrize(("path", "value", "field", "words"), REFUSALS)
def test_bad_values_are_refused_by_name(path, value, field, words, tmp_path):
    with pytest.raises(SpecError) as refused:
        decode(changed(path, value), tmp_path).build()
    assert refused.value.field == field
    assert words in refused.value.message
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"null", b"{}", b"\x00\xff\xfe", b"[" * 100_000, b'{"network":' * 50_000, b'"text"', b"NaN",
        json.dumps(GOOD).encode()[:-40], json.dumps(GOOD).replace("21", "NaN").encode(), b"\x89PNG\r\n\x1a\n",
        json.dumps(GOOD).encode("utf-16"), b"PK\x03\x04", json.dumps(GOOD).replace("32", "1e400").encode(),
    ],
    ids=range(15),
)  # fmt: skip
def test_other_content_is_refused_in_one_line(content):
    with pytest.raises(SpecError) as refused:
        decode(content)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("once", "twice", "key"),
    [
        (b'"routing"', b'"routing": {"type": "dimension-order"}, "routing"', "routing"),
        (b'"dims"', b'"dims": [9, 9, 9], "dims"', "dims"),
    ],
)
def test_repeated_keys_are_refused(once, twice, key):
    content = encode(Scenario(Torus((4, 4, 4)), AllToAll(8), Sequential(), DimensionOrder()))
    assert decode(content).network.dims == (4, 4, 4)
    with pytest.raises(SpecError, match=rf"file: the key '{key}' occurs twice in one object; remove one of them"):
        decode(content.replace(once, twice, 1))


def test_numbers_may_have_thousands_of_digits():
    content = encode(Scenario(Torus((4, 4, 4), gbs=1.0), AllToAll(8), Sequential(), DimensionOrder()))
    assert decode(content.replace(b"1.0", b"1." + 5000 * b"0")).network.gbs == 1.0


def test_files_that_cannot_be_read_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none.fabriscope.json", tmp_path / ("x" * 400)):
        with pytest.raises(SpecError) as refused:
            read_scenario(path)
        assert refused.value.field == "file"


@given(st.data())
def test_fuzzed_bytes_are_read_or_refused_and_nothing_else(data):
    content = bytearray(json.dumps(GOOD).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(("flip", "cut", "copy")))
        if kind == "flip":
            content[place] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del content[place : place + data.draw(st.integers(1, 20))]
        else:
            content[place:place] = content[place : place + 30]
        if not content:
            break
    read_or_refused(bytes(content))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@given(
    st.sampled_from((*CHOICES, "snapshots", "neighbours")),
    st.sampled_from(("type", "rows", "supernodes", "intra", "x", "name", "job")),
    JSON,
)
def test_fuzzed_values_are_read_or_refused_and_nothing_else(section, field, value):
    content = copy.deepcopy(GOOD)
    content |= {"snapshots": [kept("a")], "neighbours": [beside()]}
    place = content[section][0] if section in ("snapshots", "neighbours") else content[section]
    place[field] = value
    read_or_refused(json.dumps(content).encode())


def read_or_refused(content: bytes) -> None:
    """Read and build, or be refused in one line; any other error fails the test."""
    refused = None
    try:
        scenario = decode(content)
        if getattr(scenario.network, "supernodes", 0) <= 64:
            scenario.build()
    except SpecError as error:
        refused = error
    assert refused is None or (refused.field and "\n" not in str(refused))


def naming(file, snapshot=False):
    """A scenario whose job, or the job of a snapshot, is in a file."""
    traced = Scenario(Torus((4, 4)), Flows(tasks=16, file=file), Sequential(), DimensionOrder())
    if not snapshot:
        return traced
    plain = replace(traced, job=Permutation(16))
    return replace(plain, snapshots=(Snapshot("kept", traced),))


@pytest.mark.parametrize("snapshot", [False, True])
@pytest.mark.parametrize("file", ["/etc/passwd", "C:\\\\data\\\\a.csv"])
def test_absolute_paths_in_a_file_are_refused(tmp_path, file, snapshot):
    content = encode(naming("trace.csv", snapshot)).replace(b"trace.csv", file.encode())
    with pytest.raises(SpecError, match="is outside the scenario's folder; copy it there") as refusal:
        decode(content, tmp_path)
    assert refusal.value.field == ("snapshots[0].job.file" if snapshot else "job.file")
    decode(content, tmp_path, own=True)
    path = tmp_path / "a.fabriscope.json"
    path.write_bytes(content)
    with pytest.raises(SpecError, match="outside"):
        read_scenario(path)
    assert read_scenario(path, own=True)


@pytest.mark.parametrize("snapshot", [False, True])
def test_an_absolute_path_is_saved_as_a_relative_path_or_refused(tmp_path, snapshot):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        (folder / "data").mkdir(parents=True)
    scenario, path = naming(str(here / "data" / "t.csv"), snapshot), here / "a.fabriscope.json"
    write_scenario(path, scenario)
    assert replace(read_scenario(path), folder=None) == naming("data/t.csv", snapshot)
    with pytest.raises(SpecError, match="; copy it there and choose the copy") as refusal:
        write_scenario(there / "a.fabriscope.json", scenario)
    assert refusal.value.field == ("snapshots[0].job.file" if snapshot else "job.file")
    assert not (there / "a.fabriscope.json").exists()
    write_scenario(there / "a.fabriscope.json", scenario, own=True)
    assert replace(read_scenario(there / "a.fabriscope.json", own=True), folder=None) == scenario


def test_absolute_paths_of_networks_are_refused(tmp_path):
    path = tmp_path / "a.fabriscope.json"
    path.write_text('{"fabriscope": 1, "network": {"type": "edges", "file": "/etc/passwd"}}')
    with pytest.raises(SpecError, match="is outside"):
        read_network(path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\x1f\x8b\x08", "compressed with gzip (decompress it first)"),
        (b"<graphml>", "a GraphML graph"),
        (b"\x93NUMPY", "a NumPy array (.npy)"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_its_kind(content, kind):
    with pytest.raises(SpecError) as refusal:
        decode(content)
    assert str(refusal.value) == f"file: is not a valid scenario: it is {kind}"


PARTS = '{"type": "sequence", "parts": [{"type": "halo"}, {"type": "flows", "file": %s}]}'


@pytest.mark.parametrize("name", ["/etc/passwd", "C:\\traffic.csv"])
def test_a_part_with_a_file_outside_the_folder_is_refused(name):
    job = json.loads(PARTS % json.dumps(name))
    with pytest.raises(SpecError) as refused:
        decode(json.dumps(GOOD | {"job": job}).encode(), Path("/tmp"))
    assert refused.value.field == "job.parts[1].file"
    assert "is outside the scenario's folder" in refused.value.message


def test_a_part_refers_to_a_file_in_the_scenarios_folder(tmp_path):
    (tmp_path / "t.csv").write_text("0,1,2.5\n")
    job = json.loads(PARTS % json.dumps(str(tmp_path / "t.csv")))
    scenario = decode(json.dumps(GOOD | {"job": job}).encode(), tmp_path, own=True)
    path = tmp_path / "a.fabriscope.json"
    write_scenario(path, scenario)
    written = json.loads(path.read_text())["job"]["parts"]
    assert written[1] == {"type": "flows", "file": "t.csv", "format": "auto", "scale": 1.0, "unit": "auto"}
    assert written[0] == {"type": "halo", "rows": 64, "cols": 64, "periodic": True}
    assert read_scenario(path).job.parts[1].build(tmp_path).tasks == 2
    with pytest.raises(SpecError, match=r"job\.parts\[1\]\.file: .*is outside"):
        write_scenario(tmp_path / "sub" / "a.fabriscope.json", scenario)
