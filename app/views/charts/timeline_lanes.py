"""The layout of steps and rows of a timeline, and the utilisation of rows by pixel."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from app.model.evaluation import WatchedItems
from app.model.pointing import Item, title
from app.views.charts.axes import EDGE, Axes, ChartAxis
from app.views.drawing import SMALL, scaled_font
from core.timing.timeline import Timeline

BLOCK_PX = 4
"""Least width of a step with a block of its own; narrower ones merge into a band."""
MARK_PX = 3
"""Height of the colour mark of the class that a step waits for."""
BETWEEN = 6
"""Pixels between rows."""
ROOM_PX = 150
"""Largest width of the name of a pinned item."""
FULL = "100 %"
TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bands:
    """Utilisation of classes and pinned items by pixel."""

    timeline: Timeline
    width: int
    """Width of the axis."""
    watched: WatchedItems | None = None
    """The pinned items."""
    seconds: float = 0.0
    """Length of the axis in seconds; 0: the timeline's."""

    @property
    def whole(self) -> float:
        """Return the length of the axis in seconds; 1 if it is 0."""
        return max(self.seconds, self.timeline.seconds) or 1.0

    @cached_property
    def items(self) -> tuple[Item | None, ...]:
        """Return the item of each row; None: a class, which come first."""
        return (*(None for _ in self.timeline.case.network.classes), *(self.watched.items if self.watched else ()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the name of each row; parallel links, which have the same name, are numbered."""
        case = self.timeline.case
        found = [c.name for c in case.network.classes]
        found += [title(item, case) for item in self.items if item is not None]
        return tuple(
            f"{name} ({found[: k + 1].count(name)})" if found.count(name) > 1 else name for k, name in enumerate(found)
        )

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Return the first pixel of every step and the one after its last, at least one wide, ``(steps, 2)``."""
        steps, whole = self.timeline.steps, self.whole
        start = np.array([step.start for step in steps]) / whole * self.width
        end = np.array([step.start + step.seconds for step in steps]) / whole * self.width
        first = np.clip(np.rint(start).astype(np.int64), 0, self.width - 1)
        return np.stack([first, np.clip(np.rint(end).astype(np.int64), first + 1, self.width)], axis=1)

    @cached_property
    def own(self) -> NDArray[np.intp]:
        """Return the steps with a block of their own."""
        return np.flatnonzero(np.diff(self.edges, axis=1)[:, 0] >= BLOCK_PX)

    @cached_property
    def parts(self) -> tuple[Values, Values]:
        """Return utilisation of the busiest link and mean of each row, 0 to 1, ``(steps, rows)`` each."""
        found, case = self.timeline, self.timeline.case
        busy, sent, gbs = found.busy, found.sent, np.array([case.gbs[c.links].sum() for c in case.network.classes])
        if self.watched is not None:
            more = self.watched.rows
            busy, sent = np.hstack([busy, more.busy]), np.hstack([sent, more.sent])
            gbs = np.append(gbs, more.gbs)
        seconds = np.array([step.seconds for step in found.steps])[:, None]
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
    def columns(self) -> tuple[Values, Values]:
        """Return the same as `parts` by pixel, shape ``(width, rows)``.

        Means are over all steps that run in a pixel's time, so that they average to `shares`. The busiest link is that
        of one of the steps, and at least the mean: which links concurrent steps have in common is not known.
        """
        busiest, mean = np.zeros((self.width, len(self.names))), self._means()
        for (first, end), row in zip(self.edges.tolist(), self.parts[0], strict=True):
            np.maximum(busiest[first:end], row, out=busiest[first:end])
        return np.maximum(busiest, mean), mean

    def _means(self) -> Values:
        # From the volume sent up to each time at which a step begins or ends.
        steps, rates = self.timeline.steps, self.parts[1]
        turns = np.array([step.start for step in steps] + [step.start + step.seconds for step in steps])
        order = np.argsort(turns, kind="stable")
        turns, rates = turns[order], np.cumsum(np.concatenate([rates, -rates])[order], axis=0)
        sent = np.cumsum(np.diff(turns, prepend=0.0)[:, None] * np.roll(rates, 1, axis=0), axis=0)
        ends = np.linspace(0.0, self.whole, self.width + 1)
        found = np.stack([np.diff(np.interp(ends, turns, row)) for row in sent.T], axis=1) * (self.width / self.whole)
        # Removes rounding errors of sums.
        return np.round(found, 9)

    @cached_property
    def merged(self) -> list[tuple[int, int, int]]:
        """Return runs of pixels of merged steps: (first, end, number of one of the steps)."""
        owner = np.full(self.width, -1)
        waits = {step.bottleneck: k for k, step in reversed(list(enumerate(self.timeline.steps)))}
        for k in np.setdiff1d(np.arange(len(self.timeline.steps)), self.own).tolist():
            first, end = self.edges[k].tolist()
            owner[first:end] = waits[self.timeline.steps[k].bottleneck]
        return [(a, b, int(owner[a])) for a, b in runs(owner) if owner[a] >= 0]


def runs(values: NDArray[np.float64] | NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the first index and the one after the last of each run of equal values."""
    cuts = np.flatnonzero(np.diff(values)) + 1
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(values)], strict=True)


@dataclass(frozen=True, eq=False)
class Lanes:
    """The layout of blocks and rows of one timeline."""

    bands: Bands
    blocks: QRectF
    rows: tuple[Axes, ...]
    """Axes of the rows: seconds across, 0 to 1 upwards."""
    unit: tuple[str, float]
    """Unit of the time axis, and its length in seconds."""
    heading: str = ""
    """Heading; its parts after the first are dim."""
    head: QRectF = field(default_factory=QRectF)

    @property
    def area(self) -> QRectF:
        """Return the area above the time axis."""
        return QRectF(self.blocks.topLeft(), self.rows[-1].plot.bottomRight()) if self.rows else self.blocks

    def step_at(self, where: QPointF) -> int | None:
        """Return the step at a point; None: there is none."""
        edges, x = self.bands.edges, where.x() - self.blocks.left()
        if not self.area.adjusted(0, -2, 1, 2).contains(where):
            return None
        held = np.flatnonzero((edges[:, 0] <= x) & (x < edges[:, 1]))
        return self._of_pixel(held, x) if held.size else None

    def row_at(self, y: float) -> int | None:
        """Return the row at a height; None: there is none."""
        return next((k for k, axes in enumerate(self.rows) if axes.plot.top() <= y <= axes.plot.bottom()), None)

    def _of_pixel(self, held: NDArray[np.intp], x: float) -> int:
        # Of several on one pixel the one that runs at that time.
        steps = self.bands.timeline.steps
        time = x / self.blocks.width() * self.bands.whole
        begun = [k for k in held.tolist() if steps[k].start <= time]
        return begun[-1] if begun else int(held[0])

    def extent(self, step: int) -> QRectF:
        """Return the rectangle of a step, from the blocks down to the last row."""
        first, end = self.bands.edges[step].tolist()
        return QRectF(self.blocks.left() + first, self.blocks.top(), end - first, self.area.height())


def lanes_for(bands: Bands, area: QRectF, left: float, font: QFont, heading: str = "") -> Lanes:
    """Return the lanes of a timeline in an area; the axis begins at `left` and is as wide as the bands."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    head = QRectF(area.left(), area.top(), area.width(), small.height() + BETWEEN if heading else 4.0)
    top, bottom = head.bottom(), area.bottom() - small.height() - 10
    high = round(min(max(0.16 * (bottom - top), small.height() + MARK_PX + 3), 2.4 * small.height()))
    blocks = QRectF(left, top, bands.width, high)
    count = max(len(bands.names), 1)
    each = max(int((bottom - blocks.bottom()) / count) - BETWEEN, least_row(small))
    unit = next((one for one in TIMES if bands.whole >= 2 * one[1]), TIMES[-1])
    across, up = ChartAxis(0.0, bands.whole / unit[1]), ChartAxis(0.0, 1.0)
    tops = [blocks.bottom() + BETWEEN + k * (each + BETWEEN) for k in range(len(bands.names))]
    rows = tuple(Axes(QRectF(left, y, bands.width, each), across, up) for y in tops)
    return Lanes(bands, blocks, rows, unit, heading, head)


def least_row(small: QFontMetricsF) -> int:
    """Return the least height of a row, for its name and figure."""
    return round(small.height() - 2)


def least_height(rows: int, font: QFont, *, headed: bool = False) -> int:
    """Return the least height of a timeline with so many rows."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    fixed = 4 + small.height() + MARK_PX + 3 + small.height() + 10 + headed * (small.height() + 2)
    return round(fixed + rows * (least_row(small) + BETWEEN))


def axis_left(timelines: list[Timeline], pinned: bool, font: QFont) -> int:
    """Return the pixel where the time axes begin: right of the longest name of all."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    names = [c.name for timeline in timelines for c in timeline.case.network.classes]
    crowded = max(len(timeline.case.network.classes) for timeline in timelines) > 3
    texts = [*names, "steps" if crowded else "busy 0.00 %"]
    widest = max(map(small.horizontalAdvance, texts)) * 1.1
    return round(EDGE + MARK_PX + 6 + (max(widest, ROOM_PX) if pinned else widest) + 8)


def axis_width(width: float, left: int, font: QFont) -> int:
    """Return the width of the time axis in a picture of some width."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    return max(round(width - left - EDGE - small.horizontalAdvance(FULL)), 20)
