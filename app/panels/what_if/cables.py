"""Cables to add: a table of the cables whose addition helps most, one after the other."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from PySide6.QtGui import QHideEvent, QShowEvent

from app.model.cables_to_add import MOST, CableSearch, CableState
from app.model.pointing import Item
from app.model.state import State
from app.panels.what_if.answers import Answers
from app.session.added_cables import add_cables
from app.session.cable_finder import CableFinder
from app.session.session import Session
from app.widgets.array_table import Column
from app.widgets.labels import say
from app.widgets.layouts import column
from app.wording.names import short_name
from app.wording.numbers import gbs, rate, signed
from core.network.added_cables import cable_links
from core.text import plural

NONE = "—"
INTRODUCTION = (
    "Search for the cables whose addition raises the throughput most, one after the other, each with its exact gain."
)
STALE = "These cables are for an earlier state of the scenario."


class CableAnswers(Answers):
    """A table of cables in the order in which they were chosen; a double click adds a cable and all before it."""

    introduction, stale_words, verb = INTRODUCTION, STALE, "Search"
    sizes_name = "Number of cables"
    sizes_tip = "Number of cables to search for, each in addition to all before it"
    apply_tip = (
        "Add the cables of all rows up to the selected one, as one step that undo reverts; or double-click its row"
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session, "Cables to add")
        self._shown: tuple[CableSearch, int | None] | None = None
        """The cables in the table, and how many of them the scenario has."""
        column(self.summary, (self.table, 1), of=self, spacing=4)

    @property
    def asked(self) -> CableState:
        """Return the state of the search."""
        return self.session.state.what_if.cables

    @property
    def analyst(self) -> CableFinder:
        """Return the part of the session that searches for cables."""
        return self.session.cable_finder

    @property
    def answered(self) -> bool:
        """Return whether a search has a result."""
        return self.asked.search is not None

    @property
    def stale(self) -> bool:
        """Return whether the cables are for another scenario."""
        return self.answered and self._added is None

    @property
    def apply_text(self) -> str:
        """Return how many cables would be added."""
        return f"Add {plural(len(self._to_add), 'cable')}" if self.applicable else "Add"

    @property
    def applicable(self) -> bool:
        """Return whether the cable of the current row is not in the scenario yet."""
        return bool(self._to_add)

    @property
    def subtitle(self) -> str:
        """Return the number of cables and their gain."""
        return "" if self.asked.search is None else subtitle_text(self.asked.search)

    def sizes(self) -> tuple[Sequence[tuple[str, Any]], Any]:
        """Return the numbers of cables offered."""
        return [(plural(count, "cable"), count) for count in range(1, MOST + 1)], self.asked.count

    def choose(self, size: Any) -> None:
        """Choose the number of cables to search for."""
        self.session.cable_finder.choose(size)

    def show_state(self, state: State) -> None:
        """Show the cables of the last search."""
        search, added = self.asked.search, self._added
        if search is None or (search, added) == self._shown:
            return
        if self._shown is None or search is not self._shown[0]:
            say(self.summary, summary_text(search))
        self._shown = search, added
        self.table.renew_columns(cable_columns(search, added or 0))
        self.table.setVisible(bool(search.rows))

    def apply(self) -> None:
        """Add the cables up to the current row that the scenario does not have."""
        if self._to_add:
            add_cables(self.session, *self._to_add)

    def select(self, row: int) -> None:
        """Select the link of a cable that the scenario has; draw others, with all before them, on the machine."""
        self.session.cable_finder.point(row)
        network, search = self.session.state.evaluation.case.network, self.asked.search
        if search is not None and row < (self._added or 0):
            cables = self.session.state.evaluation.case.scenario.cables
            number = len(search.report.case.scenario.cables) + row
            self.session.select(Item("link", int(cable_links(network, cables)[number, 0])))

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the cables of the current row again."""
        super().showEvent(event)
        self.session.cable_finder.point(self.row)

    def hideEvent(self, event: QHideEvent) -> None:
        """Draw no cables."""
        super().hideEvent(event)
        self.session.cable_finder.point(None)

    @property
    def _added(self) -> int | None:
        # How many of the cables the scenario has, or None if it is another one.
        search = self.asked.search
        return None if search is None else search.added_in(self.session.state.evaluation.report)

    @property
    def _to_add(self) -> Sequence[Any]:
        if self.row is None or self.asked.search is None or self._added is None:
            return ()
        return self.asked.search.cables[self._added : self.row + 1]


def cable_columns(search: CableSearch, added: int) -> tuple[Column, ...]:
    """Return the columns of the table, given how many of the cables the scenario has."""
    rows = search.rows
    numbers, throughputs = list(range(1, len(rows) + 1)), [row.throughput_gbs or 0.0 for row in rows]
    return (
        Column("No.", "Order in which the cables were chosen", numbers, str, number=False),
        Column("cable", "Nodes or switches at its ends", [row.cable for row in rows], short_name, False, elides=True),
        Column("GB/s", "Throughput with this cable and all before it", throughputs, _gbs),
        Column("gain", "Gain in throughput by this cable, with all cables before it in place",
               [np.nan if row.gain is None else row.gain / 100 for row in rows], _gain),
        Column("limited by", "Link class that then limits the throughput", [row.bottleneck or "" for row in rows],
               short_name, number=False, spare=True),
        Column("added", "Whether the scenario has the cable", [number <= added for number in numbers],
               lambda yes: "added" if yes else "", number=False),
    )  # fmt: skip


def summary_text(search: CableSearch) -> str:
    """Return the gain of the cables, and whether no further cable helps."""
    if not search.rows:
        return "No cable raises the throughput by itself."
    before, after, unit = search.report, search.last, search.report.case.job.measure.brief_rate
    values = rate((before.throughput_gbs, after.throughput_gbs), (), unit)
    gain = _total_gain(search)
    lost = before.disconnected.count - after.disconnected.count
    parts = [
        values,
        signed(gain) if gain is not None else "",
        f"{plural(lost, 'flow')} reconnected" if lost > 0 else "",
    ]
    summary = f"With {plural(len(search.rows), 'cable')}: {', '.join(filter(None, parts))}."
    return f"{summary} No further cable helps." if search.exhausted else summary


def subtitle_text(search: CableSearch) -> str:
    """Return ``3 cables · +12.5 %``."""
    gain = _total_gain(search)
    return " · ".join([plural(len(search.rows), "cable"), *([] if gain is None else [signed(gain)])])


def _total_gain(search: CableSearch) -> float | None:
    before, after = search.report.throughput_gbs, search.last.throughput_gbs
    return after / before - 1 if before and after is not None else None


@cache
def _gbs(value: float) -> str:
    return gbs(value) if value else NONE


@cache
def _gain(value: float) -> str:
    return NONE if np.isnan(value) else signed(value)
