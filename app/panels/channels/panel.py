"""The Channels panel: rings or trees of a collective, drawn on the machine, and the links that each repeats."""

from typing import ClassVar

import numpy as np
from PySide6.QtCore import QModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.channels_shown import Times, chosen_channel, crossed_links, crossings_of, drawn_channels
from app.model.priority import Priority
from app.model.state import State
from app.session.session import Session
from app.widgets.array_table import ArrayTable, Column
from app.widgets.labels import link, message_label, say
from app.widgets.layouts import STRETCH, column, row
from app.widgets.link_table import NO_LINKS, LinkTable
from app.widgets.session_widget import SessionWidget
from app.widgets.wrapped import WrappedRow
from app.wording.names import short_name
from core.job.channels import Channels
from core.load.flow_paths import Links
from core.load.routes.switch_links import joins_switches
from core.text import plural

MIN_SIZE = QSize(400, 120)
MAX_LINKS = 1000
"""Maximum number of links in the table."""
FILLS = 1000
"""Stretch of the table of links, which leaves the room below it to nothing else unless it is hidden."""
TEXTBOOK_TIP = "Pin as A the same collective by a textbook algorithm in the order of ranks, and compare side by side"
COUNTING = "Counting the links that each channel crosses."


class ChannelsPanel(SessionWidget):
    """A table of channels; a click draws only one, and lists and highlights the links that it crosses repeatedly."""

    title: ClassVar[str] = "Channels"
    subtitle_changed = Signal(str)
    """The number of channels, and of ranks."""
    refresh_priority = Priority.CHARTS
    shows_loads_together = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._made = False
        """Whether the contents were made: only once they are shown."""

    def _make(self) -> None:
        self._made, session = True, self.session
        self.table, self.links = ArrayTable(), LinkTable(session)
        self.table.setAccessibleName("Channels")
        self.links.setAccessibleName("Links that the channel crosses more than once")
        self.links.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.message = message_label("dim")
        self.all, self.draw, self.textbook = link("All channels"), link(""), link("Compare with the textbook algorithm")
        self.textbook.setToolTip(TEXTBOOK_TIP)
        self.all.clicked.connect(lambda: session.channels.choose(None))
        self.draw.clicked.connect(lambda: session.channels.draw(not self.state.channels.on_machine))
        self.textbook.clicked.connect(session.compare_with_textbook)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        crossed = QWidget()
        column(self.message, (self.links, FILLS), STRETCH, of=crossed, spacing=4)
        head = WrappedRow(self.draw, self.all, self.textbook, spacing=14)
        tables = row((self.table, 2), (crossed, 3), spacing=14)
        column(head, (tables, 1), of=self, margins=(12, 2, 12, 8), spacing=4)

    def minimumSizeHint(self) -> QSize:
        """Return a minimum with a few rows."""
        return MIN_SIZE

    def refresh(self, changes: ChangeSet) -> None:
        """Show the channels of the job on screen."""
        state, channels = self.state, self.state.evaluation.case.job.channels
        if channels is None:
            return
        if not self._made:
            self._make()
            changes = ChangeSet.ALL
        if changes & (ChangeSet.CHANNELS | ChangeSet.MAPPING | ChangeSet.LOADS | ChangeSet.TOPOLOGY):
            self._show(state, channels)
        if ChangeSet.SELECTION in changes:
            self.links.show_selection(state.selection)

    def _show(self, state: State, channels: Channels) -> None:
        chosen = chosen_channel(state) if drawn_channels(state) is not None else None
        self.subtitle_changed.emit(_headline(channels))
        self.all.setVisible(chosen is not None)
        self.draw.setText("Hide on the machine" if state.channels.on_machine else "Show on the machine")
        with QSignalBlocker(self.table.selectionModel()):
            self.table.set_columns(channel_columns(state, channels))
            self.table.setCurrentIndex(QModelIndex() if chosen is None else self.table.view_index(chosen))
        links, times = (NO_LINKS, np.zeros(0)) if chosen is None else crossed_links(state, chosen)
        say(self.message, _words(state, channels, chosen, links))
        self.links.setVisible(links.size > 0)
        self.links.show_links(links[:MAX_LINKS], link_columns(state, links[:MAX_LINKS], times[:MAX_LINKS]))
        self.links.show_selection(state.selection)

    def _on_row_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.session.channels.choose(self.table.source_row(index))


def channel_columns(state: State, channels: Channels) -> tuple[Column, ...]:
    """Return the name of each channel, and how many links it crosses repeatedly and how often, once that is known."""
    count, computed = len(channels.names), crossings_of(state) is not None
    crossed = [crossed_links(state, channel) for channel in range(count)] if computed else []
    links = [some.size for some, _ in crossed] or [-1] * count
    most = [float(times.max(initial=0.0)) for _, times in crossed] or [-1.0] * count
    return (
        Column(channels.parts.kind, "Number, in the colour of the legend", list(range(count)), channels.number),
        Column("repeated", f"Links {_between(state)}that it crosses more than once in a step", links, _number),
        Column("most", "Largest number of crossings of one of these links", most, _times),
    )


def link_columns(state: State, links: Links, times: Times) -> tuple[Column, ...]:
    """Return the number of crossings of each link, its ends and its class."""
    network = state.evaluation.case.network
    tails, heads = ([network.link_ends(link)[side] for link in links.tolist()] for side in (0, 1))
    kinds = [short_name(network.classes[k].name) for k in network.class_of[links].tolist()]
    return (
        Column("crossed", "Messages of the channel on this link in a step", times.tolist(), _times),
        Column("from", "Switch where the link starts, and its port", tails, str, number=False, elides=True),
        Column("to", "Switch where the link ends, and its port", heads, str, number=False, elides=True),
        Column("class", "Link class", kinds, str, number=False, spare=True),
    )


def _number(count: int) -> str:
    return "…" if count < 0 else f"{count:,}"


def _times(times: float) -> str:
    return "…" if times < 0 else "–" if times == 0 else f"{times:.3g} ×"


def _between(state: State) -> str:
    return "between switches " if joins_switches(state.evaluation.case.network) else ""


def _headline(channels: Channels) -> str:
    shape = "ring" if channels.rings else "chain" if len(channels.names) == len(channels.parts.labels) else "tree"
    ranks = np.unique(np.concatenate([channels.src, channels.dst])).size
    return f"{plural(len(channels.names), shape)} of {plural(ranks, 'rank')}"


def _words(state: State, channels: Channels, chosen: int | None, links: Links) -> str:
    if crossings_of(state) is None:
        return COUNTING if state.channels.on_machine else ""
    if chosen is None:
        return f"Click a {channels.parts.kind} to draw it alone, and to see the links that it crosses more than once."
    name = channels.names[chosen].capitalize()
    if not links.size:
        return f"{name} crosses no link {_between(state)}more than once in a step."
    return f"{name} crosses {plural(links.size, 'link')} {_between(state)}more than once in a step:"
