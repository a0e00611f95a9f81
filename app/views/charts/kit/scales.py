"""Scales of axes, and the figures written along them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, NamedTuple

import numpy as np

from app.views.drawing import nice_step
from app.wording.numbers import axis_text

GAP_PX = 5
"""Minimum distance of two texts along an axis."""


class Mark(NamedTuple):
    """A figure on an axis."""

    value: float
    text: str
    role: str = "dim"
    """Its colour in the theme."""


Marks = Callable[[float, float, int], Sequence[Mark]]
"""Returns the marks between two values, about as many as the third argument."""


def round_marks(low: float, high: float, limit: int) -> list[Mark]:
    """Return round figures from `low` to `high`, about `limit` of them."""
    if high <= low:
        return []
    step = nice_step(high - low, limit)
    decimals = max(0, -floor(log10(step)))
    numbers = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    return [Mark(k * step, axis_text(k * step, decimals)) for k in numbers]


def decade_marks(low: float, high: float, limit: int) -> list[Mark]:
    """Return round figures of each decade, about `limit` of them; if the range has fewer than two, round figures."""
    if not 0 < low < high:
        return []
    values: list[float] = []
    for parts in ((1, 2, 5), (1, 3), (1,)):
        decades = range(floor(log10(low)), ceil(log10(high)) + 1)
        values = [float(f"{part}e{k}") for k in decades for part in parts]
        values = [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(values) <= limit:
            break
    if len(values) < 2:
        return round_marks(low, high, limit)
    return [Mark(value, axis_text(value, max(0, -floor(log10(value))))) for value in values]


def count_marks(low: float, high: float, limit: int) -> list[Mark]:
    """Return the powers of ten from `low` to `high`, for counts on a scale that begins at 0."""
    powers = [10**k for k in range(len(str(max(int(high + 1e-6), 1))))]
    return [Mark(float(count), f"{count:,}") for count in powers if low <= count <= high * (1 + 1e-9)]


@dataclass(frozen=True, slots=True)
class Scale:
    """The mapping of values to places on an axis; both functions take figures or arrays."""

    forward: Callable[[Any], Any]
    back: Callable[[Any], Any]
    marks: Marks


def _power_of_ten(place: Any) -> Any:
    return np.power(10.0, place)


LINEAR = Scale(np.positive, np.positive, round_marks)
LOG = Scale(np.log10, _power_of_ten, decade_marks)
LOG1P = Scale(np.log1p, np.expm1, count_marks)
"""A logarithmic scale of counts, on which 0 has a place and 1 is visible."""


def spread(
    places: Sequence[float], widths: Sequence[float], room: float, beyond: float = 0.0
) -> list[tuple[int, float]]:
    """Return which texts fit along an axis of `room` pixels: (number, pixel where it begins), from the left.

    Each is centred at its place, the outermost ones are shifted inside, at the left with `beyond` pixels more room. If
    there are too many, the last is always written, then the first, then the others from the left.
    """
    if not places:
        return []
    left = [min(max(at - wide / 2, -beyond), room - wide) for at, wide in zip(places, widths, strict=True)]
    last = len(places) - 1
    if last == 0 or left[0] + widths[0] + GAP_PX > left[last]:
        return [(last, left[last])]
    kept, end = [(0, left[0])], left[0] + widths[0]
    for k in range(1, last):
        if left[k] >= end + GAP_PX and left[k] + widths[k] + GAP_PX <= left[last]:
            kept.append((k, left[k]))
            end = left[k] + widths[k]
    return [*kept, (last, left[last])]
