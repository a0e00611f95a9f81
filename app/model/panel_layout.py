"""Layouts of the window: visible panels, and how they share the space."""

import math
from typing import Annotated

import msgspec

from app.model.view_table import VIEWS

PANELS = {
    "build": "Build",
    **{view.id: view.title for view in VIEWS if view.slot != "charts"},
    "charts": "Charts",
    "bottleneck": "Bottleneck",
}
"""Titles of the panels by name: the views, with all charts as one panel, and the docks."""
MAX_SHARES = 8

Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class PanelLayout(msgspec.Struct, frozen=True):
    """A layout of the window in proportions instead of pixels, so that it fits any screen."""

    hidden: tuple[str, ...] = ()
    """Names of the panels that are not visible."""
    maximised: str = ""
    """Name of the maximised panel; empty for none."""
    tab: str = ""
    """Id of the chart in front; empty leaves the chart as it is."""
    shares: dict[str, Annotated[tuple[Share, ...], msgspec.Meta(max_length=MAX_SHARES)]] = {}
    """Fractions of the parts of each splitter by its name, and under ``docks`` the docks' fractions of the window's
    width; splitters without an entry have default sizes."""


DEFAULT = PanelLayout()
LAYOUTS = {
    "map": PanelLayout(("inner", "matrix", "charts"), shares={"top": (0.55, 0.45)}),
    "diagnose": PanelLayout(
        ("build", "job"), tab="distribution",
        shares={"centre": (0.55, 0.45), "top": (0.6, 0.4), "below": (0.5, 0.5), "docks": (0.16, 0.28)},
    ),
    "time": PanelLayout(("job", "inner", "matrix"), tab="timeline", shares={"centre": (0.35, 0.65)}),
    "reset": DEFAULT,
}  # fmt: skip
"""The layouts offered, by name."""


def layout_text(layout: PanelLayout) -> str:
    """Return a layout as text, for the settings."""
    return msgspec.json.encode(layout).decode()


def read_layout(text: str) -> PanelLayout:
    """Return the layout in a text, or the default if the text is invalid or from another version."""
    try:
        layout = msgspec.json.decode(text, type=PanelLayout)
    except (msgspec.MsgspecError, UnicodeError):
        return DEFAULT
    hidden = tuple(name for name in layout.hidden if name in PANELS)
    shares = {name: parts for name, parts in layout.shares.items() if math.fsum(parts) > 0}
    maximised = layout.maximised if layout.maximised in PANELS and layout.maximised not in hidden else ""
    if len(hidden) == len(PANELS):
        return DEFAULT
    return msgspec.structs.replace(layout, hidden=hidden, maximised=maximised, shares=shares)
