"""Mappings written for launchers and read again: equal, as far as a format allows."""

# Files and messages are written with their original lines of any length.
# ruff: noqa: E501

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.export import export
from core.formats import written_of
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import FromFile, Random
from core.mapping.allocation import Allocation
from core.mapping.formats.openmpi_hostfile import ORDER
from core.mapping.formats.placement import CORES, NAMES, OTHER_CORES, Placed
from core.mapping.mapping import Mapping
from core.network import Complete, Dragonfly, Hypercube, Mesh, Torus
from core.network.hosts import named
from core.network.nics import on_hosts
from core.routing import Minimal
from core.spec import SpecError
from tests.benchmarks.scotch import program
from tests.core.mapping.formats.test_readers import FOUR, SAMPLES
from tests.core.strategies import one_of_these, orders

SLOTS = [3, 8, 13, 2, 7, 12, 1, 6, 11, 0, 5, 10, 15, 4, 9, 14]
"""Of sixteen tasks, as all samples have them."""
KEEP_CORES = {"openmpi-rankfile", "prrte-rankfile", "bgq-map", "scotch-map", "permutation"}
KEEP_NAMES = {
    *("openmpi-rankfile", "prrte-rankfile", "openmpi-sequence", "slurm-hostfile"),
    *("poe-host-list", "hydra-hosts", "hostfile"),
}
FULL_NODES, IN_BLOCKS = {"mpich-rank-order", "task-geometry"}, {"hostfile"}
"""Formats of mappings that use every node, and that fill one node after the other."""
CUBE = named(Torus(dims=(3, 2, 2), slots_per_node=2).build(), "r[1-3]n[0-3]", None)
DUAL = Dragonfly(2, 1, 3, nodes_per_router=4, slots_per_node=3, nics=2).build()
QUAD = named(Dragonfly(2, 1, 3, nodes_per_router=4, slots_per_node=2, nics=4).build(), "h[01-06]", None)
MIXED = on_hosts(Dragonfly(2, 1, 3, nodes_per_router=2, slots_per_node=2).build(), np.array([1, 3, 2, 4, 2], np.int32))
"""Hosts with several NICs."""

WRITTEN = written_of("mapping")


def written(kind, slots, network=FOUR, allocation=None):
    mapping = Mapping(np.array(slots, np.int32), network.slots_per_node)
    return WRITTEN[kind].write(Placed.of(mapping, network, allocation))


def read(folder, kind, text, tasks, network, allocation, **fields):
    path = folder / f"file{written_of('mapping')[kind].ending}"
    path.write_text(text)
    form = "openmpi-rankfile" if kind == "prrte-rankfile" else kind
    spec = FromFile(file=path.name, format=form, **fields)
    slots = spec.build(SimpleNamespace(tasks=tasks), network, allocation, folder).slots
    path.unlink()  # overwriting a file takes longer than creating one
    return slots


def networks_of(kind):
    if kind in ("bgq-map", "vcoord"):
        return FOUR, CUBE
    return (FOUR, CUBE, DUAL, QUAD) if kind == "mpich-rank-order" else (FOUR, CUBE, DUAL, QUAD, MIXED)


def host_slots(network, host):
    """The slots of a host in the order of launchers, found by trying NIC after NIC for each slot."""
    nics = [node for node in range(network.nodes) if network.host_slots.host_of[node] == host]
    places = range(len(nics) * network.slots_per_node)
    return [nics[place % len(nics)] * network.slots_per_node + place // len(nics) for place in places]


@st.composite
def mappings(draw, kind):
    """A network of some nodes, the job's nodes, and slots that the format can express."""
    network = draw(one_of_these(networks_of(kind)))
    count = network.host_slots.count
    hosts, allocation = range(count), None
    if draw(st.booleans()):
        hosts = draw(orders(hosts))[: draw(st.integers(1, count))]
        allocation = Allocation(network, network.host_slots.nodes_of(np.array(hosts, np.int32)))
    if kind in FULL_NODES | IN_BLOCKS:
        hosts = hosts[: draw(st.integers(1, len(hosts)))]
    if kind in IN_BLOCKS:
        hosts = draw(orders(tuple(hosts)))
    slots = [slot for host in hosts for slot in host_slots(network, host)]
    if kind in FULL_NODES | IN_BLOCKS:
        order = range(len(slots)) if kind in IN_BLOCKS else draw(orders(range(len(slots))))
    else:
        order = draw(orders(range(len(slots))))[: draw(st.integers(1, len(slots)))]
    return network, allocation, np.array(slots, np.int32)[list(order)]


kept_mappings = cache(mappings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples."""
    return tmp_path_factory.mktemp("again")


@pytest.mark.parametrize("kind", WRITTEN)
@given(data=st.data())
def test_exported_mappings_are_read_back_the_same(folder, kind, data):
    network, allocation, slots = data.draw(kept_mappings(kind))
    export = written(kind, slots, network, allocation)
    again = read(folder, kind, export.content, slots.size, network, allocation)
    if kind in KEEP_CORES | FULL_NODES:
        assert again.tolist() == slots.tolist()
    else:
        hosts = [network.host_slots.host_of[places // network.slots_per_node].tolist() for places in (again, slots)]
        assert hosts[0] == hosts[1]


def test_hosts_of_a_hostfile_are_in_the_order_of_their_ranks():
    export = written("hostfile", [8, 9, 0, 1, 2, 4])
    assert export.content == "n003 slots=2\nn001 slots=3\nn002 slots=1\n"
    assert export.losses == (CORES, ORDER)
    assert written("hostfile", [0, 1, 8]).losses == (CORES,)


@pytest.mark.parametrize("kind", ["openmpi-rankfile", "prrte-rankfile", "task-geometry"])
def test_files_name_a_host_with_several_nics_once(kind):
    slots = [slot for host in (2, 0) for slot in host_slots(QUAD, host)]
    content = written(kind, slots, QUAD).content
    if kind == "task-geometry":
        assert content == "# @ task_geometry={(8,9,10,11,12,13,14,15) (0,1,2,3,4,5,6,7)}\n"
    else:
        places = [(host, slot) for host in ("h03", "h01") for slot in range(8)]
        assert content == "".join(f"rank {rank}={host} slot={slot}\n" for rank, (host, slot) in enumerate(places))


def test_host_files_count_the_slots_of_all_nics(tmp_path):
    assert read(tmp_path, "hydra-hosts", "h02:3\nh01\n", 4, QUAD, None).tolist() == [8, 10, 12, 0]
    assert read(tmp_path, "flux-taskmap", "[[1,1,2,1],[0,1,1,1]]", 3, QUAD, None).tolist() == [8, 10, 0]
    with pytest.raises(SpecError, match="line 1: h02 is full; all 8 slots have ranks"):
        read(tmp_path, "hydra-hosts", "h02:9\n", 9, QUAD, None)
    with pytest.raises(SpecError, match="line 1: h02-nic1 is not a host of this network"):
        read(tmp_path, "slurm-hostfile", "h02-nic1\n", 1, QUAD, None)
    with pytest.raises(SpecError, match="line 3: h01-nic1 is full; all 2 slots have ranks"):
        read(tmp_path, "permutation", "1\n1\n1\n", 3, QUAD, None)


def test_sockets_are_parts_of_hosts(tmp_path):
    text = "rank 0=h01 slot=1:0\nrank 1=h01 slot=0:3\n"
    assert read(tmp_path, "openmpi-rankfile", text, 2, QUAD, None).tolist() == [1, 6]
    with pytest.raises(SpecError, match="line 1: no socket 2; 8 slots do not form 3 sockets"):
        read(tmp_path, "openmpi-rankfile", "rank 0=h01 slot=2:0\n", 1, QUAD, None)


@pytest.mark.parametrize("kind", WRITTEN)
def test_losses_are_reported(kind):
    export = written(kind, range(16))
    assert (CORES in export.losses) == (kind not in KEEP_CORES)
    assert (NAMES in export.losses) == (kind not in KEEP_NAMES)
    assert set(export.losses) <= {CORES, NAMES}
    assert export.content.endswith("\n")
    assert "\r" not in export.content


@st.composite
def rankfiles(draw):
    """Rank files in which the ranks of a node have different cores, in any ranges and orders."""
    lines, rank = [], 0
    for host in ("n001", "n003"):
        cores = draw(orders(range(4)))
        while cores:
            own, cores = cores[: (size := draw(st.integers(1, len(cores))))], cores[size:]
            ends = ",".join(map(str, own))
            text = f"{min(own)}-{max(own)}" if own == [*range(min(own), max(own) + 1)] and size > 1 else ends
            lines.append(f"rank {rank}={host} slot={text}")
            rank += 1
    return lines


@given(rankfiles())
def test_cores_of_a_rank_file_are_exported_unchanged(folder, lines):
    text = "".join(f"{line}\n" for line in lines)
    (folder / "cores.txt").write_text(text)
    mapping = FromFile(file="cores.txt").build(SimpleNamespace(tasks=len(lines)), FOUR, None, folder)
    placed = Placed.of(mapping, FOUR, None)
    assert WRITTEN["openmpi-rankfile"].write(placed).content == text
    several = any(not re.search(r"slot=\d$", line) for line in lines)
    for kind in KEEP_CORES - {"openmpi-rankfile", "prrte-rankfile"}:
        assert (OTHER_CORES in WRITTEN[kind].write(placed).losses) == several


@given(st.integers(1, 5), st.data())
def test_ranks_of_several_cores_get_ranges_of_their_own(folder, each, data):
    network = named(Torus(dims=(2, 2), slots_per_node=12).build(), "n[1-4]", None)
    cores = [data.draw(orders(range(12)))[: data.draw(st.integers(0, 12 // each))] for _ in range(4)]
    slots = [12 * node + core for node, some in enumerate(cores) for core in some] or [0]
    mapping = replace(Mapping(np.array(slots, np.int32), 12), cores_per_rank=each)
    sets = Placed.of(mapping, network, None).core_sets
    taken = [
        (slot // 12, core)
        for slot, ((first, last),) in zip(slots, sets, strict=True)
        for core in range(first, last + 1)
    ]
    assert len(set(taken)) == len(taken) == each * len(slots)
    assert {core for _, core in taken} <= set(range(12))
    if all(slot % each == 0 and slot % 12 + each <= 12 for slot in slots):
        assert [first for ((first, _),) in sets] == [slot % 12 for slot in slots]
    # Read again, the ranks have the same cores.
    text = WRITTEN["openmpi-rankfile"].write(Placed.of(mapping, network, None)).content
    (folder / "wide.txt").write_text(text)
    again = FromFile(file="wide.txt").build(SimpleNamespace(tasks=len(slots)), network, None, folder)
    assert again.core_sets == (tuple(sets) if each > 1 else ())
    assert again.cores_per_rank == each


def test_cores_are_numbered_by_hosts_with_several_nics(tmp_path):
    text = "rank 0=h02 slot=4-7\nrank 1=h02 slot=0-3\nrank 2=h01 slot=0-3\n"
    (tmp_path / "r").write_text(text)
    mapping = FromFile(file="r").build(SimpleNamespace(tasks=3), QUAD, None, tmp_path)
    assert mapping.slots.tolist() == [9, 8, 0]
    assert WRITTEN["openmpi-rankfile"].write(Placed.of(mapping.moved(mapping.slots), QUAD, None)).content == text


def test_ranks_that_need_more_cores_than_a_node_has_are_not_exported():
    mapping = Mapping(np.array([0, 4, 5, 8, 9], np.int32), 4, cores_per_rank=3)
    with pytest.raises(SpecError) as refused:
        WRITTEN["openmpi-rankfile"].write(Placed.of(mapping, FOUR, None))
    words = "n002 has 2 ranks of 3 cores, but 4 slots (also on 1 other node); place fewer ranks on a node"
    assert str(refused.value) == f"mapping.cores_per_rank: {words}"
    assert WRITTEN["slurm-hostfile"].write(Placed.of(mapping, FOUR, None)).losses == (CORES,)


def test_rank_orders_need_equal_numbers_of_ranks_per_node(tmp_path):
    export = written("mpich-rank-order", [9, 4, 8, 5, 0, 1])
    assert export.content == "4,5\n1,3\n2,0\n"
    assert export.losses == (NAMES, CORES, "the ranks per node (run with 2)")
    assert read(tmp_path, "mpich-rank-order", export.content, 6, FOUR, None, ranks_per_node=2).tolist() == [
        9,
        4,
        8,
        5,
        0,
        1,
    ]


def test_nodes_without_a_rank_are_reported_if_files_count_nodes():
    for kind, text in (("task-geometry", "# @ task_geometry={(1) (0)}\n"), ("mpich-rank-order", "1\n0\n")):
        export = written(kind, [12, 4])
        assert export.content == text
        assert "host names (allocate only the nodes with a rank, in this order: n[002,004])" in export.losses


@pytest.mark.parametrize(
    ("kind", "slots", "words"),
    [
        ("hostfile", [0, 4, 1], "mapping: does not fill one host after the other, which a hostfile requires; export an openmpi-rankfile or a slurm-hostfile"),
        ("mpich-rank-order", [0, 4, 5], "mapping: n001 has 1 rank, n002 2; MPICH_RANK_ORDER needs the same number on every node except the last"),
        ("mpich-rank-order", [0, 1, 4, 8], "mapping: n001 has 2 ranks, n002 1; MPICH_RANK_ORDER needs the same number on every node except the last"),
    ],
)  # fmt: skip
def test_a_format_that_cannot_represent_a_mapping_refuses_it(kind, slots, words):
    with pytest.raises(SpecError) as refused:
        written(kind, slots)
    assert str(refused.value) == words


def test_only_lattices_have_coordinates():
    for kind, axes, dims in (("bgq-map", 5, (2,) * 6), ("vcoord", 3, (2,) * 4)):
        for spec in (Complete(nodes=4), Torus(dims=dims)):
            with pytest.raises(SpecError, match=f"must be a torus, mesh or hypercube of up to {axes} dimensions"):
                written(kind, [0], spec.build())


def test_names_that_cannot_be_read_are_not_written():
    odd = named(Torus(dims=(2,)).build(), "a=b,c", None)
    assert written("slurm-hostfile", [1], odd).content == "c\n"
    with pytest.raises(SpecError, match="hosts: 'a=b' is not a host name that launchers can read; rename the host"):
        written("openmpi-rankfile", [0], odd)


@pytest.mark.skipif(program() is None or shutil.which("gmtst") is None, reason="Scotch is not installed")
@pytest.mark.parametrize(
    "network",
    [Torus(dims=(4, 2, 3)), Mesh(dims=(3, 1, 5)), Mesh(dims=(2, 3, 3)), Mesh(dims=(9,)), Hypercube(4), Complete(9)],
    ids=lambda spec: spec.summary(),
)
def test_scotch_counts_the_same_hops(tmp_path, network):
    scenario = Scenario(network, Halo(1, network.build().nodes), Random(seed=4), Minimal(), folder=tmp_path)
    case = scenario.build()
    for kind, name, part in (
        ("scotch-graph", "j.grf", "job"),
        ("scotch-target", "n.tgt", "network"),
        ("scotch-map", "ours.map", "mapping"),
    ):
        (tmp_path / name).write_text(export(case, kind, part).content)
    run = partial(subprocess.run, check=True, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    run([program(), "j.grf", "n.tgt", "found.map"])
    away = dict(
        nx.all_pairs_shortest_path_length(nx.Graph(np.column_stack([case.network.src, case.network.dst]).tolist()))
    )
    pairs = {
        (u, v) for _, block in case.job.phases[0].blocks() for u, v in np.column_stack(block[:2]).tolist() if u < v
    }
    for name in ("ours.map", "found.map"):
        nodes = replace(scenario, mapping=FromFile(file=name)).build().mapping.nodes
        hops = sum(away[nodes[u]][nodes[v]] for u, v in pairs)
        told = run(["gmtst", "j.grf", "n.tgt", name]).stdout
        assert re.search(r"CommDilat=\S+\s+\((\d+)\)", told)[1] == str(hops)


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_samples_are_written_unchanged():
    samples = {
        "openmpi-rankfile": "rankfile.txt", "mpich-rank-order": "MPICH_RANK_ORDER", "slurm-hostfile": "slurm_hostfile.txt",
        "hydra-hosts": "machinefile.txt", "poe-host-list": "host.list", "flux-taskmap": "taskmap.json",
        "scotch-map": "scotch.map", "permutation": "permutation.txt",
    }  # fmt: skip
    for kind, name in samples.items():
        text = (SAMPLES / name).read_text().replace("# grid_order -R\n", "")
        assert written(kind, SLOTS).content == text, kind
    flat = Torus(dims=(2, 2, 1), slots_per_node=4).build()
    assert written("vcoord", SLOTS, flat).content == (SAMPLES / "vcoord.txt").read_text()
    cube = Torus(dims=(2, 2, 2), slots_per_node=2).build()
    assert written("bgq-map", SLOTS, cube).content == (SAMPLES / "bgq.map").read_text()
    assert written("hostfile", range(16)).content == (SAMPLES / "hostfile.txt").read_text()
