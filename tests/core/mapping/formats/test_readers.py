"""Mapping files of launchers: one small mapping in each format."""

# Files are written with their original lines of any length.
# ruff: noqa: E501

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures.notes import notes_of
from core.files import read_scenario, write_scenario
from core.files.scenario_file import decode, encode
from core.formats import read_of
from core.job import Broadcast, Flows
from core.load.compatibility import fitted
from core.load.scenario import Scenario
from core.mapping import FromFile
from core.mapping.allocation import Allocation
from core.mapping.formats import NAMED
from core.mapping.formats.core_sets import LOGICAL, text_of_cores
from core.mapping.formats.openmpi_hostfile import BLOCKS
from core.mapping.formats.ranks import number_in
from core.mapping.formats.slot_lists import COUNTED
from core.mapping.mapping import cores_in
from core.network import Edges, Torus
from core.network.hosts import named, with_sockets
from core.routing import DimensionOrder, Minimal
from core.spec import SpecError
from tests.core.malformed import facts

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "data" / "formats"
FOUR = named(Torus(dims=(2, 2), slots_per_node=4).build(), "n[001-004]", None)
"""Four nodes of four slots."""
FEW = SimpleNamespace(tasks=2)


def placed(folder, name, text=None, tasks=16, network=FOUR, allocation=None, **fields):
    """The slots that a file with this text defines."""
    if text is not None:
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return FromFile(file=name, **fields).build(SimpleNamespace(tasks=tasks), network, allocation, folder).slots.tolist()


TEXTS = [
    ("openmpi-rankfile", "r.txt", "# ours\nrank 1=n002 slot=1\r\nrank 0 = n001 slot = 3 // its own\r\nrank 2=n001 slot=0-2\n", [3, 5, 0]),
    ("openmpi-rankfile", "r.txt", "rank 0=n001 slot=1:0\nrank 1=n001 slot=0:1;1:1\nrank 2=+n3 slot=1,2\n", [2, 1, 13]),
    ("openmpi-rankfile", "r.txt", "rank 0=n001 slot=*\nrank 1=n001.cluster slot=0\nrank 2=n001 slot=*\n", [1, 0, 2]),
    ("openmpi-rankfile", "r.txt", "rank 0=me@n001 slot=p1\nrank 1=n001 slot=p0,3\n", [1, 0]),
    ("openmpi-rankfile", "r.txt", "rank 0=n001 slot=0-3\nrank 1=n001 slot=1\nrank 2=n001 slot=0-3\n", [0, 1, 2]),
    ("openmpi-rankfile", "r.txt", "rank 0=n001 slot=1:*\nrank 1=n001 slot=0:*;1:0\nrank 2=n001 slot=1:0,1\n", [2, 0, 3]),
    ("openmpi-sequence", "seq.txt", "n002 0-1\nn001 1,3\nn002 2,3 0 2\n", [4, 1, 6]),
    ("mpich-rank-order", "order.txt", "# grid_order\n2,0-1\n3,4\n", [1, 2, 0, 3, 4]),
    ("slurm-hostfile", "h.txt", "n002*2,n001 # two\nn002\n", [4, 5, 0, 6]),
    ("hydra-hosts", "h.txt", "n002:2 binding=map=0\nn001\nn002:1\n", [4, 5, 0, 6]),
    ("hostfile", "h.txt", "n002 slots=2 max-slots=4\nn001 max_slots=3 slots = 3\n", [4, 5, 0, 1]),
    ("hostfile", "h.txt", "n002\nn001 slots=1 // its own\nn003\n", [4, 5, 6, 7, 0, 8]),
    ("hostfile", "h.txt", "n003\nalice@n002 slots-max=2\nn003 # again\n^n001\nn001\n", [8, 9, 4, 5]),
    ("hostfile", "h.txt", "bob@n002 count=1\nn001.cluster cpu=3 max_cpu=4 port=22\n", [4, 0, 1, 2]),
    ("hostfile", "h.txt", "+n3 slots=1\n+n1 max-slots = 2\n", [12, 4, 5]),
    ("lsf-hosts", "h.txt", "# bsub -hostfile\nn002 2\nn001\nn002 1\n", [4, 5, 0, 6]),
    ("lsf-hosts", "h.txt", "n002 2 n001 1\n", [4, 5, 0]),
    ("lsf-hosts", "h.txt", "export LSB_MCPU_HOSTS='n002 2 n001 1'\n", [4, 5, 0]),
    ("lsf-hosts", "h.txt", 'LSB_HOSTS="n002 n002 n001"\n', [4, 5, 0]),
    ("bgq-map", "a.map", "0 1 0 3\n1 0 0 0\n", [7, 8]),
    ("task-geometry", "job.cmd", "# @ task_geometry={(1,0) (2)}\n", [1, 0, 4]),
    ("task-geometry", "job.sh", 'LSB_TASK_GEOMETRY="{(1)(0,2)}"\n', [4, 0, 5]),
    ("task-geometry", "job.csh", 'setenv LSB_PJL_TASK_GEOMETRY "{(1)(0,2)}"\n', [4, 0, 5]),
    ("poe-host-list", "h.txt", "n001 shared multiple\nn001 shared multiple\nn002\nn002\n", [0, 1, 4, 5]),
    ("poe-host-list", "h.txt", "n002\n! two\nn001 dedicated\nn002\n", [4, 0, 5]),
    ("poe-host-list", "host.list", "! ours\nn003 dedicated unique\nn001\nn003 shared\n", [8, 0, 9]),
    ("vcoord", "v.txt", "(1,1)\n(0,1) core=2\n( 1, 1 )\n", [12, 4, 13]),
    ("flux-taskmap", "t.json", "[[1,2,1,2],[0,1,2,1]]", [4, 8, 5, 9, 0, 1]),
    ("flux-taskmap", "t.json", '{"version": 1, "map": [[0,4,1,2]]}', [0, 4, 8, 12, 1, 5, 9, 13]),
    ("flux-taskmap", "t.txt", "(vector,(0,4,4))", [*range(16)]),
    ("flux-taskmap", "t.txt", "PMI_process_mapping=(vector, (1,2,1), (1,2,1),(0,1,2))\n", [4, 8, 5, 9, 0, 1]),
    ("flux-taskmap", "t.json", '"(vector,(0,2,1),(0,1,1))"\n', [0, 4, 1]),
    ("flux-taskmap", "t.txt", "0-1,4;2-3;5\n", [0, 1, 4, 5, 2, 8]),
    ("scotch-map", "a.map", "3\n2\t7\n1\t4\n3\t0\n", [4, 7, 0]),
    ("permutation", "graph.part.4", "% ours\n9\n0\n4\n", [9, 0, 4]),
    ("permutation", "graph.part.4", "3\n0\n3\n", [12, 0, 13]),
]  # fmt: skip


@pytest.mark.parametrize(("form", "name", "text", "slots"), TEXTS, ids=range(len(TEXTS)))
def test_a_file_places_its_ranks_with_a_detected_or_chosen_format(tmp_path, form, name, text, slots):
    assert placed(tmp_path, name, text, len(slots)) == slots
    assert placed(tmp_path, "plain", text, len(slots), format=form) == slots
    assert (
        placed(tmp_path, name, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), len(slots), format=form) == slots
    )


def test_assumptions_about_a_hostfile_are_reported(tmp_path):
    (tmp_path / "h").write_text("n001 slots=2\n")
    case = Scenario(
        FOUR.spec, Broadcast(tasks=2), FromFile(file="h"), Minimal(), folder=tmp_path, hosts="n[001-004]"
    ).build()
    report = SimpleNamespace(case=case, plan_words="", disconnected=SimpleNamespace(sentence=""))
    assert len(notes_of(report)) == 1
    assert notes_of(report)[0].startswith("an Open MPI hostfile gives only capacities; ")


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("n001 slots=1\n", []),
        ("n001\nn001\nn002 slots=2\n", []),
        ("n001\nn002 slots=2\n", ["hosts without slots= take the 4 slots of a node (n001)"]),
        (
            "n001\nn002\nn003\nn004\n",
            ["hosts without slots= take the 4 slots of a node (n001, n002, n003 and 1 other)"],
        ),
        (
            "a@n001 slots=1\nn002 slots=2 user-name=b port=22\n",
            ["users and ports are ignored (a@n001, user-name=b, port=22)"],
        ),
    ],
)
def test_words_of_a_hostfile_that_are_assumed_or_ignored_are_noted(tmp_path, text, notes):
    (tmp_path / "h").write_text(text)
    mapping = FromFile(file="h", format="hostfile").build(SimpleNamespace(tasks=1), FOUR, None, tmp_path)
    assert mapping.warnings == (BLOCKS, *notes)


AFTER = "are exported unchanged; after a change of the mapping each rank gets"


@pytest.mark.parametrize(
    ("form", "text", "words"),
    [
        ("hydra-hosts", "n001:1 binding=a\nn002 binding=a\n", "binding=a"),
        ("poe-host-list", "n001 shared multiple\nn002 dedicated\n", "shared, multiple, dedicated"),
        ("vcoord", "(0,0) core=2\n(0,1) core = 3\n", "core=2, core = 3"),
    ],
)
def test_words_that_are_not_used_are_noted(tmp_path, form, text, words):
    for plain in (False, True):
        (tmp_path / "f").write_text(re.sub(r" [\w =]+$", "", text, flags=re.MULTILINE) if plain else text)
        mapping = FromFile(file="f", format=form).build(FEW, FOUR, None, tmp_path)
        assert mapping.warnings == ((f"ignored words of the file: {words}",) if not plain else ())


def test_hosts_alone_are_those_of_successive_ranks_or_have_all_their_slots(tmp_path):
    text = "n002\nn001\n"
    assert placed(tmp_path, "h", text, 2) == [4, 0]
    assert placed(tmp_path, "h", text, 6) == [4, 5, 6, 7, 0, 1]
    (tmp_path / "h").write_text(text)
    mapping = FromFile(file="h").build(SimpleNamespace(tasks=8), FOUR, None, tmp_path)
    assert mapping.warnings == (BLOCKS, "hosts without slots= take the 4 slots of a node (n002, n001)")
    assert mapping.source == "an Open MPI hostfile"
    for lines in ("n002\nn002\nn001\n", text):
        with pytest.raises(SpecError, match=r"h: places \d ranks; the job has 9 tasks"):
            placed(tmp_path, "h", lines, 9)


SOCKETS = "sockets are taken to have 2 cores; the field cores gives the cores per socket"


@pytest.mark.parametrize(
    ("text", "cores", "notes"),
    [
        ("rank 0=n001 slot=0\nrank 1=n001 slot=2\n", [], []),
        ("rank 0=n001 slot=0-1\nrank 1=n001 slot=2-3\n", ["0-1", "2-3"], []),
        (
            "rank 0=n001 slot=0,2\nrank 1=n001 slot=1,3\n",
            ["0,2", "1,3"],
            [f"cores such as 0,2 of rank 0 {AFTER} 2 successive cores"],
        ),
        (
            "rank 0=n001 slot=*\nrank 1=n001 slot=0\n",
            ["*", "0"],
            [f"cores such as * of rank 0 {AFTER} 1 core"],
        ),
        ("rank 0=n001 slot=1:0-1\nrank 1=n001 slot=0:0;0:1\n", ["2-3", "0,1"], [SOCKETS]),
        (
            "rank 0=n001 slot=0-5\nrank 1=n001 slot=3-8\n",
            ["0-5", "3-8"],
            ["rank 1 has cores up to 8, but n001 has 4 slots; set one slot per core"],
        ),
        ("rank 0=n001 slot=p0\nrank 1=me@n001 slot=1\n", [], [LOGICAL, "users and ports are ignored (me@n001)"]),
    ],
)  # fmt: skip
def test_ranks_keep_their_cores_and_losses_are_noted(tmp_path, text, cores, notes):
    (tmp_path / "r").write_text(text)
    mapping = FromFile(file="r").build(FEW, FOUR, None, tmp_path)
    assert [text_of_cores(cores_of) for cores_of in mapping.core_sets] == cores
    assert mapping.warnings == tuple(notes)
    assert mapping.cores_per_rank == max((cores_in(cores_of) for cores_of in mapping.core_sets), default=1) or 1


def test_nodes_after_their_count_are_read_as_by_sst(tmp_path):
    # A list with a number for each task has no count, even if it begins with one.
    nodes = [3, 1, 1, 0, 2]
    text = "".join(f"{number}\n" for number in (len(nodes), *nodes))
    (tmp_path / "nodes.txt").write_text(text)
    mapping = FromFile(file="nodes.txt").build(SimpleNamespace(tasks=5), FOUR, None, tmp_path)
    assert mapping.nodes.tolist() == nodes
    assert mapping.warnings == (COUNTED.format("5 ranks"),)
    assert placed(tmp_path, "p.txt", "3\n1\n2\n0\n", 4) == [3, 1, 2, 0]


def test_node_numbers_in_files_count_the_jobs_nodes(tmp_path):
    job = Allocation.of(FOUR, "n[004,002]", ())
    assert placed(tmp_path, "MPICH_RANK_ORDER", "1,0,2,3,4", 5, allocation=job) == [13, 12, 14, 15, 4]
    assert placed(tmp_path, "MPICH_RANK_ORDER", "1,0,2,3", 4, allocation=job, ranks_per_node=2) == [13, 12, 4, 5]
    assert placed(tmp_path, "g", "{(0)(1)}", 2, allocation=job) == [12, 4]
    assert placed(tmp_path, "r", "rank 0=+n1 slot=0\nrank 1=+n0 slot=0", 2, allocation=job) == [4, 12]
    with pytest.raises(SpecError, match="task 1 is on n001, which is not allocated to this job"):
        placed(tmp_path, "h", "n002\nn001\n", 2, allocation=job)


REFUSED = [
    ("openmpi-rankfile", "rank 0=n001 slot=0\nrank 1=n001 slot=0\n", "line 2: core 0 of n001 is already taken by rank 0"),
    ("openmpi-rankfile", "rank 0=n009 slot=0\n", "line 1: n009 is not a node of this network"),
    ("openmpi-rankfile", "rank 0=+n4 slot=0\n", "line 1: no host +n4; the job's hosts are +n0 to +n3"),
    ("openmpi-rankfile", "rank 0=n001 slot=x\n", "line 1: slot=x is not a core; write 2, 0-3, 0,2, SOCKET:CORES or *"),
    ("openmpi-rankfile", "rank 0=n001 slot=1:2\n", "line 1: no core 2 of socket 1, which has 2 cores (0 to 1)"),
    ("openmpi-rankfile", "rank 0=n001 slot=2:0\n", "line 1: no socket 2; 4 slots do not form 3 sockets"),
    ("openmpi-rankfile", "rank 0=n001 slot=0\n", "places 1 rank; the job has 2 tasks"),
    ("openmpi-rankfile", "rank 0=n001 slot=3-1\n", "line 1: slot=3-1 is not a core; write 2, 0-3, 0,2, SOCKET:CORES or *"),
    ("openmpi-rankfile", "rank 0=n001 slot=4-5\n", "line 1: no core 4 of n001, which has 4 cores (0 to 3)"),
    ("openmpi-rankfile", "rank 0=n001 slot=0-999999999\n", "line 1: no core 999,999,999; cores are 0 to 4,095"),
    ("openmpi-rankfile", "rank 0=n001 slot=1:0-2\n", "line 1: no core 2 of socket 1, which has 2 cores (0 to 1)"),
    ("openmpi-rankfile", "rank 0=n001 slot=0,2\nrank 1=n001 slot=0\nrank 2=n001 slot=2\n", "line 1: cores 0,2 of n001 are already taken by rank 1"),
    ("openmpi-sequence", "n001 slots=4\n", 'line 1: "n001 slots=4" is not a host and its cores; write one host per line'),
    ("openmpi-sequence", "n001 0 0 0 0\n", 'line 1: "n001 0 0 0 0" is not a host and its cores; write one host per line'),
    ("openmpi-sequence", "n001 x\n", "line 1: slot=x is not a core; write 2, 0-3, 0,2, SOCKET:CORES or *"),
    ("openmpi-sequence", "n001\n", "places 1 rank; the job has 2 tasks"),
    ("openmpi-sequence", "# none\n", "has no hosts"),
    ("mpich-rank-order", "3-1\n", "line 1: 3-1 runs backwards; write 1-3"),
    ("mpich-rank-order", "0-19\n", "lists 20 ranks; the job's 4 nodes can hold 16, 4 per node"),
    ("slurm-hostfile", "n001*x\n", 'line 1: "x" is not a number of ranks'),
    ("slurm-hostfile", "n001 n002\n", 'line 1: "n001 n002": write one host per line, or HOST*COUNT'),
    ("slurm-hostfile", "n001\n", "places 1 rank; the job has 2 tasks"),
    ("hydra-hosts", "n001:2 weight=3\n", 'line 1: "weight=3": only binding= may follow the host'),
    ("hostfile", "n001\n^n001\n", "has no hosts"),
    ("hostfile", "n001 slots=2\nn002\nn001 slots=2\n", "line 3: n001 is already on line 1; give its slots once"),
    ("hostfile", "n001\nn002\nn001 slots=2\n", "line 3: n001 is already on line 1; give its slots once"),
    ("hostfile", "n001 slots=4 max-slots=2\n", "line 1: 4 slots, but at most 2"),
    ("hostfile", "n001:4\n", 'line 1: "n001:4" is not a host; Open MPI writes n001 slots=4'),
    ("hostfile", "^n005\n", "line 1: n005 is not a node of this network"),
    ("hostfile", "+n4 slots=1\n", "line 1: no host +n4; the job's hosts are +n0 to +n3"),
    ("lsf-hosts", "n001 2 n002\n", 'line 1: "n001 2 n002" is not a list of hosts, each with its number of slots'),
    ("lsf-hosts", "n001 0\n", 'line 1: "0" is not a number of ranks'),
    ("hostfile", "n001 slots=4 x=1\n", 'line 1: "x=1" is neither slots= nor max-slots='),
    ("bgq-map", "0 0 0\n", "line 1: 3 numbers; give A B C D E T, or X Y Z T"),
    ("bgq-map", "0 0 0 4\n", "line 1: T = 4; the network has 0 to 3"),
    ("task-geometry", "{(0,1,2,3,4)}", "group 1 has 5 tasks; n001 has 4 slots"),
    ("task-geometry", "{(0)()}", "group 2 is empty; remove it"),
    ("task-geometry", "{(0)(1)", '"{" is not closed'),
    ("task-geometry", "{(0)(1)(2)(3)(4)}", "has 5 groups; the job has 4 nodes"),
    ("poe-host-list", "n001 lonely\n", 'line 1: "lonely" is not one of shared, dedicated, unique, multiple'),
    ("vcoord", "(0,0,0,0)\n", 'line 1: "(0,0,0,0)" is not a place; write (x,y,z), with one to three numbers'),
    ("vcoord", "(0)\n", "has 1 coordinates per rank; the network has 2 dimensions"),
    ("flux-taskmap", "[[3,2,1,1]]", "block 1: no node 4; the job's nodes are 0 to 3"),
    ("flux-taskmap", "[[0,4,999999999,999999999]]", "block 1: more ranks than the network's 16 slots"),
    ("flux-taskmap", "[[0,true,1,1]]", "block 1: True is not a number (nodes)"),
    ("flux-taskmap", "(vector,(0,4))", "block 1 is not (first node, nodes, tasks per node); write (vector,(0,4,4))"),
    ("flux-taskmap", "(vector,(3,2,1))", "block 1: no node 4; the job's nodes are 0 to 3"),
    ("flux-taskmap", "(vector,(0,2,0))", "block 1: tasks per node is 0; give at least 1"),
    ("flux-taskmap", "0;1;2;3;4", "lists the tasks of 5 nodes; the job has 4"),
    ("flux-taskmap", "0;0", "task 0 is listed twice"),
    ("flux-taskmap", "0;2", "task 1 is missing; tasks 0 to 2 are needed"),
    ("scotch-map", "2\n0\t0\n5\t1\n", "line 3: no task 5; the 2 tasks are numbered from 0 or 1"),
    ("scotch-map", "2\n0\t5\n0\t1\n", "line 3: task 0 is already on line 2"),
    ("scotch-map", "1\n0\t-1\n", 'line 2: "-1" is not a slot'),
    ("permutation", "0\n16\n", "line 2: no slot 16; slots are 0 to 15"),
    ("permutation", "2\n1\n4\n", "line 3: no node 4; nodes are 0 to 3"),
    ("permutation", "3\n0\n1\n1\n", "places 3 ranks; the job has 2 tasks"),
    ("permutation", "8\n8\n", "line 2: slot 8 is already taken by rank 0"),
    ("permutation", "", "has no slots"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "words"), REFUSED, ids=range(len(REFUSED)))
def test_errors_are_reported_with_their_place(tmp_path, form, text, words):
    with pytest.raises(SpecError) as refused:
        placed(tmp_path, "f", text, 2, format=form)
    parted = ", " if words.startswith("line ") else ": "
    assert str(refused.value) == f"mapping.file: f{parted}{words}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples."""
    return tmp_path_factory.mktemp("hostile")


@pytest.mark.parametrize("form", read_of("mapping"))
@given(st.binary(max_size=30), st.sampled_from([text for _, _, text, _ in TEXTS]), st.integers(0, 60))
def test_hostile_files_are_refused_in_one_line(folder, form, noise, text, at):
    content = text.encode()
    (folder / "f").write_bytes(content[:at] + noise + content[at:])
    for chosen in (form, "auto"):
        try:
            slots = placed(folder, "f", tasks=4, format=chosen)
            assert len(set(slots)) == 4
        except SpecError as error:
            assert "\n" not in str(error)  # noqa: PT017
    (folder / "f").unlink()  # overwriting a file takes longer than creating one


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("slurm-hostfile", "n001*999999999\n" * 1000),
        ("hydra-hosts", "n001:999999999\n" * 1000),
        ("hostfile", "n001 slots=999999999\n" * 1000),
        ("flux-taskmap", "[" * 100_000),
        ("flux-taskmap", "[[0,4,1,1" + "0" * 5000 + "]]"),
        ("mpich-rank-order", "0-999999999"),
    ],
)
def test_small_files_that_expand_to_many_ranks_are_refused(tmp_path, form, text):
    with pytest.raises(SpecError):
        placed(tmp_path, "f", text, 16, format=form)


OTHERS = [
    ("SwitchName=s Nodes=n[1-4]\n", "a Slurm topology.conf", "network"),
    ("# fabric\n---\n# racks\n- topology: t\n  flat: true\n", "a Slurm topology.yaml", "network"),
    ("graph { a -- b }", "a DOT graph", "network"),
    ('{"type": "NetworkGraph", "nodes": []}', "a NetJSON network", "network"),
    ("torus2D 4 2\n", "a Scotch target file", "network"),
    ("# POINT TO POINT\nE\t0\t1\t9 bytes\t1 msgs sent\n", "an Open MPI monitoring file", "job"),
    ("num_ranks 2\n", "a GOAL schedule", "job"),
    ("# ours\nrank 0=n001 slot=0\n", "an Open MPI rankfile", "mapping"),
    ("n001 slots=4\n", "an Open MPI hostfile", "mapping"),
    ("#!/bin/sh\n# @ task_geometry={(0)(1)}\n", "a task geometry", "mapping"),
    ("(0,1)\n(0,0)\n", "a Fujitsu vcoordfile", "mapping"),
    ("[[0,2,1,1]]\n", "a Flux taskmap", "mapping"),
]


@pytest.mark.parametrize(("text", "title", "choice"), OTHERS, ids=[title for _, title, _ in OTHERS])
def test_files_of_another_choice_are_refused_by_their_kind(tmp_path, text, title, choice):
    (tmp_path / "f").write_text(text)
    specs = {"network": Edges(file="f"), "job": Flows(file="f"), "mapping": FromFile(file="f")}
    for name, spec in specs.items():
        if name != choice:
            with pytest.raises(SpecError) as refused:
                spec.build(*((FEW, FOUR, None, tmp_path) if name == "mapping" else (tmp_path,)))
            assert str(refused.value).startswith(f"{name}.file: f: this is {title} (choose it as the {choice}); give ")
    if text[0] not in "[{":
        with pytest.raises(
            SpecError, match=f"^file: is not a valid scenario: it is {re.escape(title)}; import it as the {choice}$"
        ):
            decode(text.encode())


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_the_samples_of_all_launchers_are_read():
    cube = Torus(dims=(2, 2, 2, 1, 1), slots_per_node=2).build()
    expected = json.loads((SAMPLES / "expected.json").read_text())["mappings"]
    assert len(expected) == 12
    for name, figures in expected.items():
        slots = placed(SAMPLES, name, network=cube if name == "bgq.map" else FOUR)
        nodes, cores = np.divmod(slots, 4)
        if name == "bgq.map":
            places = [[*np.unravel_index(slot, (2, 2, 2, 1, 1, 2))] for slot in slots]
            assert places == figures["ranks"]
        elif name == "vcoord.txt":
            places = [[[*np.unravel_index(node, (2, 2, 1))], core] for node, core in zip(nodes, cores, strict=True)]
            assert places == figures["ranks"]
        elif name == "task_geometry.txt":
            assert [np.flatnonzero(nodes == node).tolist() for node in range(4)] == figures["groups"]
        elif name == "taskmap.json":
            assert nodes.tolist() == figures["nodes_of_ranks"]
        elif "targets" in figures:
            assert slots == figures["targets"]
        else:
            hosts = [f"n00{node + 1}" if isinstance(figures["ranks"][0][0], str) else node for node in nodes.tolist()]
            assert [[host, core] for host, core in zip(hosts, cores.tolist(), strict=True)] == figures["ranks"], name


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_malformed_samples_are_refused_as_expected():
    kinds = {
        "rankfile": "auto", "MPICH_RANK_ORDER": "auto", "slurm_hostfile": "auto", "machinefile": "hydra-hosts",
        "hostfile": "auto", "bgq": "auto", "task_geometry": "auto", "host": "auto", "vcoord": "auto",
        "taskmap": "auto", "scotch": "auto",
    }  # fmt: skip
    expected = json.loads((SAMPLES / "bad" / "errors.json").read_text())
    mine = {name: words for name, words in expected.items() if name.split("-")[0] in kinds and not name.endswith("grf")}
    assert len(mine) == 31
    for name, words in mine.items():
        with pytest.raises(SpecError) as refusal:
            placed(SAMPLES / "bad", name, format=kinds[name.split("-")[0]])
        assert refusal.value.message.startswith(name)
        assert facts(words) <= facts(refusal.value.message.removeprefix(name)), name


def test_sockets_have_the_cores_given_by_the_scenario(tmp_path):
    text = "rank 0=n002 slot=1:0\nrank 1=n001 slot=3\n"
    assert placed(tmp_path, "r", text, 2) == [6, 3]
    assert placed(tmp_path, "r", text, 2, with_sockets(FOUR, 1)) == [5, 3]
    with pytest.raises(SpecError, match="line 1: no socket 2; 4 slots do not form 3 sockets of 2"):
        placed(tmp_path, "r", "rank 0=n001 slot=2:0", 1, with_sockets(FOUR, 2))


def test_a_scenario_refers_to_a_file_in_its_folder(tmp_path):
    (tmp_path / "ranks.txt").write_text("rank 0=n3 slot=0\nrank 1=n0 slot=0\n")
    chosen = Scenario(Torus(dims=(2, 2)), Broadcast(tasks=2), FromFile(file="ranks.txt"), DimensionOrder())
    write_scenario(tmp_path / "a.fabriscope.json", chosen)
    read = read_scenario(tmp_path / "a.fabriscope.json")
    assert read.build().mapping.slots.tolist() == [3, 0]
    assert fitted(read) == read
    for name in ("../ranks.txt", str(tmp_path / "ranks.txt"), "none.txt"):
        with pytest.raises(SpecError, match=r"^mapping.file: '?.*(is outside the scenario's folder|no such file)"):
            decode(encode(replace(chosen, mapping=FromFile(file=name))), tmp_path / "here").build()


def test_hosts_of_several_ranks_may_follow_those_of_one(tmp_path):
    text = "n001\nn002:2\nn001\n"  # as `write_hydra` writes them
    assert placed(tmp_path, "f", text, 4) == placed(tmp_path, "f", text, 4, format="hydra-hosts") == [0, 4, 5, 1]


@pytest.mark.parametrize(("hosts", "slots", "warnings"), [(None, [2, 0, 3, 1], ()), ("[0-7]", [4, 0, 6, 2], (NAMED,))])
def test_numbers_are_host_names_if_hosts_have_such_names(tmp_path, hosts, slots, warnings):
    network = Torus((4, 2), slots_per_node=2).build()
    network = network if hosts is None else named(network, hosts, None)
    (tmp_path / "f").write_text("2\n0\n3\n1\n")
    mapping = FromFile(file="f").build(SimpleNamespace(tasks=4), network, None, tmp_path)
    assert (mapping.slots.tolist(), mapping.warnings) == (slots, warnings)
    assert placed(tmp_path, "f", tasks=4, network=network, format="permutation") == [2, 0, 3, 1]


@pytest.mark.parametrize(
    ("word", "number"),
    [("0", 0), ("007", 7), ("999999999", 999_999_999), ("1000000000", None), ("-1", None), ("1e3", None), ("²", None)],
)
def test_numbers_of_ranks_fit_their_integer_type(word, number):
    assert number_in(word) == number
    assert number is None or number <= np.iinfo(np.int32).max
