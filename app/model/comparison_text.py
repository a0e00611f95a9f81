"""Texts on the links and throughputs of two compared states: both values, and the difference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.model.evaluation import Evaluation
from app.model.scenario_diff import COUNTED, NODES, change_between
from app.model.state import State
from app.wording.numbers import (
    MINUS,
    STILL_FLOWING,
    factor,
    load_percent,
    percent,
    rate,
    signed,
    significant,
    throughput_text,
    with_sign,
)
from core.job.measure import common, strictest
from core.load.compare import Difference, difference, elsewhere
from core.load.evaluate import TOLERANCE, LoadReport
from core.load.phases import Loads
from core.load.scenario import CHOICES
from core.text import plural

Links = NDArray[np.integer]
MANIFOLD = 10.0
"""Minimum ratio of throughputs written as a factor instead of in percent."""
ALIKE = "Every link carries the same load in A and B."
DIFFERENT_LINKS = "A and B have different networks, so single links cannot be compared."
HOTTEST_OF_BOTH = "the hottest link of A and B"
"""The reference of percentages, unless the colour scale is frozen."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Utilisation of the hottest of some links in A and in B, and the largest change among the links."""

    a: float
    b: float
    change: float

    @property
    def text(self) -> str:
        """Return ``A 80 % → B 40 %``, followed by the largest change."""
        return f"A {load_percent(self.a)} → B {load_percent(self.b)}, {self.change_text}"

    @property
    def change_text(self) -> str:
        """Return the largest change with its sign, marked if it is not the change of the hottest link."""
        text = signed_percent(self.change)
        return text if abs(self.b - self.a - self.change) < 1e-9 else f"largest change {text}"


def signed_percent(share: float) -> str:
    """Return a difference as ``+40 %``, ``−0.3 %`` or ``no change``."""
    return with_sign(share, load_percent)


def link_figures(a: LoadReport, b: LoadReport, changes: Difference, link: int) -> list[str]:
    """Return the load of a link in A, in B, and the difference, then the three in percent of the hottest link's time.

    Loads are in the measure that A and B have in common.
    """
    measure = common(a.case.job.measure, b.case.job.measure)
    loads = [measure.converted(float(report.total_load[link])) for report in (a, b)]
    shares = [float(report.utilisation[link]) * report.time / changes.unit for report in (a, b)]
    percents = *map(percent, shares), signed(float(changes.values[link]))
    more = with_sign(loads[1] - loads[0], significant, "0")
    return [*map(significant, loads), more, *(text.removesuffix(" %") for text in percents)]


def range_text(changes: NDArray[np.floating]) -> str:
    """Return ``−20 % to +40 %``, the range of differences."""
    low, high = float(changes.min(initial=0.0)), float(changes.max(initial=0.0))
    if low == high:
        return "no change"
    return f"B {MINUS} A: {signed_percent(low) if low else '0'} to {signed_percent(high) if high else '0'}"


def changed_text(changed: int, listed: int, reference: str = HOTTEST_OF_BOTH) -> str:
    """Return the number of changed links, and the reference of their percentages."""
    some = f", {listed:,} largest listed" if changed > listed else ""
    return f"{plural(changed, 'link')} changed{some} · % of {reference}"


def compared(state: State, links: Links) -> Compared | None:
    """Return the change of some links from A to B, or None if no states with the same links are compared."""
    both = state.same_links_pair
    if both is None or not links.size or state.full_scale_time <= 0:
        return None
    change_per_link = difference(both[0].report, both[1].report)
    change = change_per_link.values[links] * (change_per_link.unit / state.full_scale_time)
    a, b = (float(relative_at(state, evaluation, links).max()) for evaluation in both)
    return Compared(a, b, float(change[np.abs(change).argmax()]))


def relative_at(state: State, evaluation: Evaluation, links: Links) -> Loads:
    """Return the utilisations of some links in A or B, shape ``(n,)``, on the scale of the state."""
    return np.asarray(evaluation.report.utilisation[links] * (evaluation.report.time / (state.full_scale_time or 1.0)))


def link_lines(state: State, link: int) -> tuple[str, ...]:
    """Return one line for the link in A and one for it in B; none if the states are not compared."""
    both = state.same_links_pair
    change = compared(state, np.array([link]))
    if both is None or change is None:
        return ()
    lines, measure = [], common(*(evaluation.case.job.measure for evaluation in both))
    for name, evaluation, share in zip("AB", both, (change.a, change.b), strict=True):
        mark = ": bottleneck" if np.any(evaluation.report.bottleneck_links == link) else ""
        lines.append(
            f"{name}: {measure.suited_amount(float(evaluation.report.total_load[link]))}, {load_percent(share)}{mark}"
        )
    a, b = (float(evaluation.report.total_load[link]) for evaluation in both)
    return (*lines, f"B {MINUS} A: {with_sign(b - a, measure.suited_amount)}, {signed_percent(change.change)}")


def throughputs(a: Evaluation, b: Evaluation) -> tuple[str, str]:
    """Return ``64.0 → 67.2 GB/s per node, +5 %``, with times where known, and "good", "bad" or ""."""
    old, new = a.report.throughput_gbs, b.report.throughput_gbs
    times = [report.seconds for report in (a.report, b.report)]
    unit = strictest(evaluation.case.job.measure for evaluation in (a, b)).rate
    text = rate((old, new), [] if None in times else times, unit)
    if old is None or new is None:
        return text, ""
    lost = a.report.disconnected, b.report.disconnected
    if any(lost):
        # Throughputs of different flows are not comparable.
        sides = " → ".join(report.headline or "all connected" for report in lost)
        return f"{text} {STILL_FLOWING} ({sides})", ""
    if abs(new - old) <= TOLERANCE * max(old, new):
        return f"{throughput_text(b.report) if a.report.time == b.report.time else text} in both", ""
    ratio = new / old
    change = signed(ratio - 1) if ratio < MANIFOLD else factor(ratio)
    return f"{text}, {change}", "good" if new > old else "bad"


def what_differs(a: Evaluation, b: Evaluation) -> str:
    """Return the choices that differ, and the names of the choices that do not."""
    before, after = a.case.scenario, b.case.scenario
    parts, alike = [], []
    for choice in CHOICES:
        if getattr(before, choice) == getattr(after, choice):
            alike.append(choice)
            continue
        text, _ = change_between(before, before.with_choice(choice, getattr(after, choice)))
        parts.append(f"{choice}: {text.removeprefix(choice + ' ')}")
    moved = elsewhere(a.case, b.case)
    if moved is not None and (moved or before.mapping != after.mapping):
        parts.append(f"{plural(moved, 'task')} moved to another node")
    named = [choice for choice in CHOICES if choice not in alike]
    for name, words in NODES.items():
        if getattr(before, name) != getattr(after, name):
            named.append(words)
            parts.append(f"{words}: changed")
    for name, word in COUNTED.items():
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            named.append(f"{word}s")
            parts.append(f"{word}s: {len(old):,} → {len(new):,}")
    if not parts:
        return "A and B are the same scenario."
    # The heading drops its last parts if they do not fit.
    count = [f"{len(named)} changes: {', '.join(named)}"] if len(named) > 1 else []
    same = [f"{', '.join(alike)}: same"] if alike else []
    return " · ".join([*count, *parts, *same])
