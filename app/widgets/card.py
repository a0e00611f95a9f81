"""The frame around a view or panel: a title, a dim line beside it, and room for small controls."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QTabBar, QVBoxLayout, QWidget

LEAST_PX = 56
"""Width below which what is left of a text says nothing."""


class ElidedLabel(QLabel):
    """A label that shortens its text to the room it has."""

    def minimumSizeHint(self) -> QSize:
        """Let the label shrink to nothing rather than widen the window."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is shown."""
        QPainter(self).drawText(self.contentsRect(), self.alignment(), self.shown)

    @property
    def shown(self) -> str:
        """Return the text with an ellipsis where it does not fit; nothing where that would leave a letter or two."""
        return self.elided(self.text())

    def elided(self, text: str) -> str:
        """Return as much of a text as there is room for; nothing where that would be a letter or two."""
        metrics = QFontMetrics(self.font())
        if self.width() < min(LEAST_PX, metrics.horizontalAdvance(text)):
            return ""
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, self.width())


class PartsLabel(ElidedLabel):
    """A label that first leaves out the last parts of its text, those after `` · ``, then after a comma or colon."""

    @property
    def shown(self) -> str:
        """Return as many parts as there is room for; of the first what fits."""
        metrics, text = QFontMetrics(self.font()), self.text()
        for separator in (" · ", ", ", ": "):
            while separator in text and metrics.horizontalAdvance(text) > self.width():
                text = text.rpartition(separator)[0]
        if metrics.horizontalAdvance(text) <= self.width():
            return text
        return self.elided(text)


class Card(QFrame):
    """A titled frame."""

    def __init__(self, title: str, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setObjectName(title.lower().replace(" ", "-"))
        self.body = body
        self._title = PartsLabel(title)
        self._title.setProperty("role", "title")
        self._subtitle = PartsLabel("")
        self._subtitle.setProperty("role", "dim")
        self._subtitle.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        # The title comes first: what room it leaves is the subtitle's.
        self._subtitle.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head = self._head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 4)
        head.setSpacing(10)
        head.addWidget(self._title)
        head.addWidget(self._subtitle, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(body, 1)

    @property
    def title(self) -> str:
        """Return the title."""
        return self._title.text()

    @property
    def subtitle(self) -> str:
        """Return the dim line beside the title."""
        return self._subtitle.text()

    def set_title(self, title: str) -> None:
        """Change the title."""
        self._title.setText(title)
        self._title.setToolTip(title)

    def set_subtitle(self, text: str) -> None:
        """Show a dim line beside the title; shortened where there is no room, in full as a tool tip."""
        self._subtitle.setText(text)
        self._subtitle.setToolTip(text)


class TabCard(Card):
    """A frame for several views: tabs in place of the title. Those behind are hidden, so they rest."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self._pages = QStackedWidget()
        super().__init__(name, self._pages, parent)
        self._subtitles: list[str] = []
        self._title.hide()
        self._head.setContentsMargins(4, 4, 12, 4)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(name)
        self.tabs.currentChanged.connect(self._on_tabs_current_changed)
        self._head.insertWidget(0, self.tabs)

    def add(self, title: str, page: QWidget) -> None:
        """Add a view behind a tab of its own."""
        self._subtitles.append("")
        self._pages.addWidget(page)
        self.tabs.addTab(title)

    def show_page(self, page: QWidget) -> None:
        """Bring a view to the front."""
        self.tabs.setCurrentIndex(self._pages.indexOf(page))

    def offer_page(self, page: QWidget, offered: bool) -> None:
        """Bring a view to the front, or take its tab away; the first view then comes to the front."""
        index = self._pages.indexOf(page)
        if not offered and self.tabs.currentIndex() == index:
            self.tabs.setCurrentIndex(0)
        self.tabs.setTabVisible(index, offered)
        if offered:
            self.tabs.setCurrentIndex(index)

    def set_page_subtitle(self, page: QWidget, text: str) -> None:
        """Give a view its dim line, which is seen while it is in front."""
        index = self._pages.indexOf(page)
        self._subtitles[index] = text
        if index == self.tabs.currentIndex():
            self.set_subtitle(text)

    def _on_tabs_current_changed(self, index: int) -> None:
        if index >= 0:
            self._pages.setCurrentIndex(index)
            self.set_subtitle(self._subtitles[index])
