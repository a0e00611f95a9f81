"""The hottest links as a table: sortable, for pointer and keyboard, one selection with all other views."""

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.background.timer import timer
from app.model.load_parts import NEARLY_HOTTEST, nearly_hottest
from app.session.session import Session
from app.widgets.array_table import Column
from app.widgets.labels import label, link
from app.widgets.layouts import column
from app.widgets.link_table import NO_LINKS, LinkTable
from app.widgets.wrapped import WrappedRow
from app.wording.names import short_name
from app.wording.numbers import percent, significant
from core.load.compare import scaled
from core.load.evaluate import LoadReport
from core.network.network import LinkClass
from core.text import links_of

MAX_LINKS = 500
"""Maximum number of links in the table."""
MAX_COORDINATES = 3
"""Coordinates of a node that both ends of a link have room for."""
GLANCE_MS = 100
"""Minimum time between updates while steps are played."""


def hottest_columns(report: LoadReport, links: NDArray[np.intp], top: float = 0.0) -> tuple[Column, ...]:
    """Return the columns of the table for some links; `top`: the time of 100 %, by default the bottleneck's."""
    network = report.case.network
    measure = report.case.job.measure.suited(float(report.total_load[links].max(initial=0.0)))
    kind = network.class_of[links].tolist()
    # Values that sort by vertex and then by link.
    src, dst = ((end[links].astype(np.int64) * network.links + links).tolist() for end in (network.src, network.dst))
    load, own = (measure.converted(loads[links]).tolist() for loads in (report.total_load, report.load))
    share = scaled(report, top)[links].tolist()
    beside = (Column("own", f"Load of this job, in {measure.many}", own, significant, spare=True),)

    def at_end(side: int, value: int) -> tuple[int, str]:
        # The vertex, and its port or the link's number among parallel links.
        vertex, link = divmod(value, network.links)
        return vertex, network.link_ends(link)[side].removeprefix(network.label(vertex))

    @cache
    def place(side: int, value: int) -> str:
        vertex, port = at_end(side, value)
        return short_name(network.label(vertex).strip("()") + port)

    def changed_coordinates(value: int) -> str:
        link = value % network.links
        ends = (network.label(int(vertex[link])).strip("()").split(",") for vertex in (network.src, network.dst))
        parts = zip(network.spec.axes, *ends, strict=True)
        changed = ", ".join(f"{axis} {after}" for axis, before, after in parts if before != after)
        return short_name(changed + at_end(1, value)[1])

    def whole_place(side: int, value: int) -> str:
        vertex, port = at_end(side, value)
        return (network.coordinates(vertex) or network.vertex_name(vertex)) + port

    many = network.coordinates(0).count("·") >= MAX_COORDINATES
    order = f" ({', '.join(network.spec.axes)})" if network.spec.axes else ""
    numbers = ", with its port in brackets" if network.src_ports is not None else ""

    def bare_percent(share: float) -> str:
        return percent(share).removesuffix(" %")

    return (
        Column("class", "Link class", kind, lambda index: short_name(network.classes[index].name), number=False),
        Column(
            "from",
            f"Node or switch where the link starts{order}{numbers}",
            src,
            partial(place, 0),
            False,
            True,
            explain=partial(whole_place, 0),
        ),
        Column(
            "to",
            f"Node or switch where the link ends{order}{numbers}",
            dst,
            changed_coordinates if many else partial(place, 1),
            False,
            True,
            explain=partial(whole_place, 1),
        ),
        Column(measure.many, f"Load, in {measure.many}", load, significant, spare=True),
        *(beside if report.others.size else ()),
        Column("%", "Utilisation (load / bandwidth) relative to the top of the colour scale", share, bare_percent),
    )


class HottestLinks(QWidget):
    """The table of the hottest links, and the number of links nearly as hot."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.heading, self.caption = label("subheading"), label("dim")
        self.clear = link("Clear", "Show the links of all classes")
        self.clear.clicked.connect(lambda: session.set_link_class(""))
        self.table = LinkTable(session, hottest_columns(session.state.report, NO_LINKS))
        self.table.setAccessibleName("Hottest links")
        # Names differ at their ends.
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._session, self._report = session, session.state.report
        self._glance = timer(self, GLANCE_MS, single_shot=True)
        self._glance.timeout.connect(self._on_glance_over)
        self._behind = False
        self._look: tuple[LinkClass | None, float] = None, 0.0
        """The class shown, and the time of 100 %."""
        # The table stays where it is when the button appears.
        policy = self.clear.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.clear.setSizePolicy(policy)
        head = WrappedRow(self.heading, self.clear, self.caption, spacing=6)
        head.setAlignment(self.caption, Qt.AlignmentFlag.AlignRight)
        column(head, self.table, of=self, spacing=2)

    @property
    def links(self) -> NDArray[np.intp]:
        """Return the links in the table, hottest first, regardless of the order on screen."""
        return self.table.links

    def show_report(self, report: LoadReport, *, passing: bool = False) -> None:
        """Show the hottest links of a report; while steps are played at most every `GLANCE_MS`."""
        self._report = report
        self._behind = passing and self._glance.isActive()
        if not self._behind:
            self._show(report)
            self._glance.start()

    def show_look(self) -> None:
        """Show another class, or percentages of another colour scale, once that has settled."""
        state = self._session.state.pictured
        settled = state.edit.gesture or state.style.held_top is None
        if settled and (state.shown_class, state.full_scale_time) != self._look:
            self._show(self._report)
            self.table.show_selection(state.selection)

    def _on_glance_over(self) -> None:
        if self._behind:
            self.show_report(self._report)

    def _show(self, report: LoadReport) -> None:
        state = self._session.state.pictured
        only, top = self._look = state.shown_class, state.full_scale_time
        self.heading.setText("Hottest links" if only is None else f"Only {links_of(only.name)}")
        self.clear.setVisible(only is not None)
        links = report.hottest(MAX_LINKS, state.shown_links)
        links = links[report.load[links] > 0]
        self.table.show_links(links, hottest_columns(report, links, top), report.case.scenario)
        self.caption.setText(nearly_hottest(report, only))
        self.caption.setToolTip(
            f"Links whose utilisation is within {percent(NEARLY_HOTTEST)} of the hottest.\n"
            f"The table lists the {links.size:,} hottest links."
        )
