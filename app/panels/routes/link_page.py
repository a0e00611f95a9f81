"""A page of the Routes panel with a message and a table of links."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt

from app.model.state import State
from app.session.session import Session
from app.widgets.array_table import Column
from app.widgets.labels import message_label, say
from app.widgets.layouts import STRETCH, column
from app.widgets.link_table import LinkTable
from app.widgets.panel import Content
from app.wording.names import short_name
from core.load.flow_paths import Links
from core.text import as_sentence

FILLS = 1000
"""Stretch of a table that leaves the room below it to nothing else, unless it is hidden."""
MAX_LINKS = 5000
"""Maximum number of links in a table."""
MIN_ROWS = 2


class PageTable(LinkTable):
    """A table of links that takes the room left on its page, and scrolls by itself."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__(session)
        self.setAccessibleName(name)
        # Names differ at their ends.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def sizeHint(self) -> QSize:
        """Return a hint with the minimum number of rows."""
        return QSize(super().sizeHint().width(), self.height_of(MIN_ROWS))

    def minimumSizeHint(self) -> QSize:
        """Return a minimum height with the minimum number of rows."""
        return QSize(super().minimumSizeHint().width(), self.height_of(MIN_ROWS))


class LinkPage(Content):
    """A message, and below it a table of links that share their selection with all views."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__()
        self.message, self.table = message_label("dim"), PageTable(session, name)
        column(self.message, (self.table, FILLS), STRETCH, of=self, spacing=4)
        self._shown: object = None

    def show_links(self, state: State, words: str, links: Links, *, numbered: bool = False) -> None:
        """Show other links; they are numbered if their order matters."""
        say(self.message, as_sentence(words) if words else "")
        self.table.setVisible(links.size > 0)
        if links is not self._shown:
            self._shown, links = links, links[:MAX_LINKS]
            self.table.show_links(links, link_columns(state, links, numbered=numbered))
        self.table.show_selection(state.selection)


def link_columns(state: State, links: Links, *, numbered: bool) -> tuple[Column, ...]:
    """Return both ends of each link with their ports, and its class, perhaps after its number."""
    network = state.evaluation.case.network
    kind = [short_name(network.classes[k].name) for k in network.class_of[links].tolist()]
    number = Column("No.", "Number of the link", list(range(1, links.size + 1)), str, number=False)
    ends = end_columns([network.link_ends(link) for link in links.tolist()])
    return (*([number] if numbered else ()), *ends, Column("class", "Link class", kind, str, False, spare=True))


def end_columns(ends: Sequence[tuple[str, str]]) -> tuple[Column, Column]:
    """Return the columns of both ends of links, with their ports."""
    tails, heads = ([end[side] for end in ends] for side in (0, 1))
    return (
        Column("from", "Node or switch where the link starts, and its port", tails, str, number=False, elides=True),
        Column("to", "Node or switch where the link ends, and its port", heads, str, number=False, elides=True),
    )
