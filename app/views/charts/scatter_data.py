"""The content of scatter plots, and the ranges of their axes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import ceil, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.views.charts.kit.scales import LINEAR, LOG, Mark, Scale
from app.views.drawing import padded
from core.text import figure

WIDE = 30.0
"""Least ratio of the largest to the smallest figure for a logarithmic axis."""
PAD = 0.07
"""Padding at both ends, as part of the range."""
MAX_MARKS = 12
"""Maximum number of chosen values that are all marked."""


class Dot(NamedTuple):
    """A point of the plot."""

    name: str
    """Name written next to it if there is room."""
    x: float
    y: float
    row: int
    """Its row in the table's arrays."""
    hue: int = 0
    """Index of its hue."""
    panel: int = 0
    """Index of its small plot."""


@dataclass(frozen=True, slots=True)
class Hue:
    """A colour and its meaning."""

    name: str
    colour: str
    """As #rrggbb."""


@dataclass(frozen=True, slots=True)
class AxisRange:
    """The range of an axis, and the texts along it."""

    low: float
    high: float
    """Both ends, as values."""
    scale: Scale = LINEAR
    given: tuple[Mark, ...] = ()
    """Names, or the figures that were chosen."""
    named: bool = False
    """Whether `given` are names."""

    @property
    def log(self) -> bool:
        """Return whether it is logarithmic."""
        return self.scale is LOG

    def marks(self, low: float, high: float, limit: int) -> list[Mark]:
        """Return about `limit` marks: names, or every second or third; chosen figures, or round ones if too many."""
        shown = [mark for mark in self.given if low <= mark.value <= high]
        if self.named:
            return shown[:: max(ceil(len(shown) / max(limit, 1)), 1)]
        return shown if 1 < len(shown) <= limit else list(self.scale.marks(low, high, limit))


@dataclass(frozen=True)
class ScatterData:
    """The content of a scatter plot."""

    dots: tuple[Dot, ...] = ()
    x_title: str = ""
    y_title: str = ""
    chosen: int = -1
    """Row of the current point."""
    pinned: int = -1
    """Row of the point marked with A."""
    hues: tuple[Hue, ...] = ()
    """Empty: all points have one colour."""
    hue_title: str = ""
    panels: tuple[str, ...] = ("",)
    """Titles of the small plots."""
    x_names: tuple[str, ...] = ()
    """Names along x: then x is the index of a name, not a figure."""
    y_names: tuple[str, ...] = ()
    joined: bool = False
    """Whether points of one hue are joined by lines, if their x are distinct."""
    describe: Callable[[int], str] | None = field(default=None, compare=False)
    """Describes a row in tool tips; None for its name and figures."""

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Return the figures of the points, shape ``(points, 2)``."""
        return np.array([(dot.x, dot.y) for dot in self.dots], np.float64).reshape(-1, 2)

    @cached_property
    def kinds(self) -> NDArray[np.intp]:
        """Return row, hue and small plot of each point, shape ``(points, 3)``."""
        return np.array([(dot.row, dot.hue, dot.panel) for dot in self.dots], np.intp).reshape(-1, 3)

    @cached_property
    def across(self) -> AxisRange:
        """Return the x axis of all plots."""
        if self.x_names:
            return named_range(self.x_names)
        return range_over(self.places[:, 0].tolist(), stepped=self.joined)

    @cached_property
    def up(self) -> AxisRange:
        """Return the y axis of all plots."""
        return named_range(self.y_names) if self.y_names else range_over(self.places[:, 1].tolist())


def named_range(names: tuple[str, ...]) -> AxisRange:
    """Return the range of some names, evenly spaced."""
    marks = tuple(Mark(float(number), name) for number, name in enumerate(names))
    return AxisRange(-0.5, len(names) - 0.5, given=marks, named=True)


def range_over(values: Sequence[float], *, stepped: bool = False) -> AxisRange:
    """Return a range with room around some figures; logarithmic if their ratio is large.

    `stepped`: the figures were chosen, and are marked if they are few and evenly spaced, also on a logarithmic axis.
    """
    low, high = min(values), max(values)
    steps = sorted(set(values)) if stepped else []
    doubled = low > 0 and len(steps) > 2 and _even([log10(step) for step in steps])
    log = (low > 0 and high / low >= WIDE) or doubled
    marked = 1 < len(steps) <= MAX_MARKS and (doubled or _even(steps))
    marks = tuple(Mark(step, figure(step)) for step in steps) if marked else ()
    if log:
        pad = PAD * log10(high / low)
        return AxisRange(low / 10**pad, high * 10**pad, LOG, marks)
    pad = PAD * (high - low) or abs(high) * 0.1 or 1.0
    return AxisRange(*padded(low, high, pad), LINEAR, marks)


def _even(values: Sequence[float]) -> bool:
    gaps = [b - a for a, b in pairwise(values)]
    return max(gaps) <= 1.01 * min(gaps)
