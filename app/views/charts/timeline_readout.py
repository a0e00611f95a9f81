"""The readout of a step of a timeline: when it runs, which tasks send to which, and what limits it."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.wording.names import step_title
from app.wording.numbers import load_percent
from core.job.job import Phase
from core.text import duration, links_of, plural
from core.timing.timeline import INJECTION, Timeline

MAX_NAMED = 3
"""Maximum number of messages of a step that are listed."""
MESSAGES_PER_CHUNK = 1 << 12
"""Approximate number of messages examined at once to find them."""


class Rows(Protocol):
    """The rows of a timeline."""

    @property
    def timeline(self) -> Timeline:
        """The timeline."""

    @property
    def items(self) -> Sequence[object | None]:
        """The item of each row; None for link classes."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each row."""

    @property
    def parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Busiest and mean utilisation of the rows by step."""


def readout(bands: Rows, step: int, row: int | None = None) -> list[str]:
    """Return the readout of a step, line by line, and of one of its rows if `row` is given."""
    timeline = bands.timeline
    shown_step = timeline.steps[step]
    lines = [*begin(timeline, step)]
    if not shown_step.messages:
        lines.append("no messages")
    else:
        hops = f", {plural(shown_step.hops, 'hop')}" if timeline.each_round is None else ""
        lines.append(f"{plural(shown_step.messages, 'message')}{hops or ', one link each'}")
        if timeline.each_round is None:
            lines.append(f"task {messages_text(timeline.case.job.phases[step])}")
        lines.append(_limit_text(bands, step))
    if row is not None and bands.items[row] is not None:
        lines.append(_of_row(bands, step, row))
    return lines


def begin(timeline: Timeline, step: int) -> list[str]:
    """Return the first lines of the readout of a step: its title and its time."""
    shown = timeline.steps[step]
    times = [f"starts at {duration(shown.start)}, lasts {duration(shown.seconds)}"] if timeline.timed else []
    return [step_title(step, len(timeline.steps), shown.name), *times]


def _limit_text(bands: Rows, step: int) -> str:
    limit = bands.timeline.steps[step].bottleneck
    if limit == INJECTION:
        return "limited by the injection bandwidth of a node"
    if limit is None:
        return "no link carries load"
    used = load_percent(float(bands.parts[1][step, bands.names.index(limit)]))
    return f"limited by {links_of(limit)}, mean utilisation {used}"


def _of_row(bands: Rows, step: int, row: int) -> str:
    busiest, mean = (load_percent(float(values[step, row])) for values in bands.parts)
    if busiest == mean:
        return f"{bands.names[row]}: utilisation {mean}"
    return f"{bands.names[row]}: mean utilisation {mean}, busiest link {busiest}"


def messages_text(phase: Phase) -> str:
    """Return the first messages of a phase between different tasks: ``0 → 12, 1 → 13, 2 → 14 …``."""
    pairs = []
    for src, dst in _messages(phase):
        pairs.append(f"{src:,} → {dst:,}")
        if len(pairs) > MAX_NAMED:
            return f"{', '.join(pairs[:MAX_NAMED])} …"
    return ", ".join(pairs)


def _messages(phase: Phase) -> Iterator[tuple[int, int]]:
    many = max(MESSAGES_PER_CHUNK // max(phase.fan_out, 1), 1)
    for first in range(0, phase.tasks, many):
        flows = phase.out_flows(np.arange(first, min(first + many, phase.tasks), dtype=np.int32))
        away = np.flatnonzero(flows.src != flows.dst)[: MAX_NAMED + 1]
        yield from zip(flows.src[away].tolist(), flows.dst[away].tolist(), strict=True)
