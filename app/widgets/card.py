"""The frame around a view or panel: a title, a dim subtitle, and room for small controls."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedWidget, QTabBar, QToolButton, QWidget

from app.widgets.labels import PartsLabel, WholePartsLabel, with_role
from app.widgets.layouts import column, row, strut
from app.wording.shortened import SEPARATORS

PARTS = (*SEPARATORS, " in use")
"""Separators of a subtitle, the first of which is omitted first."""
MIN_SIZE = QSize(140, 110)
"""Below this a panel shows nothing useful."""


class Card(QFrame):
    """A titled frame. A panel of the window has a button next to its title that maximises it."""

    maximise_asked = Signal()
    """The button, or a double click on the title, asks to maximise or restore the panel."""

    def __init__(self, title: str, body: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setObjectName(title.lower().replace(" ", "-"))
        # A press on a widget that takes no keys ends typing in a field, so that single keys are commands again.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.title = with_role(PartsLabel(title), "title")
        self.subtitle = with_role(WholePartsLabel(separators=PARTS), "dim")
        self.subtitle.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        # The title has priority; the subtitle gets the remaining width.
        self.subtitle.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._head = row(self.title, (self.subtitle, 1), margins=(12, 8, 12, 4), spacing=10)
        self._column = column(self._head, (body, 1), of=self, spacing=0)
        self.maximise: QToolButton | None = None
        """The button that maximises the panel; None if the card is none."""

    def offer_maximise(self) -> None:
        """Add the button, for a panel of the window."""
        button = self.maximise = with_role(QToolButton(), "maximise")
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self.maximise_asked)
        self._head.addWidget(button)
        if not self.title.isHidden():
            self._head.setContentsMargins(12, 4, 8, 1)  # as high as without the button, which is higher than the title
        self.set_maximised(False)

    def set_maximised(self, maximised: bool) -> None:
        """Show whether this is the only panel visible."""
        if self.maximise is None:
            return
        text = "Restore all panels" if maximised else f"Maximise {self.title.text()}"
        self.maximise.setChecked(maximised)
        self.maximise.setAccessibleName(text)
        self.maximise.setToolTip(f"{text} (or double-click the title)")

    def minimumSizeHint(self) -> QSize:
        """Return at least the size below which a panel shows nothing useful."""
        return super().minimumSizeHint().expandedTo(MIN_SIZE)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Maximise or restore the panel if its title is double-clicked."""
        if self.maximise is None or event.position().y() >= self._head.geometry().bottom():
            event.ignore()
            return
        self.maximise_asked.emit()

    def keep_width(self, width: int) -> None:
        """Keep this width, or the body's minimum width if that is larger."""
        strut(self._column, width)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self.title.setText(title)
        self.title.setToolTip(title)

    def set_subtitle(self, text: str) -> None:
        """Show a dim subtitle, as much of it as fits, with a tool tip."""
        self.subtitle.setText(text)
        self.subtitle.setToolTip(text)


class TabCard(Card):
    """A frame for several views, with tabs instead of the title. Hidden views do not refresh."""

    def __init__(self, name: str) -> None:
        self.pages = QStackedWidget()
        super().__init__(name, self.pages)
        self._subtitles: list[str] = []
        self._behind = 0
        """Index of the view in front before the present one."""
        self.title.hide()
        self._head.setContentsMargins(4, 4, 12, 4)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(name)
        self.tabs.currentChanged.connect(self._on_tabs_current_changed)
        self.tabs.tabBarDoubleClicked.connect(lambda index: self.maximise_asked.emit())
        self._head.insertWidget(0, self.tabs)

    def add(self, title: str, page: QWidget) -> None:
        """Add a view under its own tab."""
        self._subtitles.append("")
        self.pages.addWidget(page)
        self.tabs.addTab(title)

    def show_page(self, page: QWidget) -> None:
        """Bring a view to the front."""
        self.tabs.setCurrentIndex(self.pages.indexOf(page))

    def set_page_available(self, page: QWidget, available: bool) -> None:
        """Show the tab of a view, which stays behind, or hide it and show the view that was in front before."""
        index = self.pages.indexOf(page)
        if not available and self.tabs.currentIndex() == index:
            self.tabs.setCurrentIndex(self._behind)
        self.tabs.setTabVisible(index, available)

    def set_page_subtitle(self, page: QWidget, text: str) -> None:
        """Set a view's dim line, which is visible while it is in front."""
        index = self.pages.indexOf(page)
        self._subtitles[index] = text
        if index == self.tabs.currentIndex():
            self.set_subtitle(text)

    def _on_tabs_current_changed(self, index: int) -> None:
        if index >= 0:
            if self.pages.currentIndex() != index:
                self._behind = self.pages.currentIndex()
            self.pages.setCurrentIndex(index)
            self.set_subtitle(self._subtitles[index])
