"""The hottest links as a table: sortable, for pointer and keyboard, one selection with all other views."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.session.session import Session
from app.widgets.array_table import Column
from app.widgets.link_table import LinkTable
from app.wording.numbers import percent, significant
from core.job.measure import UNITS
from core.load.evaluate import LoadReport

SHOWN = 500
NONE = np.zeros(0, np.intp)
NEAR = 0.01
"""Links within this share of the hottest are counted in the caption."""


def columns(report: LoadReport | None, links: NDArray[np.intp]) -> tuple[Column, ...]:
    """Return the columns of the table for some links; empty ones without a report."""
    names: list[str] = []
    label: Callable[[int], str] = str
    measure = UNITS if report is None else report.case.job.measure
    kind, src, dst, load, share = _values(report, links)
    if report is not None:
        names, label = [c.name for c in report.case.network.classes], report.case.network.label

    def place(vertex: int) -> str:
        return label(vertex).replace(" · ", "·")  # a column is narrow

    return (
        Column("class", "Link class", kind, lambda index: names[index], number=False),
        Column("from", "The node or switch it leaves", src, place, number=False, elides=True),
        Column("to", "The node or switch it reaches", dst, place, number=False, elides=True),
        Column(measure.many, f"Load: {measure.many} that cross the link", load, significant),
        Column("%", "Utilisation: load over bandwidth, relative to the bottleneck", share, _bare_percent),
    )


def _values(
    report: LoadReport | None, links: NDArray[np.intp]
) -> tuple[list[Any], list[Any], list[Any], list[Any], list[Any]]:
    if report is None:
        return [], [], [], [], []
    network = report.case.network
    kind, src, dst = (values[links].tolist() for values in (network.class_of, network.src, network.dst))
    return (
        kind,
        src,
        dst,
        report.case.job.measure.converted(report.load[links]).tolist(),
        report.utilisation[links].tolist(),
    )


def _bare_percent(share: float) -> str:
    return percent(share).removesuffix(" %")


class HotTable(QWidget):
    """The hottest links, and how many are nearly as hot as the hottest."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        title = QLabel("Hottest links")
        title.setProperty("role", "subheading")
        self.caption = QLabel()
        self.caption.setProperty("role", "dim")
        head = QHBoxLayout()
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.caption)
        self.table = LinkTable(session, columns(None, NONE))
        # Names differ at their ends.
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addWidget(self.table)

    @property
    def links(self) -> NDArray[np.intp]:
        """Return the links in the table, hottest first, whatever the order on screen."""
        return self.table.links

    def show_report(self, report: LoadReport) -> None:
        """Show the hottest links of a report."""
        links = report.hottest(SHOWN)
        links = links[report.load[links] > 0]
        self.table.show_links(links, columns(report, links))
        near = int(report.case.network.multiplicity[report.utilisation >= 1 - NEAR].sum()) if report.time > 0 else 0
        self.caption.setText(f"{near:,} within {NEAR:.0%}".replace("%", " %"))
        self.caption.setToolTip(
            f"Links whose utilisation is within {100 * NEAR:g} % of the hottest.\n"
            f"The table lists the {links.size:,} hottest."
        )
