"""Failures of the components of a machine, evaluated one by one, and their harm as values of links. No Qt."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.model.cables_to_add import CableState
from app.model.measurement import Counters, CounterScale, LinkSource
from app.model.pointing import Item, vertex_item
from core.figures.resilience import (
    EQUAL,
    CurveLength,
    FailureCurve,
    FailureFigures,
    Resilience,
    components,
    curve_of,
    evaluator,
    named_curve,
    summary_of,
)
from core.load.evaluate import LoadReport
from core.load.snapshots import bare
from core.network import AddedCable, AnyFault, LinkFault, Network, NodeFault
from core.spec import Progress, SpecError

MOST_AT_ONCE, DRAWS = 10, 30
"""Maximum number of simultaneous random failures in the curve, and random draws of them."""
HARM_UNIT, PERCENT = "%", 100.0
Values = NDArray[np.float64]


class FailureChoice(NamedTuple):
    """The failures to evaluate."""

    what: str = "cables"
    """Kind of component, as in `core.figures.resilience.COMPONENTS`."""
    sample: int | None = None
    """Size of the random sample; None for all."""


@dataclass(frozen=True, eq=False)
class FailureEvaluation:
    """The evaluated failures of one kind of component."""

    report: LoadReport
    """The loads without the failures, which identifies the scenario."""
    figures: Resilience
    faults: tuple[AnyFault, ...]
    """The fault of each row of the figures."""
    curve: FailureCurve
    """The throughput after random failures at once."""
    harm: Counters
    """The slow-down of the job by the failure of each link, or of the component that the link belongs to."""
    seconds: float = 0.0
    """Wall time of the evaluation."""

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Return the component of each row."""
        return tuple(item_of(fault, self.report.case.network) for fault in self.faults)

    @cached_property
    def of_all_cables(self) -> bool:
        """Return whether every cable failed, one at a time, rather than a sample of them or other components."""
        return self.figures.what == "cables" and len(self.faults) == len(components(self.report.case.network, "cables"))

    def is_of(self, report: LoadReport) -> bool:
        """Return whether the failures are of a report's scenario."""
        return self.report is report or bare(self.report.case.scenario) == bare(report.case.scenario)


@dataclass(frozen=True, eq=False)
class ReferenceCurve:
    """The curve of random failures of A."""

    report: LoadReport
    """The loads of A without the failures."""
    curve: FailureCurve


@dataclass(frozen=True, slots=True, eq=False)
class WhatIfState:
    """The failures of the scenario on screen."""

    choice: FailureChoice = field(default_factory=FailureChoice)
    """The failures to evaluate next."""
    failures: FailureEvaluation | None = None
    """The last ones evaluated."""
    curve_of_a: ReferenceCurve | None = None
    """The last curve of a state A, to compare with."""
    progress: float | None = None
    """Fraction done of the evaluation under way."""
    refused: SpecError | None = None
    """Why the last evaluation failed."""
    cables: CableState = field(default_factory=CableState)
    """The cables to add."""
    pointed: int | None = None
    """The row of cables to add that is drawn on the machine, with the rows before it."""

    def proposed_in(self, report: LoadReport) -> tuple[AddedCable, ...]:
        """Return the cables to draw that a report's scenario does not have; none if they are of another scenario."""
        search = self.cables.search
        added = None if search is None or self.pointed is None else search.added_in(report)
        if search is None or self.pointed is None or added is None:
            return ()
        return search.cables[added : self.pointed + 1]


def evaluate_failures(report: LoadReport, choice: FailureChoice, progress: Progress) -> FailureEvaluation:
    """Return the chosen failures of a report's scenario.

    Raises SpecError: if the network has no such component. Raises Cancelled: when `progress` does.
    """
    network = report.case.network
    faults = components(network, choice.what, choice.sample)
    work = len(faults) + DRAWS * _most(network, choice.what)
    part = len(faults) / work
    rows = evaluator(report, lambda done: progress(done * part))([(fault,) for fault in faults])
    figures = summary_of(report, choice.what, rows)
    curve = _curve("B", report, choice.what, lambda done: progress(part + done * (1 - part)))
    fault_of = {id(row): fault for row, fault in zip(rows, faults, strict=True)}
    ordered = tuple(fault_of[id(row)] for row in figures.rows)
    return FailureEvaluation(report, figures, ordered, curve, _harm(figures, ordered, network))


def evaluate_reference(report: LoadReport, what: str, progress: Progress) -> ReferenceCurve:
    """Return the curve of failures of A.

    Raises SpecError: if its network has no such component. Raises Cancelled: when `progress` does.
    """
    return ReferenceCurve(report, _curve("A", report, what, progress))


def _most(network: Network, what: str) -> int:
    return min(MOST_AT_ONCE, len(components(network, what)))


def _curve(name: str, report: LoadReport, what: str, progress: Progress) -> FailureCurve:
    length = CurveLength(_most(report.case.network, what))
    return named_curve(name, report, what, curve_of(report, what, length, DRAWS, 0, evaluator(report, progress)))


def slowdown(base: float | None, row: FailureFigures) -> float:
    """Return the relative slow-down of the job by a failure: negative if it is faster, infinite if flows are cut."""
    if row.disconnected_flows or not row.throughput_gbs or not base:
        return np.inf if base else np.nan
    slower = base / row.throughput_gbs - 1
    return 0.0 if abs(slower) <= EQUAL else slower


def harm_words(failures: FailureEvaluation, link: int) -> str:
    """Return the effect of a failure of a link as a sentence; empty if it was not evaluated."""
    value = float(failures.harm.values[link])
    if np.isnan(value):
        return ""
    return f"If {FAILING[failures.figures.what]} fails, {effect_words(value)}"


def effect_words(value: float) -> str:
    """Return a slow-down in words: ``the job takes 19.4 % longer``."""
    if np.isinf(value):
        return "flows are disconnected"
    if value == 0:
        return "the job takes as long"
    return f"the job takes {abs(PERCENT * value):.3g} % {'longer' if value > 0 else 'less time'}"


FAILING = {
    "cables": "its cable", "switches": "a switch at its end", "nodes": "a node at its end", "bundles": "its bundle",
}  # fmt: skip
"""The components that a link belongs to."""


def item_of(fault: AnyFault, network: Network) -> Item:
    """Return the item that a fault with numbers is of."""
    if isinstance(fault, LinkFault):
        return Item("link", fault.link(network))
    if isinstance(fault, NodeFault):
        return vertex_item(int(fault.node), network)
    return Item("bundle", int(fault.a) * network.groups + int(fault.b))


@lru_cache(maxsize=2)
def unknown_harm(links: int) -> Counters:
    """Return the harm of links before any failure was evaluated."""
    return Counters(LinkSource.HARM, np.full(links, np.nan), CounterScale(PERCENT, 0.0), HARM_UNIT)


def _harm(figures: Resilience, faults: tuple[AnyFault, ...], network: Network) -> Counters:
    # Where a link belongs to several components, such as the nodes at its ends, the worst failure counts.
    values = np.full(network.links, np.nan)
    for row, fault in zip(figures.rows, faults, strict=True):
        links = fault.links(network)
        values[links] = np.fmax(values[links], slowdown(figures.base_gbs, row))
    finite = np.abs(values[np.isfinite(values)])
    scale = CounterScale(PERCENT, float(finite.max(initial=0.0)))
    return Counters(LinkSource.HARM, values, scale, HARM_UNIT)
