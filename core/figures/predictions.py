"""Closed-form predictions of Chakaravarthy et al., "Mapping strategies for the PERCS architecture", 2012.

Each function checks the network, job, mapping and routing that a formula holds for, and names its link class.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.job import Halo, Transpose
from core.load.scenario import Case
from core.mapping import Blocks, ModColour, RowOrColumn
from core.network import Percs
from core.routing import PercsDirect, PercsIndirect

QUADS = 4
"""Slots per node in the paper's formulas."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Throughput per node by a published formula for one link class."""

    link_class: str
    gbs: float
    formula: str
    at_least: bool = False
    """The formula is a lower bound on the throughput, not its value."""


def _supernode_blocks(case: Case) -> Blocks | None:
    # The formulas hold for blocks that fill a supernode and have four different neighbours.
    blocks, job = case.scenario.mapping, case.scenario.job
    assert isinstance(blocks, Blocks)
    assert isinstance(job, Halo)
    if blocks.rows * blocks.cols != 128 or not job.periodic:
        return None
    return blocks if job.rows >= 3 * blocks.rows and job.cols >= 3 * blocks.cols else None


def _halo_blocks_direct(percs: Percs, case: Case) -> tuple[Prediction, ...]:
    blocks = _supernode_blocks(case)
    if blocks is None:
        return ()
    value = 160 * percs.d_links / max(blocks.rows, blocks.cols)
    return (Prediction("D", value, f"160 nd / max(a, b) = {value:.4g}"),)


def _halo_mod_direct(percs: Percs, case: Case) -> tuple[Prediction, ...]:
    return (Prediction("D", 20.0 * percs.d_links, f"20 nd = {20 * percs.d_links}"),)


def _halo_blocks_indirect(percs: Percs, case: Case) -> tuple[Prediction, ...]:
    blocks = _supernode_blocks(case)
    if blocks is None or {blocks.rows, blocks.cols} != {8, 16}:
        return ()
    value = 5 * percs.supernodes * percs.d_links / 3
    return (Prediction("D", value, f"5 ns nd / 3 = {value:.4g}"),)


def _whole_lines(case: Case) -> bool:
    # Rows or columns must fit into a supernode (appendix, second boundary case).
    job = case.scenario.job
    assert isinstance(job, Transpose)
    return min(job.rows, job.cols) <= 128


def _transpose_direct(percs: Percs, case: Case) -> tuple[Prediction, ...]:
    if not _whole_lines(case):
        return ()
    value = 20 * percs.d_ports
    return Prediction("D", value, f"20 h = {value:.4g}"), Prediction("LR", 80.0, "at least 80", at_least=True)


def _transpose_indirect(percs: Percs, case: Case) -> tuple[Prediction, ...]:
    if not _whole_lines(case):
        return ()
    by_d, by_lr = 10 * percs.d_ports, 320 / (4 + percs.d_links)
    return (
        Prediction("D", by_d, f"at least 10 h = {by_d:.4g}", at_least=True),
        Prediction("LR", by_lr, f"at least 320 / (4 + nd) = {by_lr:.4g}", at_least=True),
    )


FORMULAS: dict[tuple[type, type, type], Callable[[Percs, Case], tuple[Prediction, ...]]] = {
    (Halo, Blocks, PercsDirect): _halo_blocks_direct,
    (Halo, ModColour, PercsDirect): _halo_mod_direct,
    (Halo, Blocks, PercsIndirect): _halo_blocks_indirect,
    (Transpose, RowOrColumn, PercsDirect): _transpose_direct,
    (Transpose, RowOrColumn, PercsIndirect): _transpose_indirect,
}
"""Formulas by job, mapping and routing; they return nothing if other premises fail."""


def predictions(case: Case) -> tuple[Prediction, ...]:
    """Return the paper's predictions for a case on a full standard machine without faults, otherwise none."""
    scenario, percs = case.scenario, case.scenario.network
    if case.faults is not None:
        return ()
    if not isinstance(percs, Percs) or percs.slots_per_node != QUADS or case.job.tasks != case.network.slots:
        return ()
    if (percs.drawers, percs.nodes_per_drawer, percs.ll_gbs, percs.lr_gbs, percs.d_gbs) != (4, 8, 21.0, 5.0, 10.0):
        return ()
    compute = FORMULAS.get((type(scenario.job), type(scenario.mapping), type(scenario.routing)))
    return compute(percs, case) if compute is not None else ()
