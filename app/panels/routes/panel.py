"""The Routes panel: figures of the routing, the path between two nodes, a deadlock, and links that no path crosses."""

from typing import ClassVar

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QPushButton, QStackedWidget

from app.model.changes import COLOURS, ChangeSet
from app.model.priority import Priority
from app.model.routes import Drawn, RouteAnalysis
from app.model.routes_shown import analysis_of
from app.model.state import State
from app.panels.routes.figure_page import FigurePage
from app.panels.routes.link_page import LinkPage
from app.panels.routes.path_page import PathPage
from app.session.session import Session
from app.widgets.labels import link
from app.widgets.layouts import STRETCH, column, row, scroll_area
from app.widgets.link_table import NO_LINKS
from app.widgets.progress_bar import ActivityBar
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_widget import SessionWidget
from app.wording.routes import cycle_text, unused_text
from core.text import plural

FIGURES, PATH, DEADLOCK, UNUSED = range(4)
DRAWN = (Drawn.NOTHING, Drawn.PATH, Drawn.CYCLE, Drawn.UNUSED)
"""What each page draws on the machine."""
MIN_SIZE = QSize(400, 150)
WAITING = "Press Compute for the figures of all pairs of nodes"
ALL_USED = "Every switch link carries flows under an all-to-all"


class RoutesPanel(SessionWidget):
    """The paths of the routing, regardless of the job; the page in front is drawn on the machine."""

    title: ClassVar[str] = "Routes"
    subtitle_changed = Signal(str)
    """The flows on the hottest link, and the number of pairs."""
    refresh_priority = Priority.CHARTS
    shows_loads_together = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._made = False
        """Whether the contents were made: only once they are shown."""
        self._page = FIGURES
        self._drawn = Drawn.NOTHING

    def sizeHint(self) -> QSize:
        """Return the minimum size."""
        return MIN_SIZE

    def _make(self) -> None:
        self._made = True
        self.pages = SegmentedControl("Figures", "Path", "Deadlock", "Unused links")
        self.pages.group.idClicked.connect(self._on_page_clicked)
        self.draw = link("")
        self.draw.clicked.connect(self._on_draw_clicked)
        self.compute, self.bar = QPushButton("Compute"), ActivityBar()
        self.compute.clicked.connect(self._on_compute_clicked)
        self.figures, self.path = FigurePage(), PathPage(self.session)
        self.cycle = LinkPage(self.session, "Cycle of links")
        self.unused = LinkPage(self.session, "Unused links")
        self._stack = QStackedWidget()
        for page in (self.figures, self.path, self.cycle, self.unused):
            self._stack.addWidget(scroll_area(page))
        head = row(self.pages, STRETCH, self.draw, self.compute, spacing=10)
        column(head, self.bar, (self._stack, 1), of=self, margins=(12, 2, 12, 8), spacing=4)

    def refresh(self, changes: ChangeSet) -> None:
        """Show the routing on screen, which is analysed first if need be."""
        if not self._made:
            self._make()
        self.session.routes.look()
        state = self.state
        if state.routes.drawn is not self._drawn:
            self._drawn = state.routes.drawn
            self._page = DRAWN.index(self._drawn) if self._drawn is not Drawn.NOTHING else self._page
        if changes & (COLOURS | ChangeSet.ROUTES | ChangeSet.ANALYSIS | ChangeSet.SELECTION):
            self._show(state)

    def _show(self, state: State) -> None:
        analysis = analysis_of(state)
        self.pages.choose(self._page)
        self._stack.setCurrentIndex(self._page)
        self._show_progress(state)
        self.draw.setText("Hide on the machine" if state.routes.drawn is DRAWN[self._page] else "Show on the machine")
        self.figures.show_analysis(_why_no_figures(state, analysis), analysis)
        self.path.show_state(state)
        cycle, unused = (NO_LINKS, NO_LINKS) if analysis is None else (analysis.cycle, analysis.unused)
        self.cycle.show_links(state, _cycle_words(state, analysis), cycle, numbered=True)
        self.unused.show_links(state, _unused_words(state, analysis), unused)
        shown = {PATH: self.path.hops.links, DEADLOCK: cycle, UNUSED: unused}
        self.draw.setVisible(shown.get(self._page, NO_LINKS).size > 0)
        self.subtitle_changed.emit(_subtitle(analysis))

    def _show_progress(self, state: State) -> None:
        busy = state.routes.progress is not None
        self.bar.setVisible(busy)
        if busy:
            self.bar.show_fraction(state.routes.progress or 0.0, state.style.theme)
        self.compute.setVisible(busy or (analysis_of(state) is None and self.session.routes.waits))
        self.compute.setText("Cancel" if busy else "Compute")

    def _on_page_clicked(self, page: int) -> None:
        self._page = page
        self.session.routes.draw(DRAWN[page])
        self._show(self.state)

    def _on_draw_clicked(self) -> None:
        drawn = DRAWN[self._page]
        self.session.routes.draw(Drawn.NOTHING if self.state.routes.drawn is drawn else drawn)

    def _on_compute_clicked(self) -> None:
        if self.state.routes.progress is not None:
            self.session.routes.cancel()
        else:
            self.session.routes.analyse()


def _why_no_figures(state: State, analysis: RouteAnalysis | None) -> str:
    if analysis is None:
        return "" if state.routes.progress is not None else WAITING
    return f"These figures need a single path per pair of nodes. The routing {analysis.refused}" * bool(
        analysis.refused
    )


def _unused_words(state: State, analysis: RouteAnalysis | None) -> str:
    if analysis is None or analysis.figures is None:
        return _why_no_figures(state, analysis)
    unused = unused_text(analysis.router.network, analysis.figures)
    return f"Unused under all-to-all: {unused}" if analysis.unused.size else ALL_USED


def _cycle_words(state: State, analysis: RouteAnalysis | None) -> str:
    if analysis is None:
        return _why_no_figures(state, analysis)
    return analysis.unlisted if analysis.deadlock is None else cycle_text(analysis.deadlock)


def _subtitle(analysis: RouteAnalysis | None) -> str:
    figures = None if analysis is None else analysis.figures
    if figures is None:
        return ""
    lost = f", {figures.unreachable:,} disconnected" if figures.unreachable else ""
    return f"at most {plural(figures.all_to_all_max, 'flow')} on a link · {plural(figures.pairs, 'pair')}{lost}"
