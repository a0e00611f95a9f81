"""The bar under the menus: colour scale, filter, search."""

from dataclasses import replace
from math import log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSlider, QToolBar, QWidget

from app.session import ChangeSet

if TYPE_CHECKING:
    from app.window import Window

STEPS = 100
"""Positions of the filter's slider; the percentage falls by a factor of 1,000 from right to left."""


class Segments(QWidget):
    """Two or more choices side by side, one of them on."""

    def __init__(self, *titles: str) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.group = QButtonGroup(self)
        for index, title in enumerate(titles):
            button = QPushButton(title)
            button.setCheckable(True)
            button.setProperty("role", "segment")
            self.group.addButton(button, index)
            layout.addWidget(button)

    def choose(self, index: int) -> None:
        """Turn one on, without telling anybody."""
        with QSignalBlocker(self.group):
            self.group.button(index).setChecked(True)


class ToolBar(QToolBar):
    """How loads become colours, and how many links are drawn."""

    def __init__(self, window: "Window") -> None:
        super().__init__("View")
        self.setObjectName("toolbar")
        self.setMovable(False)
        self._window, self._session = window, window.session
        self.scale = Segments("Linear", "Log")
        self.scale.setToolTip("Colour by load, or by its logarithm over three decades (L)")
        self.reference = Segments("Hottest", "Frozen")
        self.reference.setToolTip("100 % is the hottest link now, or stays what it is, so that two states compare (Z)")
        self.filter = QSlider(Qt.Orientation.Horizontal)
        self.filter.setRange(0, STEPS)
        self.filter.setFixedWidth(120)
        self.filter.setToolTip("Draw the hottest links only")
        self._shown = QLabel()
        self._shown.setMinimumWidth(100)
        self._build()
        self.scale.group.idClicked.connect(self._on_scale_clicked)
        self.reference.group.idClicked.connect(self._on_reference_clicked)
        # The slider tells every pixel; thirty pictures a second are enough.
        self._settled = QTimer(self, singleShot=True, interval=33)
        self._settled.timeout.connect(self._on_filter_settled)
        self.filter.valueChanged.connect(self._on_filter_moved)
        self._session.changed.connect(self._on_session_changed)
        self._update()

    def _build(self) -> None:
        for text, widget in (("Colour", self.scale), ("100 % is", self.reference), ("Links shown", self.filter)):
            label = QLabel(text)
            label.setProperty("role", "dim")
            self.addWidget(label)
            self.addWidget(widget)
        self.addWidget(self._shown)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(space)
        fit = QPushButton("Fit")
        fit.setToolTip("Show the whole machine (F)")
        fit.clicked.connect(lambda: self._window.fit())
        self.addWidget(fit)
        search = QPushButton("Search commands   Ctrl+K")
        search.setProperty("role", "search")
        search.clicked.connect(lambda: self._window.open_palette())
        self.addWidget(search)

    def _on_scale_clicked(self, index: int) -> None:
        self._session.set_scale(replace(self._session.state.scale, log=index == 1), self)

    def _on_reference_clicked(self, index: int) -> None:
        state = self._session.state
        frozen = (state.reference_time or None) if index == 1 else None
        self._session.set_scale(replace(state.scale, frozen_time=frozen), self)

    def _on_filter_moved(self) -> None:
        if not self._settled.isActive():
            self._settled.start()

    def _on_filter_settled(self) -> None:
        self._session.set_hottest_percent(percent_at(self.filter.value()), self)

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        if ChangeSet.STYLE in changes:
            self._update()

    def _update(self) -> None:
        state = self._session.state
        self.scale.choose(int(state.scale.log))
        self.reference.choose(int(state.scale.frozen_time is not None))
        percent = state.hottest_percent
        if percent_at(self.filter.value()) != percent:
            with QSignalBlocker(self.filter):
                self.filter.setValue(position_of(percent))
        self._shown.setText("all" if percent >= 100 else f"hottest {percent:.3g} %")


def percent_at(position: int) -> float:
    """Return the percentage at a place of the slider: 100 % on the right, 0.1 % on the left."""
    return float(10 ** (3 * position / STEPS - 1))


def position_of(percent: float) -> int:
    """Return the place of a percentage on the slider."""
    return round((log10(max(percent, 0.1)) + 1) / 3 * STEPS)
