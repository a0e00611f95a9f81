"""Intervals between readings of counters, as steps of a timeline."""

from dataclasses import dataclass

import numpy as np

from core.counters.measured_links import MeasuredLinks
from core.load.scenario import Case
from core.timing.step import Step
from core.timing.timeline import Timeline


@dataclass(frozen=True, eq=False)
class MeasuredTimeline(Timeline):
    """The intervals, with the GB of each link as its load; intervals of unknown length last a second each."""

    lengths: bool = True
    """Whether their lengths are known."""

    @property
    def noun(self) -> str:
        """Return the noun for a step."""
        return "interval"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the figures of an interval in tables; messages are unknown."""
        return "name", "start", "seconds", "bottleneck"

    @property
    def timed(self) -> bool:
        """Return whether the intervals have known lengths."""
        return self.lengths


def measured_timeline(case: Case, links: MeasuredLinks) -> MeasuredTimeline:
    """Return the intervals of counters that were read several times; their bottleneck is the busiest class."""
    classes, capacity = case.network.classes, np.where(case.gbs > 0, case.gbs, np.inf)
    shape = len(links.intervals), len(classes)
    steps, total, busy, sent = list[Step](), np.zeros(case.network.links), np.zeros(shape), np.zeros(shape)
    start = 0.0
    for number, interval in enumerate(links.intervals):
        gb, seconds = np.nan_to_num(interval.gb), interval.seconds or 1.0
        busy[number] = [(gb[of.links] / capacity[of.links]).max(initial=0.0) for of in classes]
        sent[number] = [gb[of.links].sum() for of in classes]
        total += gb
        busiest = classes[int(busy[number].argmax())].name if busy[number].any() else None
        steps.append(Step(f"interval {number + 1:,}", start, seconds, 0, 0.0, 0.0, None, busiest))
        start += seconds
    lengths = all(interval.seconds is not None for interval in links.intervals)
    return MeasuredTimeline(case, steps, total, busy, sent, lengths=lengths)
