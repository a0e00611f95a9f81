"""The two themes: colours by role, the scale of type and marks, and the style sheet made from these."""

import re
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from string import Template

import resources

ICONS = Path(str(files(resources) / "icons")).as_posix()
"""Folder of the icons that the style sheet names."""
FONT_SCALES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
"""Scales offered by the commands for larger and smaller type."""
LENGTH = re.compile(r"(border-radius: )?\b(\d+)px")
"""Matches a length in the style sheet; group 1 matches if it is a radius."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by role, as #rrggbb, and the scale of type and marks."""

    name: str
    window: str
    panel: str
    field: str
    border: str
    text: str
    dim: str
    """Less important text."""
    accent: str
    on_accent: str
    selected: str
    """Background of a selected row."""
    hovered: str
    """Background of the row under the pointer."""
    good: str
    bad: str
    warning: str
    missing: str
    """Items without data."""
    beyond: str
    """Loads above the top of a frozen scale: a hue that is in no colour map."""
    roles: tuple[str, ...]
    """Colours of hop roles, jobs and other small categories, distinguishable also with colour vision deficiency."""
    scale: float = 1.0
    """Scale of type and marks relative to the desktop's; used by all drawing code."""

    @property
    def dark(self) -> bool:
        """Return whether the background is dark."""
        return self.name == "dark"

    def scaled(self, scale: float) -> "Theme":
        """Return this theme with another scale."""
        return _scaled(self, scale)

    def job_colour(self, number: int) -> str:
        """Return the job colour with this number, from 1."""
        return self.roles[(number - 1) % len(self.roles)]

    def px(self, length: float) -> int:
        """Return a length at scale 1 in pixels at this scale, at least 1 unless the length is 0."""
        return max(round(length * self.scale), min(round(length), 1))

    def style_sheet(self) -> str:
        """Return the Qt style sheet in these colours, with scaled lengths, except lines of one pixel."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("roles", "scale")}
        sheet = Template(_style()).substitute(values, icons=ICONS)
        return LENGTH.sub(self._scaled_length, sheet)

    def _scaled_length(self, match: re.Match[str]) -> str:
        radius, length = match[1] or "", int(match[2])
        # Qt draws sharp corners if the radius is more than half a side.
        return f"{radius}{int(length * self.scale) if radius else self.px(length) if length > 1 else length}px"


DARK = Theme(
    name="dark",
    window="#14171c",
    panel="#1b1f26",
    field="#12151a",
    border="#2b313b",
    text="#e6e9ee",
    dim="#8b93a1",
    accent="#55bdfa",
    on_accent="#0b1620",
    selected="#21405a",
    hovered="#232a34",
    good="#4cc38a",
    bad="#ff7a6b",
    warning="#f0b354",
    missing="#4a505b",
    beyond="#ff5cf4",
    roles=("#55bdfa", "#e19421", "#905db6", "#5ab165", "#ec648e", "#d9dc60", "#a6efe4", "#8268ff"),
)
LIGHT = Theme(
    name="light",
    window="#eef0f4",
    panel="#ffffff",
    field="#f5f6f9",
    border="#d5d9e0",
    text="#1a1e25",
    dim="#636a77",
    accent="#0c68c6",
    on_accent="#ffffff",
    selected="#cfe4f8",
    hovered="#eef1f6",
    good="#0d7a47",
    bad="#c62f1d",
    warning="#8f5a00",
    missing="#c3c8d0",
    beyond="#c000b8",
    roles=("#0f6fd1", "#884900", "#601f7c", "#147640", "#d13e7a", "#8a8700", "#1f9f9d", "#001a10"),
)
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


@lru_cache(maxsize=len(FONT_SCALES) * len(THEMES))
def _scaled(theme: Theme, scale: float) -> Theme:
    return theme if scale == theme.scale else replace(theme, scale=scale)


@lru_cache(maxsize=1)
def _style() -> str:
    return (files(resources) / "style.qss").read_text(encoding="utf-8")
