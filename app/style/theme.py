"""The two looks of the window: colours by role, and the style sheet made from them."""

from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from string import Template

ICONS = Path(str(files("resources") / "icons")).as_posix()
"""Folder of the icons that the style sheet names."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by role, as #rrggbb."""

    name: str
    window: str
    panel: str
    field: str
    border: str
    text: str
    dim: str
    """Text of less weight."""
    accent: str
    on_accent: str
    selected: str
    """Background of a chosen row."""
    hovered: str
    """Background of the row under the pointer."""
    good: str
    bad: str
    warning: str
    missing: str
    """What has no data."""
    beyond: str
    """Loads above the top of a frozen scale: a hue that no colour map has."""
    roles: tuple[str, ...]
    """Colours of hop roles in the inspector."""

    @property
    def dark(self) -> bool:
        """Return whether the background is dark."""
        return self.name == "dark"

    def style_sheet(self) -> str:
        """Return the Qt style sheet in these colours."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "roles"}
        return Template(_style()).substitute(values, icons=ICONS)


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
    roles=("#55bdfa", "#ffb14e", "#b28dff", "#4cc38a", "#ff7a9c", "#d5d95c", "#6fd3d8"),
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
    roles=("#0f6fd1", "#c97a00", "#7a4fd0", "#0d7a47", "#c2336a", "#8a8600", "#1b8a91"),
)
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


@lru_cache(maxsize=1)
def _style() -> str:
    return (files("resources") / "style.qss").read_text(encoding="utf-8")
