"""The changes from A to B: throughput, choices, link classes and links."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from app.background.timer import timer
from app.model.changes import COLOURS, ChangeSet
from app.model.comparison_text import DIFFERENT_LINKS, throughputs, what_differs
from app.model.evaluation import Evaluation
from app.model.priority import Priority
from app.model.state import State
from app.model.state_groups import ComparisonMode
from app.panels.comparison.change_table import ChangeTable
from app.session.session import Session
from app.widgets.array_table import ArrayTable, Column
from app.widgets.labels import ElidedLabel, PartsLabel, label, message_label, say, set_role, with_role
from app.widgets.layouts import UNLIMITED_PX, column, row
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_widget import LARGE_NETWORK, SessionWidget
from app.wording.figures import paired_rows
from app.wording.numbers import signed, significant
from core.figures.evaluation import Evaluated
from core.job.measure import common
from core.load.compare import class_changes

MAX_LINKS = 1000
"""Maximum number of links in the table."""
MAX_LIVE_LINKS = 100
"""Maximum number of links in the table during a gesture."""
MIN_LINKS_PX = 420
"""Minimum width to show links and classes side by side."""
MIN_HEADING_PX = 680
"""Minimum width, at 100 % type, to name the differences in the heading next to the tabs."""
CLASSES, LINKS, FIGURES = range(3)
"""Pages of the panel, if it has no room for several tables."""
MAX_COUNTED = 1 << 18
"""Maximum number of flows that are counted on the GUI thread."""
LIVE_MS = 120
"""Minimum time between two updates during a gesture."""
SIDE_BY_SIDE_INSTEAD = "Their difference cannot be shown. Choose Side by side instead."


class ComparisonPanel(SessionWidget):
    """Shows the differences of A and B while they are compared."""

    title: ClassVar[str] = "A | B"
    subtitle_changed = Signal(str)
    """The choices that differ."""
    refresh_priority = Priority.TASKS

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.headline, self.verdicts = label("subheading"), with_role(ElidedLabel(), "dim")
        self.differing = with_role(PartsLabel(), "dim")
        """The differences, shown if the heading has no room for them."""
        self.message = message_label("warning")
        self.classes, self.links = ArrayTable(), ChangeTable(session)
        self.classes.setSelectionMode(ArrayTable.SelectionMode.NoSelection)
        self.figures = ArrayTable()
        """Every figure of the registry that A or B has."""
        self.figures.setSelectionMode(ArrayTable.SelectionMode.NoSelection)
        self.parts = SegmentedControl("Classes", "Links", "Figures")
        self._chosen = LINKS
        self.parts.group.idClicked.connect(self._on_part_chosen)
        self._live = timer(self, LIVE_MS, single_shot=True)
        self._live.timeout.connect(self._on_live_due)
        self._outdated = False
        """Whether the headings show the running computation."""
        head = row(self.headline, (self.verdicts, 1), self.parts, spacing=10)
        body = row(self.classes, (self.links, 1), (self.figures, 1), spacing=14)
        column(head, self.differing, self.message, (body, 1), of=self, margins=(12, 2, 12, 8), spacing=4)
        self.cover = OutdatedCover(session, self, hole=self.headline)

    @property
    def immediate(self) -> bool:
        """Return True during gestures, in which the panel limits its own rate."""
        return True

    def refresh(self, changes: ChangeSet) -> None:
        """Show the current differences; during a gesture at a limited rate, on a large machine only after it."""
        state = self.state
        what = COLOURS | ChangeSet.COMPARISON
        if state.compared_pair is None:
            self._live.stop()
            return
        if state.edit.gesture and changes & ChangeSet.LOADS:
            if not self._live.isActive() and state.compared_pair[1].report.load.size <= LARGE_NETWORK:
                self._live.start()
        elif changes & what or (ChangeSet.TOOL in changes and not state.edit.gesture):
            self._live.stop()
            self._show(MAX_LINKS)
        elif ChangeSet.STATUS in changes and state.outdated:
            self._show_pending(state)
        elif ChangeSet.STATUS in changes and self._outdated:
            self._show(MAX_LINKS)
        if ChangeSet.SELECTION in changes:
            self.links.table.show_selection(state.selection)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the tables side by side, or let the user choose."""
        super().resizeEvent(event)
        self._arrange()

    def _on_part_chosen(self, part: int) -> None:
        self._chosen = part
        self._show_figures()
        self._arrange()

    def _arrange(self) -> None:
        columns = range(self.classes.source.columnCount())
        needed = sum(map(self.classes.columnWidth, columns)) + 2
        matched = self.state.same_links_pair is not None
        fit = matched and self.width() >= needed + MIN_LINKS_PX
        part = FIGURES if self._chosen == FIGURES else LINKS if fit else self._chosen if matched else CLASSES
        wide = fit and part == LINKS
        self.classes.setMinimumWidth(needed if wide else 0)
        self.classes.setMaximumWidth(needed if wide else UNLIMITED_PX)
        self.parts.group.button(CLASSES).setVisible(not fit)
        self.parts.group.button(LINKS).setVisible(matched)
        self.parts.choose(part)
        self.classes.setVisible(wide or part == CLASSES)
        self.links.setVisible(part == LINKS)
        self.figures.setVisible(part == FIGURES)
        narrow = self.width() < MIN_HEADING_PX * self.state.style.theme.scale
        self.differing.setVisible(narrow and bool(self.differing.text()))

    def _on_live_due(self) -> None:
        if self.isVisible() and self.state.compared_pair is not None:
            self._show(MAX_LIVE_LINKS if self.state.edit.gesture else MAX_LINKS)

    def _show(self, count: int) -> None:
        state, both = self.state, self.state.compared_pair
        assert both is not None
        self._show_head(state, *both)
        self.differing.setText(what_differs(*both))
        self.subtitle_changed.emit(self.differing.text())
        self.classes.set_columns(class_columns(*both))
        self._show_figures()
        matched = state.same_links_pair
        in_vain = state.comparison.mode is ComparisonMode.DIFFERENCE
        set_role(self.message, "warning" if in_vain else "dim")
        say(
            self.message,
            "" if matched is not None else f"{DIFFERENT_LINKS} {SIDE_BY_SIDE_INSTEAD}" if in_vain else DIFFERENT_LINKS,
        )
        self.links.show_changes(state, count)
        self._arrange()
        self._outdated = False
        if state.outdated:
            self._show_pending(state)

    def _show_figures(self) -> None:
        # Some figures are counted flow by flow, which a gesture does not wait for.
        both = self.state.compared_pair
        if both is not None and self._chosen == FIGURES and not self.state.edit.gesture:
            self.figures.set_columns(figure_columns(*both))

    def _show_pending(self, state: State) -> None:
        """Show the running computation instead of the texts about the last comparison."""
        self._outdated = True
        words = f"{state.outdating.words} …" if state.outdating is not None else ""
        self.subtitle_changed.emit(words)
        self.differing.setText("")
        self.headline.setStyleSheet(f"color: {state.style.theme.text};")
        self.headline.setText(words)
        self.verdicts.setText("")
        self.links.caption.setText("")
        say(self.message, "")

    def _show_head(self, state: State, a: Evaluation, b: Evaluation) -> None:
        text, role = throughputs(a, b)
        colour = {"good": state.style.theme.good, "bad": state.style.theme.bad}.get(role, state.style.theme.text)
        self.headline.setStyleSheet(f"color: {colour};")
        self.headline.setText(text)
        verdicts = (a.report.verdict, b.report.verdict)
        self.verdicts.setText(verdicts[0] if verdicts[0] == verdicts[1] else " → ".join(verdicts))
        self.verdicts.setToolTip(self.verdicts.text())


def figure_columns(a: Evaluation, b: Evaluation) -> tuple[Column, ...]:
    """Return the columns of the table of figures; slow figures are omitted for jobs with very many flows."""
    few = all(sum(map(side.case.flows, side.case.job.phases)) <= MAX_COUNTED for side in (a, b))
    rows = paired_rows(*(Evaluated(side.report, side.bounds) for side in (a, b)), slow=few)
    titles, *values = zip(*rows, strict=True)
    return (
        Column("figure", "", titles, str, number=False, elides=True),
        Column("A", "Value in A", values[0], str),
        Column("B", "Value in B", values[1], str),
        Column("change", "B relative to A", values[2], str),
    )


def class_columns(a: Evaluation, b: Evaluation) -> tuple[Column, ...]:
    """Return the columns of the table of classes: loads of the hottest link and on average, and throughputs."""
    changes = class_changes(a.report.classes, b.report.classes)
    sides = [c.a for c in changes], [c.b for c in changes]
    measure = common(a.case.job.measure, b.case.job.measure)

    def values(key: str, convert: Callable[[float], float] = float) -> list[list[float]]:
        columns = ([getattr(load, key, None) for load in side] for side in sides)
        return [[np.nan if value is None else convert(value) for value in side] for side in columns]

    highest, mean = values("max_load", measure.converted), values("mean_load", measure.converted)
    rate = values("throughput_gbs")
    ratio = [after / before - 1 if before else np.nan for before, after in zip(*rate, strict=True)]
    return (
        Column("class", "Link class", [c.name for c in changes], str, number=False),
        Column("max A", f"Load of the hottest link in A, in {measure.many}", highest[0], _figure),
        Column("max B", f"Load of the hottest link in B, in {measure.many}", highest[1], _figure),
        Column("mean A", f"Mean load of a link in A, in {measure.many}", mean[0], _figure),
        Column("mean B", f"Mean load of a link in B, in {measure.many}", mean[1], _figure),
        Column("GB/s A", "Throughput per node in A if only this class limited it", rate[0], _figure),
        Column("GB/s B", "Throughput per node in B if only this class limited it", rate[1], _figure),
        Column("change", "Change of this throughput from A to B", ratio, _ratio),
    )


def _figure(value: float) -> str:
    return significant(value) if np.isfinite(value) else "—"


def _ratio(value: float) -> str:
    return signed(value) if np.isfinite(value) else "—"
