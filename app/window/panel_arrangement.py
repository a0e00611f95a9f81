"""The arrangement of the panels in the window: which are visible, how they share the room, and how it is stored."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QSplitter, QWidget

from app.model.changes import ChangeSet
from app.model.panel_layout import DEFAULT, LAYOUTS, PanelLayout, layout_text, read_layout
from app.model.state_groups import PanelState
from app.session.session import Session
from app.storage.settings import Settings
from app.widgets.card import Card
from app.window.dock_widths import DockWidths
from app.window.first_size import first_size
from app.window.layout import Centre

COLUMN_PX, BELOW_PX = ((1500, 330), (0, 250)), ((950, 300), (0, 230))
"""Widths of the column right of the machine and heights of the row below it, in windows of at least these sizes."""
WEIGHT = 10_000
"""Qt takes sizes of any sum as proportions."""
MAX_COLUMN = 0.4
"""Largest fraction of the room that column and row take unless the user drags them larger."""


class PanelArrangement(QObject):
    """Shows the panels that the session's state names, in the proportions of a layout."""

    def __init__(self, window: QMainWindow, session: Session, centre: Centre, docks: Mapping[str, QDockWidget]) -> None:
        super().__init__(window)
        self._window, self._session, self._centre = window, session, centre
        self._widths = DockWidths(window, list(docks.values()))
        self.panels: dict[str, QWidget] = {**centre.panels, **docks}
        """The widgets of the panels by name."""
        self._shares: dict[str, tuple[float, ...]] = {}
        """Fractions of the parts of splitters that a layout or the user has set."""
        for name, splitter in centre.splitters.items():
            splitter.splitterMoved.connect(partial(self._on_splitter_moved, name))
            splitter.installEventFilter(self)
        for name, widget in self.panels.items():
            for card in _cards(widget):
                card.offer_maximise()
                card.maximise_asked.connect(partial(session.maximise, name))
        session.changed.connect(self._on_session_changed)

    def restore(self, settings: Settings) -> None:
        """Restore the window's geometry and the layout of the last session, or defaults that suit the screen."""
        geometry = settings.bytes("geometry")
        if geometry is None or not self._window.restoreGeometry(geometry):
            self._window.resize(first_size(QGuiApplication.primaryScreen()))
        self.arrange(read_layout(settings.layout))

    def keep(self, settings: Settings) -> None:
        """Save the window's geometry and the layout for the next start."""
        settings.set_bytes("geometry", self._window.saveGeometry())
        settings.layout = layout_text(self.layout)

    @property
    def layout(self) -> PanelLayout:
        """Return the layout on screen."""
        panels, docks = self._session.state.kept.panels, self._widths.shares
        shares = {**self._shares, "docks": docks} if docks else self._shares
        return PanelLayout(tuple(sorted(panels.hidden_panels)), panels.maximised, self._centre.page, shares)

    def arrange(self, layout: PanelLayout) -> None:
        """Arrange the panels in a layout."""
        self._shares = {name: shares for name, shares in layout.shares.items() if name != "docks"}
        self._widths.share_out(layout.shares.get("docks", ()), self._session.state.style.theme.scale)
        self._session.show_panels(PanelState(frozenset(layout.hidden), layout.maximised))
        self._show()
        if layout.tab:
            self._centre.show_page(layout.tab)

    def arrange_as(self, name: str) -> None:
        """Arrange the panels in one of the layouts offered."""
        self.arrange(LAYOUTS.get(name, DEFAULT))

    def reveal(self, view: str) -> None:
        """Make the panel of a view or chart visible."""
        self._session.reveal_panel(self._centre.panel_of(view))

    def maximise(self) -> None:
        """Maximise the panel with the keyboard focus, or else under the pointer; restore all if one is maximised."""
        if self._session.state.panels.maximised:
            self._session.maximise("")
            return
        for widget in (QApplication.focusWidget(), QApplication.widgetAt(QCursor.pos())):
            panel = next((name for name, panel in self.panels.items() if widget and panel.isAncestorOf(widget)), None)
            if panel is not None:
                self._session.maximise(panel)
                return
        self._session.maximise("machine")

    def follow(self, scale: float) -> None:
        """Adapt the docks to another type scale."""
        self._widths.follow(scale)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the proportions of a splitter that is resized."""
        if event.type() == QEvent.Type.Resize:
            for name, splitter in self._centre.splitters.items():
                if splitter is watched:
                    self._share_out(name)
        return False

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.PANELS in changes:
            self._show()

    def _show(self) -> None:
        """Show and hide the panels, and the splitters that have none to show."""
        panels = self._session.state.panels
        for name, widget in self.panels.items():
            widget.setVisible(panels.shows(name))
            for card in _cards(widget):
                card.set_maximised(name == panels.maximised)
        for splitter in self._centre.splitters.values():
            splitter.setVisible(bool(_shown(splitter)))
        self._centre.setVisible(not self._centre.splitters["centre"].isHidden())
        self._widths.resize()
        for name in self._centre.splitters:
            self._share_out(name)

    def _share_out(self, name: str) -> None:
        splitter, shares = self._centre.splitters[name], self._shares.get(name) or self._usual(name)
        if len(shares) == splitter.count() and len(_shown(splitter)) > 1:
            splitter.setSizes([round(WEIGHT * share) for share in shares])

    def _usual(self, name: str) -> tuple[float, ...]:
        """Return the fractions that suit the window."""
        width = max(self._centre.width(), 1)
        column = min(_at_least(COLUMN_PX, self._window.width()) / width, MAX_COLUMN)
        below = min(_at_least(BELOW_PX, self._window.height()), MAX_COLUMN * self._window.height())
        left = min(below / width, MAX_COLUMN)
        row = below / max(self._window.height(), 1)
        usual = {"centre": (1 - row, row), "top": (1 - column, column), "below": (left, 1 - left)}
        parts = max(self._centre.splitters[name].count(), 1)
        return usual.get(name, (1 / parts,) * parts)

    def _on_splitter_moved(self, name: str, position: int, index: int) -> None:
        splitter = self._centre.splitters[name]
        old, sizes, shown = self._shares.get(name) or self._usual(name), splitter.sizes(), _shown(splitter)
        room = sum(old[part] for part in shown) / max(sum(sizes), 1)
        # Hidden parts keep their fractions.
        self._shares[name] = tuple(
            min(sizes[part] * room, 1.0) if part in shown else share for part, share in enumerate(old)
        )


def _cards(panel: QWidget) -> list[Card]:
    return [panel] if isinstance(panel, Card) else panel.findChildren(Card)


def _shown(splitter: QSplitter) -> list[int]:
    parts = (splitter.widget(index) for index in range(splitter.count()))
    return [index for index, part in enumerate(parts) if part is not None and not part.isHidden()]


def _at_least(sizes: tuple[tuple[int, int], ...], size: int) -> int:
    return next(value for least, value in sizes if size >= least)
