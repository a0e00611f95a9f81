"""Real traffic: the traced matrices of the NAS benchmarks, if they are next to the repository."""

from math import isclose
from pathlib import Path

import numpy as np
import pytest

from core.job import Flows
from core.load.explain import explain
from core.mapping import Random, Sequential
from core.network import Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from tests.core.compare import assert_same_loads, from_core, from_lattice, from_percs
from tests.core.load.cases import report_of
from tests.oracle.loads import lattice_loads, percs_loads
from tests.oracle.percs import Machine
from tests.oracle.torus import Lattice

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "nas-mpi-64"
MATRICES = sorted(path.name for path in FOLDER.glob("*.csv"))


def node_traffic(report, matrix, name):
    """(source node, target node, volume) of all flows of the matrix, for the oracle."""
    node = report.case.mapping.nodes
    return [(name(int(node[i])), name(int(node[j])), float(matrix[i, j])) for i, j in np.argwhere(matrix)]


def on_percs(matrix, routing, file):
    report = report_of(Percs(supernodes=2, d_links=4), Flows(file=file), routing, Random(7), FOLDER)
    machine = Machine(2, 4, indirect=isinstance(routing, PercsIndirect))
    loads = percs_loads(machine, node_traffic(report, matrix, machine.node))
    return report, loads, from_percs(machine, loads)


def on_torus(matrix, routing, file):
    report = report_of(Torus(dims=(4, 4, 4)), Flows(file=file), routing, Sequential(), FOLDER)
    lattice = Lattice((4, 4, 4), (True,) * 3, getattr(routing, "model", "dimension-order"))
    loads = lattice_loads(lattice, node_traffic(report, matrix, lattice.node))
    return report, loads, from_lattice(lattice, loads)


if MATRICES:  # defined only with the traces: absent matrices are not collected

    @pytest.mark.parametrize("file", MATRICES)
    @pytest.mark.parametrize("routing", [PercsDirect(), PercsIndirect(), DimensionOrder(), Adaptive()])
    def test_traced_traffic_loads_links_as_in_the_oracle(file, routing):
        matrix = np.loadtxt(FOLDER / file, delimiter=",")
        evaluated = on_torus if isinstance(routing, DimensionOrder | Adaptive) else on_percs
        report, loads, expected = evaluated(matrix, routing, file)
        assert report.case.job.tasks == 64
        assert_same_loads(from_core(report.case.network, report.load), expected)
        # Conservation: the sum of all loads is volume times hops.
        assert isclose(report.load.sum(), sum(loads.values()), rel_tol=1e-12)
        # The fewest nodes that can hold the job, wherever it sits.
        nodes = 64 / report.case.network.slots_per_node
        assert report.volume_per_node == pytest.approx(matrix.sum() / nodes)
        link = int(report.hottest(1)[0])
        assert explain(report, link).tasks.total == pytest.approx(report.load[link], rel=1e-12)
