"""Closed-form predictions of the PERCS mapping paper, to stand beside what is measured.

Each says for which network, job, mapping and routing the paper derives it, and for which link class.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.job import Halo, Transpose
from core.load.scenario import Case
from core.mapping import Blocks, ModColour, RowOrColumn
from core.network import Percs
from core.routing import PercsDirect, PercsIndirect

QUADS = 4
"""Slots per node the paper's formulas assume."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A throughput per node that a paper's formula gives for one link class."""

    link_class: str
    gbs: float
    formula: str
    at_least: bool = False
    """The formula is a lower bound on the throughput, not its value."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula and the choices it holds for."""

    job: type
    mapping: type
    routing: type
    compute: Callable[[Percs, Case], Prediction | None]


def _halo_blocks_direct(percs: Percs, case: Case) -> Prediction | None:
    blocks = case.scenario.mapping
    assert isinstance(blocks, Blocks)
    # Derived for blocks no two of which are joined by more than one pair of supernodes: whole supernodes in order.
    if blocks.rows * blocks.cols != 128:
        return None
    value = 160 * percs.d_links / max(blocks.rows, blocks.cols)
    return Prediction("D", value, f"160 nd / max(a, b) = {value:.4g}")


def _halo_mod_direct(percs: Percs, case: Case) -> Prediction:
    return Prediction("D", 20.0 * percs.d_links, f"20 nd = {20 * percs.d_links}")


def _halo_blocks_indirect(percs: Percs, case: Case) -> Prediction | None:
    blocks = case.scenario.mapping
    assert isinstance(blocks, Blocks)
    if {blocks.rows, blocks.cols} != {8, 16}:
        return None
    value = 5 * percs.supernodes * percs.d_links / 3
    return Prediction("D", value, f"5 ns nd / 3 = {value:.4g}")


def _transpose_direct(percs: Percs, case: Case) -> Prediction:
    value = min(20 * percs.d_ports, 80.0)
    return Prediction("D" if value < 80 else "LR", value, f"min(20 h, 80) = {value:.4g}")


def _transpose_indirect(percs: Percs, case: Case) -> Prediction:
    by_d, by_lr = 10 * percs.d_ports, 320 / (4 + percs.d_links)
    value = min(by_d, by_lr)
    return Prediction("D" if by_d <= by_lr else "LR", value, f"min(10 h, 320 / (4 + nd)) = {value:.4g}", at_least=True)


FORMULAS = (
    Formula(Halo, Blocks, PercsDirect, _halo_blocks_direct),
    Formula(Halo, ModColour, PercsDirect, _halo_mod_direct),
    Formula(Halo, Blocks, PercsIndirect, _halo_blocks_indirect),
    Formula(Transpose, RowOrColumn, PercsDirect, _transpose_direct),
    Formula(Transpose, RowOrColumn, PercsIndirect, _transpose_indirect),
)


def predictions(case: Case) -> tuple[Prediction, ...]:
    """Return what the paper predicts for a case; nothing where its premises do not hold (full machine, standard links)."""
    scenario, percs = case.scenario, case.scenario.network
    if not isinstance(percs, Percs) or percs.slots_per_node != QUADS or case.job.tasks != case.network.slots:
        return ()
    if (percs.ll_gbs, percs.lr_gbs, percs.d_gbs) != (21.0, 5.0, 10.0):
        return ()
    found = [
        formula.compute(percs, case)
        for formula in FORMULAS
        if isinstance(scenario.job, formula.job)
        and isinstance(scenario.mapping, formula.mapping)
        and isinstance(scenario.routing, formula.routing)
    ]
    return tuple(prediction for prediction in found if prediction is not None)
