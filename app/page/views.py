"""The views of a page: a state alone, two compared states, or a scene of a tour, each with its colours and caption."""

import re
from typing import Literal

import numpy as np
from markupsafe import Markup, escape

from app.model.evaluation import Evaluation
from app.model.parts import part_named
from app.model.pointing import Item, vertices_of
from app.model.scenes import Seen
from app.page.blobs import Blob, PageStruct
from app.page.states import Look, StepsData
from app.report.page import tied
from app.views.machine.focus import corners_of
from app.views.machine.geometry import MachineGeometry
from core.load.scenario import Case

MARKS = (
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"<b>\1</b>"),
    (re.compile(r"(?<![\w*_])[*_](?=\S)([^*_]+?)(?<=\S)[*_](?![\w*_])"), r"<i>\1</i>"),
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
)
"""Bold, italic and code in captions."""
PARAGRAPHS = re.compile(r"\n\s*\n")
Mode = Literal["alone", "side", "difference"]


class ItemData(PageStruct, frozen=True):
    """A part of the machine: a link, vertex, group, or bundle of links between two groups."""

    kind: str
    index: int
    """For a bundle, a * groups + b."""


class CameraData(PageStruct, frozen=True):
    """The camera of a scene."""

    corners: list[list[float]] | None = None
    """Points that fill the picture; they override `zoom` and `shift`."""
    zoom: float = 1.0
    shift: tuple[float, float] | None = None
    azimuth: float | None = None
    elevation: float | None = None


class ViewData(PageStruct, frozen=True):
    """A view."""

    label: str
    """Its name in the page's controls."""
    panel: int
    """Index of its figures in the page; -1 for none."""
    state: int = -1
    """Index of the state shown; -1 if there is an error."""
    reference: int = -1
    """Index of A; -1 without a comparison."""
    mode: Mode = "alone"
    look: Look | None = None
    values: Blob | None = None
    """(links,) counters relative to the top, NaN without a value; None for loads."""
    titles: tuple[str, ...] = ()
    """Titles of the pictures, of A before B; empty for a picture that needs no title."""
    intervals: StepsData | None = None
    """The intervals between readings of these counters, if there are several."""
    step: int = -1
    """The step of the job or interval shown, or -1 for all together."""
    percent: float = 100.0
    """Percentage of links shown, hottest first."""
    camera: CameraData | None = None
    selection: ItemData | None = None
    caption: str = ""
    """HTML."""
    error: str = ""
    """Why the view cannot be shown."""


def caption_html(text: str) -> Markup:
    """Return a caption's Markdown as HTML: paragraphs, bold, italic and code; everything else is text."""
    return Markup("").join(map(_paragraph, filter(None, map(str.strip, PARAGRAPHS.split(text)))))


def _paragraph(text: str) -> Markup:
    # Escaping neither removes nor adds marks.
    html = tied(str(escape(text)))
    for mark, element in MARKS:
        html = mark.sub(element, html)
    return Markup(f"<p>{html}</p>")


def item_data(item: Item | None, case: Case) -> ItemData | None:
    """Return a selected item as a part of the machine; None if it is none, such as a flow."""
    if item is None or item.kind == "flow":
        return None
    if item.kind in ("link", "group", "bundle"):
        return ItemData(item.kind, item.index)
    return ItemData("vertex", vertices_of(item, case)[0])


def camera_data(seen: Seen, evaluation: Evaluation) -> CameraData | None:
    """Return the camera of a scene, or None for the entire machine.

    Raises SpecError: if the machine has no part with the name in focus.
    """
    if seen == Seen():
        return None
    corners = None
    if seen.focus:
        network = evaluation.case.network
        points = corners_of(part_named(seen.focus, network, "camera.focus"), MachineGeometry(network))
        corners = np.stack([points.min(axis=0), points.max(axis=0)]).tolist()
    shift = seen.shift if seen.zoom != 1 or any(seen.shift) else None
    return CameraData(corners, seen.zoom, shift, seen.azimuth, seen.elevation)
