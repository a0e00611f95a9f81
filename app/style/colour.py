"""The colour scales of loads: of utilisation, the same for all classes and views, and of its differences."""

from colorsys import hsv_to_rgb
from dataclasses import dataclass
from functools import lru_cache
from math import floor, log10
from typing import Any, ClassVar, NamedTuple

import numpy as np
from cmap import Colormap
from numpy.typing import NDArray

MAPS: dict[str, tuple[str, str]] = {
    # name: (map on a dark background, map on a light one); cold colours are near the background in both
    "heat": ("matplotlib:inferno", "colorbrewer:YlOrRd"),
    "batlow": ("crameri:batlow", "crameri:batlow_r"),
    "cividis": ("cividis:cividis", "cividis:cividis_r"),
}
COLD = (60, 60, 84), (226, 219, 203)
"""Colours of zero load on a dark and on a light background: unobtrusive, but distinct from the background."""
COLD_REACH = 0.4
"""The part of a map into which they are blended, since maps begin near the colour of one background."""
EVEN_REACH = 0.5
"""The part of a map whose lightness is made even: after blending it would not be monotonic, and two loads would look
alike to people who distinguish few hues.
"""
DIVERGING = {"difference": ("crameri:berlin", "crameri:vik")}
"""Maps of differences: equal is unobtrusive but distinct from the background, less is blue, more is red."""
NEUTRAL = (54, 58, 67), (214, 215, 219)
"""Colours of equal loads, on a dark and on a light background."""
NEUTRAL_REACH = 0.08
"""The part of a map, on either side of its middle, into which they are blended."""
DIVERGING_EXPONENTS = 0.5, 0.75
"""Exponents applied to the maps of differences, dark and light."""
SKIPPED = 0.3, 0.1
"""The part omitted around the middle of each map, since it is too near to the background."""
LOG_DECADES = 3
"""A logarithmic scale shows this many decades below its top."""
LUT_SIZE = 256
ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
"""Ends of scales of differences, times a power of ten: dense enough to use most of the map, but changing rarely."""
BEYOND = 1 + 1e-5
"""Minimum utilisation that exceeds the top; a smaller excess is rounding, also in single precision."""


Numbers = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class ColourScale:
    """The mapping from loads to colours."""

    log: bool = False
    frozen_time: float | None = None
    """The time, s per unit, of 100 %; None for the time of the hottest link now."""
    map: str = "heat"
    frozen_as: str = "the frozen state"
    """Name of the reference of a frozen scale."""

    signed: ClassVar[bool] = False
    """Whether zero is in the middle of the map instead of at its beginning."""

    def coordinate(self, relative: Numbers) -> NDArray[np.float32]:
        """Return the coordinates on the map of utilisations (1 = top), clipped to 0 to 1; same shape, float32."""
        values = np.asarray(relative, np.float64)
        if self.log:
            with np.errstate(divide="ignore"):
                values = 1 + np.log10(values) / LOG_DECADES
        return np.clip(values, 0.0, 1.0).astype(np.float32)

    def exceeds(self, relative: Numbers) -> NDArray[np.bool_]:
        """Return which utilisations exceed a frozen top, and get the colour `Theme.beyond`."""
        return np.asarray(relative) > BEYOND

    def relative(self, coordinate: float) -> float:
        """Return the utilisation at a coordinate of the map: the inverse of `coordinate`, for legends."""
        return float(10 ** ((coordinate - 1) * LOG_DECADES)) if self.log else coordinate


@dataclass(frozen=True, slots=True)
class DifferenceScale:
    """The mapping from differences of utilisations to colours: zero in the middle of the map, symmetric."""

    span: float = 1.0
    """The difference at the ends of the map."""

    signed: ClassVar[bool] = True
    log: ClassVar[bool] = False
    map: ClassVar[str] = "difference"

    def coordinate(self, relative: Numbers) -> NDArray[np.float32]:
        """Return the coordinates on the map of differences, clipped to 0 to 1; same shape, float32."""
        values = np.asarray(relative, np.float64) / (2 * self.span) + 0.5
        return np.clip(values, 0.0, 1.0).astype(np.float32)

    def exceeds(self, relative: Numbers) -> NDArray[np.bool_]:
        """Return which differences exceed either end."""
        return np.abs(np.asarray(relative)) > BEYOND * self.span

    def relative(self, coordinate: float) -> float:
        """Return the difference at a coordinate of the map."""
        return (2 * coordinate - 1) * self.span

    @classmethod
    def reaching(cls, largest: float) -> "DifferenceScale":
        """Return the scale that ends at the next round number above the largest difference."""
        if largest <= 0:
            return cls()
        decade = 10.0 ** floor(log10(largest))
        return cls(next((step * decade for step in ROUND if step * decade >= largest * (1 - 1e-9)), 10 * decade))


class ScaleTop(NamedTuple):
    """The top of the colour scale."""

    time: float
    """The time, s per unit, of 100 %."""
    span: float = 0.0
    """The difference, relative to it, at the ends of the scale of differences; 0 if loads are shown."""

    def towards(self, other: "ScaleTop", done: float) -> "ScaleTop":
        """Return the top at a fraction `done` between this and another."""
        return ScaleTop(*(a + (b - a) * done for a, b in zip(self, other, strict=True)))


Shading = ColourScale | DifferenceScale
"""The quantity that colours links."""


@lru_cache(maxsize=16)
def lookup_table(map_name: str, dark: bool) -> NDArray[np.uint8]:
    """Return the colours of a map for a theme, shape ``(256, 4)``, RGBA."""
    colours = (_diverging if map_name in DIVERGING else _sequential)(map_name, dark)
    table = np.round(colours).astype(np.uint8)
    table.setflags(write=False)
    return table


def _sequential(map_name: str, dark: bool) -> Numbers:
    colours = np.asarray(Colormap(MAPS[map_name][0 if dark else 1])(np.linspace(0.03, 0.97, LUT_SIZE))) * 255
    kept = np.clip(np.linspace(0, 1 / COLD_REACH, LUT_SIZE), 0, 1)[:, None]
    return _even(np.asarray((*COLD[0 if dark else 1], 255) * (1 - kept) + colours * kept))


def _even(colours: Numbers) -> Numbers:
    """Return colours whose lightness, L* of CIELAB, changes in even steps up to `EVEN_REACH`, with the same hues."""
    part = colours[:, :3] / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    root = np.cbrt(luminance)  # linear in L* for colours that are not nearly black
    reach = round(EVEN_REACH * len(root))
    root[:reach] = np.linspace(root[0], root[reach], reach, endpoint=False)
    linear = np.clip(linear * (root**3 / luminance)[:, None], 0, 1)
    part = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.column_stack([part * 255, colours[:, 3]])


def _diverging(map_name: str, dark: bool) -> Numbers:
    # Exponents below 1 make small differences more visible than in the original maps.
    side = np.linspace(-1, 1, LUT_SIZE)
    power, skipped = (DIVERGING_EXPONENTS[0], SKIPPED[0]) if dark else (DIVERGING_EXPONENTS[1], SKIPPED[1])
    stretched = np.sign(side) * (skipped + (1 - skipped) * np.abs(side) ** power)
    colours = np.asarray(Colormap(DIVERGING[map_name][0 if dark else 1])(0.5 + 0.47 * stretched)) * 255
    neutral = np.array((*(NEUTRAL[0] if dark else NEUTRAL[1]), 255))
    return np.asarray(colours + (neutral - colours) * np.exp(-((side / NEUTRAL_REACH) ** 2))[:, None])


@lru_cache(maxsize=8)
def category_colours(count: int, dark: bool) -> NDArray[np.uint8]:
    """Return muted colours that distinguish adjacent groups, shape ``(count, 4)``; always used with labels."""
    # Steps of the golden angle keep consecutive groups far apart in hue, for any count.
    k = np.arange(count)
    hue = (0.03 + k * 0.381966) % 1
    value = (0.62 if dark else 0.86) + 0.06 * ((k // 3) % 3 - 1)
    saturation = (0.48 if dark else 0.34) + 0.05 * ((k // 5) % 3 - 1)
    table = np.full((count, 4), 255, np.uint8)
    colours = [hsv_to_rgb(*hsv) for hsv in zip(hue.tolist(), saturation.tolist(), value.tolist(), strict=True)]
    table[:, :3] = np.round(np.array(colours).reshape(count, 3) * 255)
    return table
