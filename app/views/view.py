"""The base class of views: they follow the session, have a title, and can be drawn into a file."""

from abc import abstractmethod
from importlib import import_module
from typing import ClassVar

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.pointing import exists, title
from app.model.state import State
from app.model.view_table import SPECS, ViewSpec
from app.session.session import Session
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.session_widget import SessionWidget
from app.wording.numbers import throughput_text

DESCRIBED = ChangeSet.TOPOLOGY | ChangeSet.LOADS | ChangeSet.SELECTION | ChangeSet.COMPARISON | ChangeSet.TIME
"""Changes that affect the accessible description."""


class View(SessionWidget):
    """A picture of the session's state."""

    id: ClassVar[str] = ""
    """Its id in the table of views."""
    title: ClassVar[str] = ""
    subtitle_changed = Signal(str)
    """The dim line next to the title: the quantity shown, and its unit."""
    title_changed = Signal(str)
    """A new title, if it names the selection."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._headline = ""
        self.setAccessibleName(self.title)
        self.title_changed.connect(self.setAccessibleName)
        self.subtitle_changed.connect(self._on_subtitle_changed)
        self.cover = OutdatedCover(session, self, lambda: self.outdated)
        """Dims it while it is outdated."""

    def pictured(self, state: State) -> State:
        """Return the state to show: A's state while A is shown alone."""
        return state.pictured

    def catch_up(self) -> None:
        """Refresh, and update the accessible description."""
        described = bool(self._missed & DESCRIBED)
        super().catch_up()
        if described:
            self._update_description()

    def _on_subtitle_changed(self, text: str) -> None:
        self._headline = text

    def _update_description(self) -> None:
        self.setAccessibleDescription(". ".join(part for part in (self._headline, *state_headline(self.state)) if part))

    def __init_subclass__(cls) -> None:
        """Take title and priority from the table of views."""
        super().__init_subclass__()
        if "id" in cls.__dict__:
            cls.title, cls.refresh_priority = SPECS[cls.id].title, SPECS[cls.id].priority

    @abstractmethod
    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw the visible part into a rectangle of any paint device (PNG or SVG), at any size."""


def state_headline(state: State) -> list[str]:
    """Return the main facts of a state: throughput and bottleneck, the hottest link, the selection."""
    report, case = state.report, state.report.case
    facts = [f"{throughput_text(report)}, {report.verdict}"]
    if report.bottleneck_links.size:
        facts.append(f"Hottest link: {case.network.link_name(int(report.bottleneck_links[0]))}")
    if state.selection is not None and exists(state.selection, case):
        facts.append(f"Selected: {title(state.selection, case)}")
    return facts


def view_class(spec: ViewSpec) -> type[View]:
    """Return the widget class of a view."""
    module, _, name = spec.widget.partition(":")
    view: type[View] = getattr(import_module(module), name)
    return view
