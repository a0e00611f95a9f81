"""The pictures of a report, each in both themes, as SVG if it is small, else as PNG."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html import escape

from markupsafe import Markup
from PySide6.QtCore import QRectF
from PySide6.QtGui import QGuiApplication, QPainter

from app.background.latest_wins import Runner
from app.model.measurement import LinkSource
from app.model.state import State
from app.model.state_groups import ComparisonMode
from app.model.view_table import SPECS
from app.report.document import PicturePlace
from app.report.failures import FailureFindings
from app.report.throughput_history import SessionSteps
from app.session.session import Session
from app.storage.pictures import Paint, picture_content, small_svg
from app.style.theme import DARK, LIGHT, Theme
from app.views.charts.history_curve import Course
from app.views.machine.paint import paint_machine
from app.views.view import View, view_class

MAX_SVG_BYTES = 1 << 20
"""Largest SVG, in bytes; a larger drawing is rendered as PNG."""
PIXEL_RATIO = 2.0
"""Pixels per logical pixel of a PNG."""
PIXELS = "Shown as pixels because it has too many lines."
MACHINE, DIFFERENCE, COUNTERS, HISTORY, FAILURES = "machine", "difference", "counters", "history", "failures"
VIEWS = ("job", "inner", "matrix", "distribution", "traffic", "timeline")
"""Pictures drawn by the view with the same id."""
Charts = Mapping[str, Callable[[Theme], Paint]]
"""Charts that no view draws, by the name of their picture; each returns its painter in a theme."""


@dataclass(frozen=True)
class Drawing:
    """A picture, ready for the page."""

    light: Markup
    dark: Markup
    note: str = ""
    """A note on how the picture is drawn."""


def drawing_of(
    place: PicturePlace,
    paint_in: Callable[[Theme], Paint],
    limit: int | None = None,
    ratio: float = PIXEL_RATIO,
) -> Drawing:
    """Return the drawing of a picture that `paint_in` paints in each theme.

    `limit` is the largest SVG, by default `MAX_SVG_BYTES`, and `ratio` the pixels per logical pixel of a PNG.
    """
    limit = MAX_SVG_BYTES if limit is None else limit
    light = small_svg(place.size, LIGHT, paint_in(LIGHT), limit)
    dark = small_svg(place.size, DARK, paint_in(DARK), limit) if light is not None else None
    if light is not None and dark is not None:
        return Drawing(_lines(light, f"{place.name}-light-", place), _lines(dark, f"{place.name}-dark-", place))
    light, dark = (picture_content(".png", place.size, theme, paint_in(theme), scale=ratio) for theme in (LIGHT, DARK))
    return Drawing(_pixels(light, place), _pixels(dark, place), PIXELS)


def _lines(svg: bytes, prefix: str, place: PicturePlace) -> Markup:
    # Ids must be unique among all drawings in a page, and HTML needs no XML namespaces.
    inside = svg.decode().partition("<svg")[2].partition(">")[2].replace("<title>Fabriscope</title>", "", 1)
    inside = re.sub(r'(\bid="|url\(#)', rf"\g<1>{prefix}", inside).replace("xlink:href=", "href=")
    width, height = place.size
    head = f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(place.title)}">'
    return Markup(head + inside)


def _pixels(png: bytes, place: PicturePlace) -> Markup:
    width, height = place.size
    data = b64encode(png).decode()
    return Markup(
        f'<img src="data:image/png;base64,{data}" alt="{escape(place.title)}" width="{width}" height="{height}">'
    )


def plain_drawings(state: State, places: Iterable[PicturePlace]) -> dict[str, Drawing]:
    """Draw and return the pictures that need no widget; callable from any thread."""
    paints: dict[str, Callable[[Theme], Paint]] = {
        MACHINE: lambda theme: machine_in(_compared(state, ComparisonMode.OFF), theme),
        DIFFERENCE: lambda theme: machine_in(_compared(state, ComparisonMode.DIFFERENCE), theme),
        COUNTERS: lambda theme: machine_in(_compared(state, ComparisonMode.OFF, LinkSource.DIFFERENCE), theme),
    }
    return {place.name: drawing_of(place, paints[place.name]) for place in places if place.name in paints}


def machine_in(state: State, theme: Theme) -> Paint:
    """Return a function that paints the machine of a state in a theme."""
    themed = replace(state, style=replace(state.style, theme=theme))
    return lambda painter, area: paint_machine(painter, area, themed)


def _compared(state: State, mode: ComparisonMode, source: LinkSource = LinkSource.LOAD) -> State:
    comparison, style = replace(state.comparison, mode=mode), replace(state.style, source=source)
    return replace(state, comparison=comparison, style=style)


def charts_of(steps: SessionSteps | None = None, failures: FailureFindings | None = None) -> Charts:
    """Return the charts of the history and of failures, of which either may be missing."""
    charts: dict[str, Callable[[Theme], Paint]] = {}
    if steps is not None:
        charts[HISTORY] = partial(_history, steps.course)
    if failures is not None and failures.curves:
        charts[FAILURES] = partial(_failures, failures)
    return charts


def view_drawings(
    session: Session, places: Iterable[PicturePlace], charts: Charts, drawings: dict[str, Drawing]
) -> Iterator[None]:
    """Draw the pictures that need widgets, among them `charts`, and put them into `drawings`; yield after each part.

    It must run in the GUI thread. The session must not be the window's, since its theme changes. A view with nothing to
    show is omitted.
    """
    places = list(places)
    view_places = [place for place in places if place.name in VIEWS]
    views: dict[str, View] = {}
    for place in view_places:
        views[place.name] = view = view_class(SPECS[place.name])(session)
        view.resize(*place.size)
        view.catch_up()
        yield
    for place in places:
        if place.name in charts:
            drawings[place.name] = drawing_of(place, charts[place.name])
            yield
    while any(runner.busy for runner in session.findChildren(Runner)):
        yield
    for place in view_places:
        yield from _drawn_by(views[place.name], place, session, drawings)
    for view in views.values():
        view.deleteLater()


def _history(course: Course, theme: Theme) -> Paint:
    # Imported only if there is a history to draw.
    from app.views.charts.history_chart import HistoryChart

    chart = HistoryChart()
    chart.dress(theme, QGuiApplication.font())
    chart.show_course(course)
    return chart.paint_to


def _failures(failures: FailureFindings, theme: Theme) -> Paint:
    from app.panels.what_if.chart import CurveChart

    chart = CurveChart()
    chart.dress(theme, QGuiApplication.font())
    chart.show_curves(failures.curves, relative=failures.relative, main=len(failures.curves) - 1)
    return chart.paint_to


def _drawn_by(view: View, place: PicturePlace, session: Session, drawings: dict[str, Drawing]) -> Iterator[None]:
    view.catch_up()
    if getattr(view, "obstructed", ""):
        return

    def paint_in(theme: Theme) -> Paint:
        def paint(painter: QPainter, area: QRectF) -> None:
            session.set_theme(theme)
            view.paint_to(painter, area)

        return paint

    drawings[place.name] = drawing_of(place, paint_in)
    yield
