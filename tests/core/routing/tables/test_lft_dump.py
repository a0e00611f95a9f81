"""Export of forwarding tables: the form of OpenSM, the paths of other routings, and loading them into OpenSM."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.export import export
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges, LinkFault, Torus, Xgft
from core.routing import DModK, Minimal, Tables, with_faults
from core.routing.tables.derived import tables_of
from core.routing.tables.dumps import read_tables
from core.routing.tables.engines import ENGINES, compute_tables
from core.routing.tables.fabric import fabric_of
from core.routing.tables.forwarding import NO_PORT
from core.routing.tables.lft_dump import dump_of, write_opensm_lfts
from core.routing.tables.scheme import TableRouter
from core.spec import SpecError
from tests.core.ibsim import needs_ibsim, simulated
from tests.core.network.formats.fabrics import dump, two_rails
from tests.core.routing.tables.fabrics import LMC, built, discovered, fabrics, routed, tables
from tests.core.routing.tables.test_scheme import DEGRADED, TREE, dumped, everyone

ENGINE_NAMES = tuple(engine.name for engine in ENGINES)
PERFECT = Xgft(down=(4, 4), up=(1, 4), parallel=(1, 1))


def read_back(folder, exported):
    (folder / "t.lfts").write_text(exported.content)
    return read_tables(folder / "t.lfts")


def assert_equal(given, expected):
    np.testing.assert_array_equal(given.guids, expected.guids)
    width = max(given.ports.shape[1], expected.ports.shape[1])
    padded = [
        np.pad(t.ports, ((0, 0), (0, width - t.ports.shape[1])), constant_values=NO_PORT) for t in (given, expected)
    ]
    np.testing.assert_array_equal(*padded)


@pytest.mark.parametrize("folder", [TREE, DEGRADED], ids=lambda path: path.name)
def test_a_dump_is_written_as_opensm_writes_it(folder):
    _, router = dumped(folder)
    assert write_opensm_lfts(router).content == (folder / "opensm-lfts.dump").read_text()


@given(st.data(), fabrics())
def test_tables_are_read_as_they_were_exported(empty_folder, data, fabric):
    folder = empty_folder()
    _, router = routed(folder, fabric, data.draw(tables(*fabric)))
    assert_equal(read_back(folder, write_opensm_lfts(router)), read_tables(folder / "lfts.dump"))


@given(st.data(), fabrics(), st.booleans())
def test_tables_of_minimal_paths_lead_along_them(empty_folder, data, fabric, faulty):
    folder = empty_folder()
    (folder / "fabric.txt").write_text(dump(*fabric, lmc=LMC))
    network = Edges(file="fabric.txt", nics="own").build(folder)
    failed = np.zeros(network.links, np.bool_)
    if faulty:
        failed[data.draw(st.lists(st.integers(0, network.links - 1), max_size=3))] = True
        failed |= failed[np.arange(network.links) ^ 1]
    router = with_faults(Minimal().router(network), failed)
    made = read_back(folder, write_opensm_lfts(router, failed))
    flows = everyone(network.nodes)
    for all_lids in (False, True):
        fabric, _ = fabric_of(network, made, all_lids)
        given = with_faults(TableRouter(network, fabric), failed)
        np.testing.assert_array_equal(given.loads([flows]), router.loads([flows]))
    spine = np.setdiff1d(network.dst, np.append(network.dst[network.src < network.nodes], np.arange(network.nodes)))
    hops = TableRouter(network, fabric_of(network, made, all_lids=False)[0], failed).hop_counts
    assert faulty or (hops[:, spine - network.nodes] > 0).all()


def test_computed_tables_are_read_as_they_were_written(tmp_path):
    network = built(tmp_path, discovered(PERFECT))
    made = compute_tables(network, "d-mod-k")
    assert_equal(read_back(tmp_path, dump_of(made, network)), made)


@pytest.mark.parametrize("folder", [TREE, DEGRADED], ids=lambda path: path.name)
def test_tables_of_d_mod_k_lead_along_its_paths(tmp_path, folder):
    network = Edges(file="ibnetdiscover.txt").build(folder)
    router = DModK().router(network)
    fabric, notes = fabric_of(network, read_back(tmp_path, write_opensm_lfts(router)), all_lids=False)
    assert notes == ()
    loads = [each.loads([everyone(network.nodes)]) for each in (router, TableRouter(network, fabric))]
    np.testing.assert_array_equal(*loads)


REFUSED = [
    (Edges(file="fabric.txt"), Minimal(spread="equal"), "routing.type: splits flows over several paths; choose a sch"),
    (PERFECT, Minimal(), "network: forwarding tables need an InfiniBand fabric with LIDs, such as the output of"),
    (Edges(file="rails.txt"), Minimal(), "does not determine at which NIC of node000 flows arrive, which has 2; cho"),
]


@pytest.mark.parametrize(("network", "routing", "words"), REFUSED, ids=["several paths", "no LIDs", "several NICs"])
def test_routings_that_tables_cannot_hold_are_refused_in_a_line(tmp_path, network, routing, words):
    built(tmp_path, discovered(PERFECT))
    (tmp_path / "rails.txt").write_text(dump(*two_rails(hosts=8, leaves=4, spines=2)))
    case = Scenario(network, AllToAll(8), Sequential(), routing, folder=tmp_path).build()
    with pytest.raises(SpecError, match=re.escape(words)):
        export(case, "opensm-lfts")


def test_paths_that_depend_on_the_source_are_refused(tmp_path):
    class Twisted(TableRouter):
        """Sends the first flow by other links."""

        def paths(self, src, dst):
            paths = super().paths(src, dst)
            flow = int(np.flatnonzero((src == 0) & (dst == self.network.nodes - 1))[0])
            other = super().paths(src[flow : flow + 1], dst[flow : flow + 1] * 0 + dst[flow])
            first, last = paths.start[flow], paths.start[flow + 1]
            network, links = self.network, other.links.copy()
            spines = network.dst[network.src == network.src[links[1]]]
            spine = next(s for s in spines if s >= network.nodes and s != network.dst[links[1]])
            links[1] = network.links_between(network.src[links[1]], spine)[0]
            links[2] = network.links_between(spine, network.dst[links[2]])[0]
            paths.links[first:last] = links
            return paths

    network, router = dumped(TREE)
    with pytest.raises(SpecError, match=r"paths from s\d_\d+ to n\d+ depend on the source, and the next hop in tables"):
        tables_of(Twisted(network, router.fabric))


def test_failed_links_leave_given_tables_as_they_are():
    scenario = Scenario(
        Edges(file="ibnetdiscover.txt"), AllToAll(16), Sequential(), Tables(file="opensm-lfts.dump"), folder=TREE,
        faults=(LinkFault("s1_0000 port 5", "s2_0000"),),
    )  # fmt: skip
    assert export(scenario.build(), "opensm-lfts").content == (TREE / "opensm-lfts.dump").read_text()


@needs_ibsim
@pytest.mark.parametrize("engine", ENGINE_NAMES)
@pytest.mark.parametrize("spec", [PERFECT, Torus(dims=(3, 3))], ids=["tree", "torus"])
def test_opensm_loads_exported_tables(tmp_path, spec, engine):
    if engine == "d-mod-k" and isinstance(spec, Torus):
        pytest.skip("d-mod-k needs a tree")
    (tmp_path / "net").write_text(dump(*discovered(spec)).replace("4xHDR", "4xQDR"))
    with simulated(tmp_path, "net") as run:
        (tmp_path / "fabric.txt").write_bytes(run("ibnetdiscover"))
    network = Edges(file="fabric.txt").build(tmp_path)
    exported = dump_of(compute_tables(network, engine), network)
    made = read_back(tmp_path, exported)
    with simulated(tmp_path, "net", "-R", "file", "-U", str(tmp_path / "t.lfts")):
        loaded = read_tables(tmp_path / "opensm-lfts.dump")
    assert_equal(loaded, made)
    assert (tmp_path / "opensm-lfts.dump").read_text() == exported.content
