"""The throughput in large type, with its limit and its change since the baseline."""

from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedLayout, QWidget

from app.model.load_parts import slowdown_words
from app.model.performance import LAST_CHANGE, Performance
from app.model.state import State
from app.session.session import Session
from app.style.colour import lookup_table
from app.widgets.labels import PartsLabel, label, set_role
from app.widgets.layouts import STRETCH, column, row
from app.widgets.pending_strip import PendingStrip
from app.wording.names import brief
from app.wording.numbers import STILL_FLOWING, gbs, rate
from core.job import Flows, Job
from core.load.evaluate import TOLERANCE
from core.text import as_sentence, duration

MAX_SIZE, MIN_SIZE = 4.4, 2.2
"""Maximum and minimum size of the number, relative to other text."""
SPACING = 10
NUMBER_SHARE = 0.5
"""Maximum fraction of the width for the number."""
LIMIT = "Bottleneck:"
TIME_TIP = "Time until all flows have arrived, and throughput per node for the fewest nodes that can hold the job"
SLOWER_TIP = "Slowdown caused by background jobs on the links of this job"
HOT_COLOUR = 204
"""Index in the colour map for the name of the limiting class: hot, and readable on the panel."""


class ThroughputHeadline(QWidget):
    """One number and a few short lines."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.number, self.unit, self.limit = label("big", "…"), label("dim"), QLabel()
        self._limits = "", ""
        """The limit of the throughput, and its short form."""
        self.disconnected = label("subheading")
        self.disconnected.setWordWrap(True)
        self.change = PartsLabel(separators=(" since ",))
        # Several limiting classes take two lines, and so does a unit with a time or a condition.
        for wrapped in (self.unit, self.limit):
            wrapped.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            wrapped.setWordWrap(True)
        facts, sides = QWidget(), QWidget()
        column(STRETCH, self.unit, self.limit, self.change, STRETCH, of=facts, spacing=1)
        self.pending = PendingStrip(session, lambda state: state.outdating)
        """Replaces the facts, with their height, so that nothing moves."""
        self._sides = QStackedLayout(sides)
        for side in (facts, self.pending):
            policy = side.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            side.setSizePolicy(policy)
            self._sides.addWidget(side)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        column(self.disconnected, row(self.number, (sides, 1), spacing=SPACING), of=self, spacing=1)

    def show_pending(self, state: State) -> None:
        """Show the running computation instead of outdated facts."""
        self._sides.setCurrentIndex(int(state.outdated))

    def show_state(self, state: State) -> None:
        """Show the throughput of the last good evaluation."""
        report = state.report
        value = report.throughput_gbs
        self.number.setText("—" if value is None else gbs(value))
        self._show_disconnected(state)
        lasts = "" if report.seconds is None else duration(report.seconds).replace(" ", "\N{NO-BREAK SPACE}")
        took = f" · {lasts}" if lasts else ""
        measure = report.case.job.measure
        # The time alone includes all flows, so it does not compare with a time of some flows.
        slower = "" if report.disconnected else slowdown_words(report)
        condition = STILL_FLOWING if report.disconnected and value is not None else ""
        counted = counted_in(report.case.job)
        self.unit.setText(" · ".join(filter(None, (f"{measure.rate} {condition}".rstrip() + took, counted, slower))))
        # A condition stays readable if there is no room for it.
        self.unit.setToolTip(SLOWER_TIP if slower else TIME_TIP if took else "" if measure.timed else measure.rate)
        names = list(report.limiting)
        self._limits = (f"{LIMIT} {brief(names)}", brief(names)) if names else (as_sentence(report.limit),) * 2
        self.limit.setToolTip(f"Throughput {report.limit}" if names else "")
        self._paint_limit(state)
        self.show_change(state)
        self.fit_number()

    def _paint_limit(self, state: State) -> None:
        red, green, blue, _ = lookup_table(state.style.scale.map, state.style.theme.dark)[HOT_COLOUR].tolist()
        sheet = f"color: rgb({red}, {green}, {blue}); font-weight: 600;"
        if sheet != self.limit.styleSheet():  # setting an equal style sheet is slow too
            self.limit.setStyleSheet(sheet)

    def _show_disconnected(self, state: State) -> None:
        """Show the number of disconnected flows above a greyed throughput, which excludes them."""
        theme, disconnected = state.style.theme, state.report.disconnected
        self.disconnected.setVisible(bool(disconnected))
        self.disconnected.setText(disconnected.headline)
        self.disconnected.setStyleSheet(f"color: {theme.bad};")
        sheet = f"color: {theme.dim};" if disconnected else ""
        if sheet != self.number.styleSheet():  # setting an equal style sheet is slow too
            self.number.setStyleSheet(sheet)

    def show_change(self, state: State) -> None:
        """Show the difference to the baseline, and the swaps that a search has applied so far."""
        # The baseline is for entire jobs.
        before, run = state.baseline if state.moment is None else None, state.search.shown_run
        swaps = run.swaps if run is not None else ""
        now = Performance.of(state.report)
        (old, seconds, measure, cut), name = before or (Performance(), LAST_CHANGE)
        value = now.gbs
        # Throughputs of different flows do not compare.
        comparable = value is not None and old is not None and abs(now.cut - cut) <= TOLERANCE * max(now.cut, cut)
        self.change.setVisible(comparable)
        if value is None or old is None or not comparable:
            return
        difference = value - old
        if abs(difference) <= TOLERANCE * max(value, old):
            same = f"same as {name}" if name != LAST_CHANGE else "unchanged"
            role, text = "dim", swaps or same
        else:
            arrow, sign, role = ("▲", "+", "good") if difference > 0 else ("▼", "−", "bad")
            text = f"{arrow} {sign}{gbs(abs(difference))} {f'in {swaps}' if swaps else f'since {name}'}"
        self.change.setText(text)
        self.change.setToolTip(f"Before ({name}): {rate((old,), (seconds,), measure.rate)}")
        set_role(self.change, role)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the number to the width."""
        super().resizeEvent(event)
        self.fit_number()

    def fit_number(self) -> None:
        """Shrink a long number: numbers never elide. Shorten the limit if there is little room."""
        font = self.font()
        digits = len(self.number.text())
        factor = MAX_SIZE if digits <= 4 else max(MIN_SIZE, MAX_SIZE * 5 / (digits + 1.5))
        font.setBold(True)
        wide = QFontMetricsF(font).horizontalAdvance(self.number.text()) or 1.0
        factor = max(MIN_SIZE, min(factor, NUMBER_SHARE * self.width() / wide))
        font.setPointSizeF(font.pointSizeF() * factor)
        if font != self.number.font():
            self.number.setFont(font)
        # With large type a narrow panel has no room for the first word of the limit.
        room = self.width() - self.number.sizeHint().width() - SPACING
        narrow = 0 < room < self.limit.fontMetrics().horizontalAdvance(LIMIT)
        self.limit.setText(self._limits[narrow])


def counted_in(job: Job) -> str:
    """Return the unit of the volumes of traced flows, for the line next to the throughput; empty if it is obvious."""
    if job.unit_assumed:
        return f"volumes assumed to be in {job.measure.many}"
    return f"volumes in {job.measure.many}" if isinstance(job.spec, Flows) and job.measure.timed else ""
