"""The bar under the menus: colour scale, filter, search."""

from collections.abc import Mapping
from dataclasses import replace
from math import log10

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction, QResizeEvent, QStandardItemModel
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QToolBar

from app.actions.edit_commands import EditCommands
from app.actions.keys import with_keys
from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.measured_text import TIPS, TITLES
from app.model.state import State
from app.session.session import Session
from app.widgets.combo_box import ComboBox
from app.widgets.labels import label, with_role
from app.widgets.segmented_control import SegmentedControl
from app.window.compare_bar import CompareBar
from app.window.tool_options import ToolOptions

FILTER_POSITIONS = 100
"""Positions of the filter's slider, on a logarithmic scale: 0.1 % at the left, 100 % at the right."""
FILTER_PX, SHOWN_PX = (76, 100), (84, 48)
"""Widths of the filter and of its reading, narrow and wide, at scale 1."""
SOURCE_PX = 80, 160
"""Maximum widths of the box of link values, narrow and wide, at scale 1."""
SCALE_TIP = with_keys("Linear colour scale, or logarithmic over three decades ({key:view.log})")
REFERENCE_TIP = (
    "100 % is the load of the hottest link (with several phases, their total time), or frozen to compare states "
    "({key:view.freeze})"
)
SOURCES = tuple(TITLES)
OF_COUNTERS = "Counters and harm are coloured up to the highest value"
ALWAYS_LINEAR = "Differences have a sign, so their scale is always linear"


class ToolBar(QToolBar):
    """Controls of the colour scale and of how many links are drawn."""

    def __init__(self, session: Session, actions: Mapping[str, QAction], edits: EditCommands) -> None:
        super().__init__("View")
        self.setObjectName("toolbar")
        self.setMovable(False)
        self._session, self._actions = session, actions
        self.scale = SegmentedControl("Linear", "Log")
        self.reference = SegmentedControl("Hottest", "Frozen")
        self.reference.setToolTip(with_keys(REFERENCE_TIP))
        self.source = ComboBox()
        for place, source in enumerate(SOURCES):
            self.source.addItem(TITLES[source])
            self.source.setItemData(place, TIPS[source], Qt.ItemDataRole.ToolTipRole)
        self.source.setToolTip(
            "Colour links by load, by predicted or measured bandwidth, or by the harm of their failure"
        )
        self.source.setAccessibleName("Values that colour links")
        self.filter = QSlider(Qt.Orientation.Horizontal)
        self.filter.setRange(0, FILTER_POSITIONS)
        self.filter.setToolTip("Draw only the hottest links")
        self.filter.setAccessibleName("Percentage of hottest links shown")
        self._shown = QLabel()
        self.options = ToolOptions(session, actions, edits)
        self.comparison = CompareBar(session, actions)
        self._search = with_role(QPushButton(), "search")
        self._captions: list[QAction] = []
        """Captions that are hidden if there is little room."""
        self._counted = False
        """Whether the scenario shown last has counters."""
        self._options: tuple[object, ...] = ()
        """The layout shown last."""
        self._build()
        self.source.activated.connect(self._on_source_activated)
        self.scale.group.idClicked.connect(self._on_scale_clicked)
        self.reference.group.idClicked.connect(self._on_reference_clicked)
        # The slider emits at every pixel; thirty updates a second are enough.
        self._filter_pause = timer(self, 33, single_shot=True)
        self._filter_pause.timeout.connect(self._on_filter_pause_timeout)
        self.filter.valueChanged.connect(self._on_filter_moved)
        self._session.changed.connect(self._on_session_changed)
        self._update()

    def _build(self) -> None:
        self.addWidget(self.options)
        self.addWidget(self.comparison)
        self.addWidget(self.options.chosen)
        self._source = self.addWidget(self.source)
        for text, widget in (("Colour", self.scale), ("100 % is", self.reference), ("Links shown", self.filter)):
            self._captions.append(self.addWidget(label("dim", text)))
            self.addWidget(widget)
        self.addWidget(self._shown)
        fit = QPushButton("Fit")
        fit.setToolTip(with_keys("Show the whole machine ({key:view.fit})"))
        fit.clicked.connect(self._actions["view.fit"].trigger)
        self._fit = self.addWidget(fit)
        self._search.setToolTip(with_keys("Search commands, machines, jobs, settings and files ({key:help.palette})"))
        self._search.clicked.connect(self._actions["help.palette"].trigger)
        self.addWidget(self._search)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the search and hide the captions if there is little room."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        # The text of the search is given up first, then the captions, then the width of the other controls.
        for search, captions, wide in ((True, True, True), (False, True, True), (False, False, True), (False,) * 3):
            self._set_room(search, captions, wide)
            if self.sizeHint().width() <= self.width():
                return

    def _set_room(self, search: bool, captions: bool, wide: bool) -> None:
        for caption in self._captions:
            caption.setVisible(captions)
        self._fit.setVisible(wide)
        self._search.setText(with_keys("Search commands   {key:help.palette}") if search else "Search")
        theme = self._session.state.style.theme
        self.filter.setFixedWidth(theme.px(FILTER_PX[wide]))
        self.source.setMaximumWidth(theme.px(SOURCE_PX[wide]))
        self._shown.setMinimumWidth(theme.px(SHOWN_PX[captions]))
        self._show_reading()

    def _on_source_activated(self, index: int) -> None:
        self._session.set_source(SOURCES[index])
        self._update()

    def _on_scale_clicked(self, index: int) -> None:
        self._session.set_scale(replace(self._session.state.style.scale, log=index == 1))

    def _on_reference_clicked(self, index: int) -> None:
        state = self._session.state
        frozen = (state.full_scale_time or None) if index == 1 else None
        self._session.set_scale(replace(state.style.scale, frozen_time=frozen))

    def _on_filter_moved(self) -> None:
        if not self._filter_pause.isActive():
            self._filter_pause.start()

    def _on_filter_pause_timeout(self) -> None:
        self._session.set_hottest_percent(percent_at(self.filter.value()))

    def _on_session_changed(self, changes: ChangeSet) -> None:
        state = self._session.state
        counted = state.evaluation.case.measured is not None
        if ChangeSet.STYLE in changes or counted != self._counted:
            self._counted = counted
            self._update()
        comparison = state.comparison
        options = (comparison.mode, comparison.reference is None, state.style.theme.scale, counted)
        if options != self._options:
            self._options = options
            self._make_room()

    def _update(self) -> None:
        state = self._session.state
        self.source.setCurrentIndex(SOURCES.index(state.source))
        self.source.setEnabled(state.compared_pair is None)
        # Without counters it makes room for the modes of a comparison, in which links show loads.
        self._source.setVisible(state.compared_pair is None or state.measurement is not None)
        self._offer_sources(state)
        self.scale.choose(int(state.shading.log))
        signed = state.shading.signed
        self.scale.setEnabled(not signed)
        self.scale.setToolTip(ALWAYS_LINEAR if signed else SCALE_TIP)
        self.reference.setEnabled(state.counters is None)
        self.reference.setToolTip(with_keys(REFERENCE_TIP) if state.counters is None else OF_COUNTERS)
        self.reference.choose(int(state.style.scale.frozen_time is not None))
        percent = state.style.hottest_percent
        if percent_at(self.filter.value()) != percent:
            with QSignalBlocker(self.filter):
                self.filter.setValue(position_of(percent))
        self._show_reading()

    def _offer_sources(self, state: State) -> None:
        model, measurement = self.source.model(), state.measurement
        assert isinstance(model, QStandardItemModel)
        for place, source in enumerate(SOURCES):
            has = not source.needs_counters or (measurement is not None and measurement.has(source))
            model.item(place).setEnabled(has)

    def _show_reading(self) -> None:
        percent, captioned = self._session.state.style.hottest_percent, self._captions[0].isVisible()
        self._shown.setText("all" if percent >= 100 else f"{'' if captioned else 'hottest '}{percent:.3g} %")


def percent_at(position: int) -> float:
    """Return the percentage at a position of the slider."""
    return float(10 ** (3 * position / FILTER_POSITIONS - 1))


def position_of(percent: float) -> int:
    """Return the slider's position for a percentage."""
    return round((log10(max(percent, 0.1)) + 1) / 3 * FILTER_POSITIONS)
