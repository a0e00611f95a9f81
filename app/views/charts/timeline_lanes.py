"""The layout of steps and rows of a timeline, and the utilisation of rows by step and by pixel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from app.model.evaluation import WatchedItems
from app.model.measurement import Counters
from app.model.pointing import Item, title
from app.style.colour import Shading
from app.views.charts.timeline_readout import readout
from app.views.charts.timeline_waiting import RankTimes
from app.views.drawing import EDGE, SMALL, scaled_font
from app.wording.numbers import load_percent
from core.timing.timeline import Timeline

BLOCK_PX = 4
"""Least width of a step with a block of its own; narrower ones merge into a band."""
MARK_PX = 3
"""Height of the colour mark of a step's bottleneck."""
BETWEEN = 6
"""Pixels between rows."""
ROOM_PX = 150
"""Largest width of the name of a pinned item."""
NAMES = 0.4
"""Largest width of the names, relative to the chart: narrow ones elide them."""
AXIS_PX = 10
"""Pixels around the figures of the time axis."""
ABOVE_RANKS = 1.4
"""Height of the area above the rows of ranks, relative to its minimum."""
HEAD_PX = 22
"""Height of the legend line above the rows of ranks, at scale 1."""
MIN_PX, MAX_PX = 4, 14
"""Height of a row of a rank."""
FULL = "100 %"
SCALE_PX, SCALE_GAP = 8, 4
"""Width of the colour scale of a heatmap, and its distance from its texts."""
TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))

Values = NDArray[np.float64]
Numbers = NDArray[np.intp]


class Mark(NamedTuple):
    """The step and row at a point of the chart."""

    step: int
    row: int | None
    """The row, or None on the blocks and between rows."""
    rank: int | None = None
    """The rank whose row it is on."""
    chart: int = 0
    """The index of the timeline, of two above each other."""


@dataclass(frozen=True, eq=False)
class Bands:
    """Utilisation of classes and pinned items by step."""

    timeline: Timeline
    watched: WatchedItems | None = None
    """The pinned items."""

    @property
    def content(self) -> tuple[object, ...]:
        """Return what determines the picture."""
        return self.timeline, self.watched

    @cached_property
    def items(self) -> tuple[Item | None, ...]:
        """Return the item of each row: first None for each link class, then the watched items."""
        return (*(None for _ in self.timeline.case.network.classes), *(self.watched.items if self.watched else ()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the name of each row."""
        case = self.timeline.case
        classes = (c.name for c in case.network.classes)
        return (*classes, *(title(item, case) for item in self.items if item is not None))

    @property
    def columns(self) -> dict[str, Values]:
        """Return the values of the rows by step as columns of a table, by their names."""
        return {
            f"{name} {kind}": values[:, row]
            for row, name in enumerate(self.names)
            for kind, values in zip(("busiest", "mean"), self.parts, strict=True)
        }

    @property
    def counters(self) -> Counters | None:
        """Return the measured quantity whose colours fill the rows; None for rows of utilisations."""
        return None

    @property
    def shading(self) -> Shading | None:
        """Return the colours of these values, or None."""
        return None

    @property
    def ends(self) -> tuple[str, str]:
        """Return the values at the bottom and at the top of rows, or of the scale of their colours."""
        return "0", FULL

    def figure_of(self, row: int) -> tuple[str, str]:
        """Return the figure of a row over the whole time, in a long and a short form."""
        share = load_percent(float(self.shares[row]))
        return f"{share} busy", share

    def readout(self, step: int, row: int | None) -> list[str]:
        """Return the readout of a step, line by line, and of one of its rows if `row` is given."""
        return readout(self, step, row)

    @cached_property
    def times(self) -> tuple[Values, Values]:
        """Return when each step begins and ends, in seconds."""
        begins = np.array([step.start for step in self.timeline.steps])
        return begins, begins + [step.seconds for step in self.timeline.steps]

    @cached_property
    def alike(self) -> Numbers:
        """Return for each step the number of the first step with the same bottleneck."""
        steps = self.timeline.steps
        first = {step.bottleneck: k for k, step in reversed(list(enumerate(steps)))}
        return np.array([first[step.bottleneck] for step in steps], np.intp)

    @cached_property
    def parts(self) -> tuple[Values, Values]:
        """Return utilisation of the busiest link and mean of each row, 0 to 1, ``(steps, rows)`` each."""
        timeline, case = self.timeline, self.timeline.case
        busy, sent, gbs = (
            timeline.busy,
            timeline.sent,
            np.array([case.gbs[c.links].sum() for c in case.network.classes]),
        )
        if self.watched is not None:
            more = self.watched.rows
            busy, sent = np.hstack([busy, more.busy]), np.hstack([sent, more.sent])
            gbs = np.append(gbs, more.gbs)
        seconds = np.array([step.seconds for step in timeline.steps])[:, None]
        could = gbs * seconds
        busiest = np.divide(busy, seconds, out=np.zeros_like(busy), where=seconds > 0)
        return busiest, np.divide(sent, could, out=np.zeros_like(sent), where=could > 0)

    @cached_property
    def shares(self) -> Values:
        """Return the mean utilisation of each row over the whole time, 0 to 1, shape ``(rows,)``."""
        shares = list(self.timeline.utilisation.values())
        if self.watched is not None:
            could = self.watched.rows.gbs * self.timeline.seconds
            sent = self.watched.rows.sent.sum(axis=0)
            shares += np.divide(sent, could, out=np.zeros_like(sent), where=could > 0).tolist()
        return np.array(shares)

    @cached_property
    def sums(self) -> tuple[Values, Values]:
        """Return the times at which a step begins or ends, and the utilisation summed up to each, in seconds."""
        turns, rates = np.concatenate(self.times), self.parts[1]
        order = np.argsort(turns, kind="stable")
        turns, rates = turns[order], np.cumsum(np.concatenate([rates, -rates])[order], axis=0)
        return turns, np.cumsum(np.diff(turns, prepend=0.0)[:, None] * np.roll(rates, 1, axis=0), axis=0)


@dataclass(frozen=True, eq=False)
class Columns:
    """Values of the pixels of a part of the time, at a cost proportional to its pixels and steps."""

    bands: Bands
    width: int
    """Number of pixels."""
    low: float
    high: float
    """The part of the time, in seconds."""

    @cached_property
    def steps(self) -> Numbers:
        """Return the numbers of the steps that run in that time, in ascending order."""
        begins, ends = self.bands.times
        instant = (begins == ends) & (begins >= self.low) & (ends <= self.high)
        return np.flatnonzero(((begins < self.high) & (ends > self.low)) | instant)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Return the range of pixels of each, end exclusive, at least one pixel wide, shape ``(steps, 2)``."""
        begins, ends = ((times[self.steps] - self.low) * (self.width / self._seconds) for times in self.bands.times)
        first = np.clip(np.rint(begins).astype(np.int64), 0, self.width - 1)
        return np.stack([first, np.clip(np.rint(ends).astype(np.int64), first + 1, self.width)], axis=1)

    @property
    def _seconds(self) -> float:
        return self.high - self.low or 1.0

    def edges_of(self, step: int) -> tuple[int, int] | None:
        """Return the range of pixels of a step, end exclusive, or None if it is outside the visible time."""
        place = int(np.searchsorted(self.steps, step))
        if place >= self.steps.size or self.steps[place] != step:
            return None
        first, end = self.edges[place].tolist()
        return first, end

    @cached_property
    def own(self) -> Numbers:
        """Return the places in `steps` of the steps with a block of their own."""
        return np.flatnonzero(np.diff(self.edges, axis=1)[:, 0] >= BLOCK_PX)

    @cached_property
    def merged(self) -> list[tuple[int, int, int]]:
        """Return runs of pixels of merged steps: (first, end, number of one of the steps)."""
        narrow = np.setdiff1d(np.arange(self.steps.size), self.own)
        first, wide = self.edges[narrow, 0], np.diff(self.edges[narrow], axis=1)[:, 0]
        # The pixels of each step; the last of several steps on a pixel counts.
        within = np.arange(wide.sum()) - np.repeat(np.cumsum(wide) - wide, wide)
        owner = np.full(self.width, -1)
        owner[np.repeat(first, wide) + within] = np.repeat(self.bands.alike[self.steps[narrow]], wide)
        return [(a, b, int(owner[a])) for a, b in runs(owner) if owner[a] >= 0]

    @cached_property
    def values(self) -> tuple[Values, Values]:
        """Return utilisation of the busiest link and mean of each row by pixel, shape ``(width, rows)``.

        Means are over all steps that run in a pixel's time, so that they average to `Bands.shares`. The busiest link
        is taken from one of the steps, and is at least the mean: links that concurrent steps share are not known.
        """
        busiest, mean = np.zeros((self.width, len(self.bands.names))), self._means()
        rows, wide = self.bands.parts[0][self.steps], np.diff(self.edges, axis=1)[:, 0]
        single = wide == 1
        np.maximum.at(busiest, self.edges[single, 0], rows[single])
        for (first, end), row in zip(self.edges[~single].tolist(), rows[~single], strict=True):
            np.maximum(busiest[first:end], row, out=busiest[first:end])
        return np.maximum(busiest, mean), mean

    def _means(self) -> Values:
        turns, sums = self.bands.sums
        ends = np.linspace(self.low, self.high, self.width + 1)
        parts = [np.diff(np.interp(ends, turns, row)) for row in sums.T]
        # Removes rounding errors of sums.
        return np.round(np.stack(parts, axis=1) * (self.width / self._seconds), 9)

    @cached_property
    def strongest(self) -> Values:
        """Return the value of largest magnitude of each row by pixel, shape ``(width, rows)``; NaN without any."""
        values = np.full((self.width, len(self.bands.names)), np.nan)
        for (first, end), row in zip(self.edges.tolist(), self.bands.parts[0][self.steps], strict=True):
            shown = values[first:end]
            values[first:end] = np.where(np.abs(row) >= np.nan_to_num(np.abs(shown)), row, shown)
        return values

    def step_at(self, x: float) -> int | None:
        """Return the step at a pixel, or None; of several, the step that runs at that time."""
        held = self.steps[(self.edges[:, 0] <= x) & (x < self.edges[:, 1])]
        if not held.size:
            return None
        time = self.low + x / self.width * self._seconds
        begun = held[self.bands.times[0][held] <= time]
        return int(begun[-1] if begun.size else held[0])


def runs(values: NDArray[np.float64] | NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the index range of each run of equal values; ends are exclusive."""
    cuts = np.flatnonzero(np.diff(values)) + 1
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(values)], strict=True)


class Content(NamedTuple):
    """Content of a timeline."""

    bands: tuple[Bands, ...] = ()
    headings: tuple[str, ...] = ()
    colour_map: str = ""
    ranks: RankTimes | None = None


class Lanes(NamedTuple):
    """Where blocks and rows of one timeline are in a chart."""

    head: QRectF
    """Rectangle of the heading; empty if there is none."""
    blocks: QRectF
    rows: tuple[QRectF, ...]

    @property
    def area(self) -> QRectF:
        """Return the area above the time axis."""
        return QRectF(self.blocks.topLeft(), self.rows[-1].bottomRight()) if self.rows else self.blocks

    def row_at(self, y: float) -> int | None:
        """Return the row at a height, or None if there is none."""
        return next((k for k, row in enumerate(self.rows) if row.top() <= y <= row.bottom()), None)


class Layout(NamedTuple):
    """Where everything is in a chart."""

    lanes: tuple[Lanes, ...] = ()
    ranks: QRectF = QRectF()
    """Rectangle of the rows of ranks, below their legend; empty if there are none."""


def layout_for(bands: Sequence[Bands], size: QSizeF, font: QFont, *, ranks_head: float | None = None) -> Layout:
    """Return the layout of timelines above each other in a chart of some size, on one time axis.

    `ranks_head`: height of the legend of ranks below, or None if ranks have no rows.
    """
    if not bands:
        return Layout()
    left, headed = round(min(axis_left(bands, font), NAMES * size.width())), len(bands) > 1
    width = axis_width(bands, size.width(), left, font)
    needed = [least_height(len(bands_of_one.names), font, headed=headed) for bands_of_one in bands]
    height = size.height() if ranks_head is None else min(ABOVE_RANKS * sum(needed), size.height())
    ends = np.rint(np.cumsum([0, *needed]) * (height / sum(needed))).tolist()
    lanes = tuple(
        lanes_for(len(bands_of_one.names), QRectF(left, top, width, bottom - top), font, headed=headed)
        for bands_of_one, top, bottom in zip(bands, ends, ends[1:], strict=False)
    )
    if ranks_head is None:
        return Layout(lanes)
    top = round(height + ranks_head)
    return Layout(lanes, QRectF(left, top, width, max(size.height() - top, 0)))


def lanes_for(rows: int, area: QRectF, font: QFont, *, headed: bool = False) -> Lanes:
    """Return the lanes of a timeline in an area as wide as its time axis."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    head = QRectF(area.left(), area.top(), area.width(), round(small.height()) + 2 * BETWEEN if headed else 4)
    top, bottom = head.bottom(), area.bottom() - small.height() - AXIS_PX
    high = round(min(max(0.16 * (bottom - top), small.height() + MARK_PX + 3), 2.4 * small.height()))
    blocks = QRectF(area.left(), top, area.width(), high)
    each = max(int((bottom - blocks.bottom()) / max(rows, 1)) - BETWEEN, least_row(small))
    tops = [blocks.bottom() + BETWEEN + k * (each + BETWEEN) for k in range(rows)]
    return Lanes(head, blocks, tuple(QRectF(area.left(), y, area.width(), each) for y in tops))


def least_row(small: QFontMetricsF) -> int:
    """Return the least height of a row, for its name and figure."""
    return round(small.height() - 2)


def least_height(rows: int, font: QFont, *, headed: bool = False) -> int:
    """Return the least height of a timeline with `rows` rows."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    fixed = 4 + small.height() + MARK_PX + 3 + small.height() + AXIS_PX + headed * (small.height() + 2 * BETWEEN - 4)
    return round(fixed + rows * (least_row(small) + BETWEEN))


def axis_left(bands: Sequence[Bands], font: QFont) -> int:
    """Return the pixel where the time axes begin: right of the longest name of all."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    classes = [bands_of_one.timeline.case.network.classes for bands_of_one in bands]
    names = [c.name for classes_of_one in classes for c in classes_of_one]
    texts = [*names, "steps" if max(map(len, classes)) > 3 else "busy 0.00 %"]
    widest = max(map(small.horizontalAdvance, texts)) * 1.1
    pinned = any(item is not None for bands_of_one in bands for item in bands_of_one.items)
    return round(EDGE + MARK_PX + 6 + (max(widest, ROOM_PX) if pinned else widest) + 8)


def axis_width(bands: Sequence[Bands], width: float, left: int, font: QFont) -> int:
    """Return the width of the time axes in a picture of some width: left of the values at the ends of rows."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    texts = [text for bands_of_one in bands for text in bands_of_one.ends]
    scale = SCALE_PX + SCALE_GAP if any(bands_of_one.shading is not None for bands_of_one in bands) else 0
    return max(round(width - left - EDGE - scale - max(map(small.horizontalAdvance, texts))), 20)


def unit_of(seconds: float) -> tuple[str, float]:
    """Return the unit of a time axis of some length, and its length in seconds."""
    return next((unit for unit in TIMES if seconds >= 2 * unit[1]), TIMES[-1])
