"""The links that changed most between two states, as a table."""

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.comparison_text import relative_at
from app.model.state import State
from app.session.session import Session
from app.widgets.array_table import Column
from app.widgets.card import ElidedLabel
from app.widgets.link_table import LinkTable
from app.wording.numbers import MINUS, percent, signed, significant, with_sign
from core.job.measure import UNITS, common
from core.load.compare import Ids, difference
from core.text import plural

NONE = np.zeros(0, np.intp)
NO_LINKS = "Every link carries the same in A and B."
PINNED = "A is pinned. What you change from here on is B."


class ChangeTable(QWidget):
    """The links that changed most, and how many did."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.caption = ElidedLabel("")
        self.caption.setProperty("role", "dim")
        self.table = LinkTable(session, link_columns(None, NONE))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.caption)
        layout.addWidget(self.table, 1)
        layout.addStretch()

    @property
    def found(self) -> Ids:
        """Return the links in the table, largest change first, whatever the order on screen."""
        return self.table.links

    def show_changes(self, state: State, count: int) -> None:
        """Show the `count` links that changed most from A to B."""
        both = state.same_links_pair
        if both is None:
            self.table.show_links(NONE, link_columns(None, NONE))
            self.caption.setText("")
            self.table.hide()
            return
        changes = difference(both[0].report, both[1].report)
        links = changes.strongest(count)
        self.table.show_links(links, link_columns(state, links))
        self.table.setVisible(changes.changed > 0)
        self._caption(changes.changed, state)
        self.table.show_selection(state.selection)

    def _caption(self, changed: int, state: State) -> None:
        if not changed:
            self.caption.setText(PINNED if state.comparison.reference is state.evaluation else NO_LINKS)
            return
        listed = f", the {self.found.size:,} most changed listed" if changed > self.found.size else ""
        whole = state.style.scale.frozen_as if state.style.scale.frozen_time else "the hottest of A and B"
        self.caption.setText(f"{plural(changed, 'link')} changed{listed} · % of {whole}")
        self.caption.setToolTip(self.caption.text())


def link_columns(state: State | None, links: Ids) -> tuple[Column, ...]:
    """Return the columns of the table: loads in A and B, in units and in percent of the scale, and the changes."""
    both = state.same_links_pair if state is not None else None
    kind: list[str] = []
    measure = UNITS
    figures: list[list[float]] = [[] for _ in range(6)]
    if state is not None and both is not None:
        network = both[1].case.network
        kind = [network.classes[k].name for k in network.class_of[links].tolist()]
        measure = common(*(evaluation.case.job.measure for evaluation in both))
        loads = [measure.converted(evaluation.report.load[links]) for evaluation in both]
        shares = [relative_at(state, evaluation, links) for evaluation in both]
        figures = [
            v.tolist() for v in (loads[0], loads[1], loads[1] - loads[0], shares[0], shares[1], shares[1] - shares[0])
        ]

    def link(index: int) -> str:
        assert both is not None
        network = both[1].case.network
        ends = (network.label(int(end[index])).replace(" · ", "·") for end in (network.src, network.dst))
        return " → ".join(ends)

    return (
        Column("class", "Link class", kind, str, number=False),
        Column("link", "The nodes or switches it joins", links.tolist(), link, number=False, elides=True),
        Column("A", f"Load: {measure.many} that cross the link in A", figures[0], significant),
        Column("B", f"Load: {measure.many} that cross the link in B", figures[1], significant),
        Column(f"B{MINUS}A", f"Change in {measure.many}", figures[2], _signed_figure),
        Column("A %", "Utilisation in A, relative to the top of the colour scale", figures[3], _bare),
        Column("B %", "Utilisation in B, relative to the top of the colour scale", figures[4], _bare),
        Column(f"B{MINUS}A %", "Change of the utilisation", figures[5], _signed_bare),
    )


def _signed_figure(value: float) -> str:
    return with_sign(value, significant, "0")


def _bare(share: float) -> str:
    return percent(share).removesuffix(" %")


def _signed_bare(share: float) -> str:
    return signed(share).removesuffix(" %")
