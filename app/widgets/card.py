"""The frame around a view or panel: a title, a dim line beside it, and room for small controls."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedWidget, QTabBar, QWidget

from app.widgets.labels import PartsLabel, with_role
from app.widgets.layouts import column, row, strut


class Card(QFrame):
    """A titled frame."""

    def __init__(self, title: str, body: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setObjectName(title.lower().replace(" ", "-"))
        # A press on a widget that takes no keys ends typing in a field, so that single keys are commands again.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.title, self.subtitle = with_role(PartsLabel(title), "title"), with_role(PartsLabel(), "dim")
        self.subtitle.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        # The title has priority; the subtitle gets the remaining width.
        self.subtitle.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._head = row(self.title, (self.subtitle, 1), margins=(12, 8, 12, 4), spacing=10)
        self._column = column(self._head, (body, 1), of=self, spacing=0)

    def keep_width(self, width: int) -> None:
        """Keep this width, or the body's minimum width if that is larger."""
        strut(self._column, width)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self.title.setText(title)
        self.title.setToolTip(title)

    def set_subtitle(self, text: str) -> None:
        """Show a dim line beside the title, elided if needed, with a tool tip."""
        self.subtitle.setText(text)
        self.subtitle.setToolTip(text)


class TabCard(Card):
    """A frame for several views, with tabs in place of the title. Hidden views do not refresh."""

    def __init__(self, name: str) -> None:
        self.pages = QStackedWidget()
        super().__init__(name, self.pages)
        self._subtitles: list[str] = []
        self._behind = 0
        """Index of the view in front before a temporary view was shown."""
        self.title.hide()
        self._head.setContentsMargins(4, 4, 12, 4)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(name)
        self.tabs.currentChanged.connect(self._on_tabs_current_changed)
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
        """Show a view and its tab, or hide the tab and show the view that was in front before."""
        index = self.pages.indexOf(page)
        if available:
            self._behind = self.tabs.currentIndex()
        elif self.tabs.currentIndex() == index:
            self.tabs.setCurrentIndex(self._behind)
        self.tabs.setTabVisible(index, available)
        if available:
            self.tabs.setCurrentIndex(index)

    def set_page_subtitle(self, page: QWidget, text: str) -> None:
        """Set a view's dim line, which is visible while it is in front."""
        index = self.pages.indexOf(page)
        self._subtitles[index] = text
        if index == self.tabs.currentIndex():
            self.set_subtitle(text)

    def _on_tabs_current_changed(self, index: int) -> None:
        if index >= 0:
            self.pages.setCurrentIndex(index)
            self.set_subtitle(self._subtitles[index])
