"""The links that changed most between two states, as a table."""

from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QWidget

from app.model.comparison_text import ALIKE, HOTTEST_OF_BOTH, changed_text, relative_at
from app.model.evaluation import Evaluation
from app.model.state import State
from app.session.session import Session
from app.widgets.array_table import Column
from app.widgets.labels import ElidedLabel, with_role
from app.widgets.layouts import column
from app.widgets.link_table import NO_LINKS, LinkTable
from app.wording.names import only_text, short_name
from app.wording.numbers import MINUS, percent, signed, significant, with_sign
from core.job.measure import common
from core.load.compare import Ids, difference
from core.text import links_of

REFERENCE_SET = "A is pinned. Your next changes become B."


class ChangeTable(QWidget):
    """The links that changed most, and the number of links that changed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.caption, self.table = with_role(ElidedLabel(), "dim"), LinkTable(session)
        layout = column(self.caption, (self.table, 1), of=self, spacing=2)
        layout.addStretch()

    @property
    def links(self) -> Ids:
        """Return the links in the table, largest change first, regardless of the order on screen."""
        return self.table.links

    def show_changes(self, state: State, count: int) -> None:
        """Show the `count` links that changed most from A to B."""
        both = state.same_links_pair
        if both is None:
            self.table.show_links(NO_LINKS, ())
            self.caption.setText("")
            self.table.hide()
            return
        changes = difference(both[0].report, both[1].report)
        links = changes.strongest(count, state.shown_links)
        self.table.show_links(links, link_columns(state, both, links), both[1].case.scenario)
        changed = int(np.count_nonzero(changes.values[state.shown_links]))
        self.table.setVisible(changed > 0)
        self._caption(changed, state)
        self.table.show_selection(state.selection)

    def _caption(self, changed: int, state: State) -> None:
        if not changed and state.shown_class is not None:
            self.caption.setText(f"No {links_of(state.shown_class.name)} changed.")
            return
        if not changed:
            self.caption.setText(REFERENCE_SET if state.comparison.reference is state.evaluation else ALIKE)
            return
        scale_text = state.full_scale_name or HOTTEST_OF_BOTH
        only = only_text(state.shown_class)
        self.caption.setText(changed_text(changed, self.links.size, scale_text) + f" · {only}" * bool(only))
        self.caption.setToolTip(self.caption.text())


def link_columns(state: State, both: tuple[Evaluation, Evaluation], links: Ids) -> tuple[Column, ...]:
    """Return the columns of the table: loads in A and B, absolute and relative to the scale, and the changes."""
    network = both[1].case.network
    kind = [short_name(network.classes[k].name) for k in network.class_of[links].tolist()]
    measure = common(*(evaluation.case.job.measure for evaluation in both))
    a, b = (measure.converted(evaluation.report.total_load[links]) for evaluation in both)
    share_a, share_b = (relative_at(state, evaluation, links) for evaluation in both)
    figures = [values.tolist() for values in (a, b, b - a, share_a, share_b, share_b - share_a)]

    def ends(index: int) -> str:
        return short_name(" → ".join(network.link_ends(index)))

    return (
        Column("class", "Link class", kind, str, number=False),
        Column("link", "Nodes or switches at its ends", links.tolist(), ends, number=False, elides=True),
        Column("A", f"Load in A, in {measure.many}", figures[0], significant),
        Column("B", f"Load in B, in {measure.many}", figures[1], significant),
        Column(f"B{MINUS}A", f"Change of the load, in {measure.many}", figures[2], _signed_figure),
        Column("A %", "Utilisation in A, relative to the top of the colour scale", figures[3], _bare(percent)),
        Column("B %", "Utilisation in B, relative to the top of the colour scale", figures[4], _bare(percent)),
        Column(f"B{MINUS}A %", "Change of the utilisation", figures[5], _bare(signed)),
    )


def _signed_figure(value: float) -> str:
    return with_sign(value, significant, "0")


def _bare(write: Callable[[float], str]) -> Callable[[float], str]:
    return lambda share: write(share).removesuffix(" %")
