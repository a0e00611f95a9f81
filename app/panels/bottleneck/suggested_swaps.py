"""Suggested swaps of two tasks, or of a task and an empty slot, that relieve the bottleneck; click to apply."""

from functools import partial
from itertools import zip_longest

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QHideEvent,
    QKeyEvent,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.background.timer import timer
from app.model.pointing import Item
from app.model.state import State
from app.model.state_groups import OptimiserState, SearchPhase
from app.session.session import Session
from app.style.theme import DARK, Theme
from app.widgets.array_table import LEFT, RIGHT
from app.widgets.labels import PartsLabel, label, link, message_label, say, with_role
from app.widgets.layouts import column, row
from app.widgets.painting import painter_on
from app.widgets.wrapped import WrappedRow
from app.wording import keys
from app.wording.numbers import gbs
from app.wording.swaps import gain_text, suggestions_text, swap_details
from core.load.evaluate import LoadReport
from core.load.swap_suggestions import Suggestions, SwapSuggestion, quick
from core.mapping.targets import Target

MAX_ROWS = 5
IDLE_MS = 500
"""Time without changes after which a quick search begins by itself."""
PAD = 8
STALE_OPACITY = 0.45
"""Opacity of suggestions for an earlier state."""


class SwapRow(QPushButton):
    """A suggested swap, with its gain at the right."""

    pointed = Signal(object)
    """SwapSuggestion under the pointer or with the focus, or None."""
    stepped = Signal(int)
    """Down (1) or up (-1)."""

    def __init__(self) -> None:
        super().__init__()
        self.suggestion: SwapSuggestion | None = None
        self.setAccessibleName("Swap")
        self.setToolTip("Swap two tasks")
        self.fresh = True
        """Whether it was found for the state on screen."""
        self._theme = DARK
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_suggestion(self, suggestion: SwapSuggestion, fresh: bool, theme: Theme, unit: str) -> None:
        """Show another swap; `unit` is the unit of throughputs (`Measure.rate`)."""
        self.suggestion, self.fresh, self._theme = suggestion, fresh, theme
        self.setToolTip(swap_details(suggestion, unit))
        self.setAccessibleName(f"{suggestion.name}, {gain_text(suggestion)}")
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room for a line."""
        return QSize(160, self.fontMetrics().height() + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button, then both texts."""
        super().paintEvent(event)
        if self.suggestion is None:
            return
        area, metrics, gain = self.rect().adjusted(PAD, 0, -PAD, 0), self.fontMetrics(), gain_text(self.suggestion)
        with painter_on(self) as painter:
            painter.setOpacity(1.0 if self.fresh else STALE_OPACITY)
            painter.setPen(QColor(self._theme.good if self.suggestion.gain_gbs > 0 else self._theme.dim))
            painter.drawText(area, RIGHT, gain)
            area.setRight(area.right() - metrics.horizontalAdvance(gain) - PAD)
            painter.setPen(QColor(self._theme.text))
            text = metrics.elidedText(self.fitting(metrics, area.width()), Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, LEFT, text)

    def fitting(self, metrics: QFontMetrics, room: int) -> str:
        """Return the name with as many whole words as fit, so that no number is cut off."""
        name = self.suggestion.name if self.suggestion is not None else ""
        shorter = name.replace("task ", "")
        forms = (name, shorter, shorter.replace(" with ", " ↔ "), shorter.replace("node ", ""))
        return next((form for form in forms if metrics.horizontalAdvance(form) <= room), forms[-2])

    def enterEvent(self, event: QEnterEvent) -> None:
        """Hover the swap."""
        super().enterEvent(event)
        self.pointed.emit(self.suggestion)

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the highlight."""
        super().leaveEvent(event)
        self.pointed.emit(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Point at the swap."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason:
            self.pointed.emit(self.suggestion)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Clear the highlight."""
        super().focusOutEvent(event)
        self.pointed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Apply the swap, or move to the row below or above."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if step:
            self.stepped.emit(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class SuggestedSwaps(QWidget):
    """The best swaps for the state on screen; found automatically on small machines, on request on large ones."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pointing = False
        self._follow = False
        """Whether to search for the next swap after the chosen one is applied."""
        self._declined: LoadReport | None = None
        """The report for which the user cancelled the search."""
        self._idle = timer(self, IDLE_MS, single_shot=True)
        self._idle.timeout.connect(self._on_idle_timeout)
        self.caption = with_role(PartsLabel(), "dim")
        self.caption.setAlignment(RIGHT)
        self.button, self.note = link("Find swaps"), message_label("dim")
        self.button.clicked.connect(self._on_button_clicked)
        self.apply_all = link("Apply best swaps")
        self.apply_all.setToolTip(
            f"Apply the best swap until none helps, as one step of the history ({keys.BEST_SWAPS})"
        )
        self.apply_all.clicked.connect(session.optimiser.apply_best_swaps)
        self.stop, self.discard = link("Stop"), link("Discard")
        self.stop.setToolTip(f"Stop and keep the swaps applied so far ({keys.STOP_SEARCH})")
        self.stop.clicked.connect(session.optimiser.stop)
        self.discard.setToolTip(f"Stop and undo the swaps applied so far ({keys.ESCAPE} or {keys.UNDO})")
        self.discard.clicked.connect(session.optimiser.discard)
        self.rows = tuple(SwapRow() for _ in range(MAX_ROWS))
        links = (self.button, self.apply_all, self.stop, self.discard)
        beside = QWidget()
        row((self.caption, 1), *links, of=beside, spacing=8)
        head = WrappedRow(label("subheading", "What to move"), beside, spacing=8)
        head.setAlignment(beside, Qt.AlignmentFlag.AlignRight)
        column(head, self.note, *self.rows, of=self, margins=(0, 6, 0, 0), spacing=3)
        for swap in self.rows:
            swap.hide()
            swap.pointed.connect(self._on_row_pointed)
            swap.clicked.connect(partial(self._on_row_clicked, swap))
            swap.stepped.connect(partial(self._on_row_stepped, swap))

    def show_state(self, state: State) -> None:
        """Show the suggestions, or the progress of the search; begin a quick search."""
        report = state.report
        fresh, small = self._session.advisor.current, quick(report.case) and report is not self._declined
        kept = fresh or (state.suggestions if small else None)
        self._show_rows(kept, fresh is not None, state.style.theme)
        searching, progress = state.suggestion_progress is not None, state.suggestion_progress
        self.caption.setText(f"searching …{f' {100 * progress:.0f} %' if progress else ''}" if searching else "")
        self.button.setText("Stop" if searching else "Find swaps")
        applied = self._show_applied(state.search)
        self.button.setVisible(fresh is None and (searching or not small) and not applied)
        useful = bool(kept.best) if kept is not None else not small
        self.apply_all.setVisible(useful and not searching and state.search.phase is not SearchPhase.RUNNING)
        if fresh is not None:
            note = suggestions_text(fresh)
        elif kept is not None:
            note = (UPDATING if searching or small else EARLIER) if kept.best else ""
        else:
            note = "" if searching or quick(report.case) else ASK
        say(self.note, note)
        if fresh is None and not searching and (small or self._follow) and not state.edit.gesture:
            self._idle.start()
        elif fresh is not None or state.edit.gesture:
            self._idle.stop()

    def _show_applied(self, search: OptimiserState) -> bool:
        """Show how far the best swaps are applied, and how to stop; return whether they are being applied."""
        run = search.shown_run if search.phase is SearchPhase.RUNNING else None
        applied = run is not None and not run.request.method.by_rounds
        if run is not None and applied:
            far = f"{gbs(run.best)} {run.measure.brief_rate}" if run.best is not None else ""
            self.caption.setText(" · ".join(filter(None, (run.swaps, far))))
        for button in (self.stop, self.discard):
            button.setVisible(applied)
        return applied

    def showEvent(self, event: QShowEvent) -> None:
        """Resume a search that hiding has stopped."""
        super().showEvent(event)
        self.show_state(self._session.state)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop searching while hidden."""
        super().hideEvent(event)
        self._idle.stop()

    def _show_rows(self, suggestions: Suggestions | None, fresh: bool, theme: Theme) -> None:
        best: tuple[SwapSuggestion, ...] = ()
        unit = ""
        if suggestions is not None:
            best, unit = suggestions.best[:MAX_ROWS], suggestions.report.case.job.measure.rate
        for swap, suggestion in zip_longest(self.rows, best):
            if suggestion is not None:
                swap.show_suggestion(suggestion, fresh, theme, unit)
            swap.setVisible(suggestion is not None)

    def _on_idle_timeout(self) -> None:
        state = self._session.state
        if self.isVisible() and self._session.advisor.current is None and state.pending is None:
            self._follow = False
            self._session.advisor.search()

    def _on_button_clicked(self) -> None:
        if self._session.state.suggestion_progress is not None:
            self._declined = self._session.state.report
            self._session.advisor.cancel()
        else:
            self._session.advisor.search()

    def _on_row_clicked(self, swap: SwapRow, checked: bool = False) -> None:
        if swap.suggestion is not None and swap.fresh:
            self._point(None)
            self._follow = True
            self._session.advisor.apply(swap.suggestion)

    def _on_row_pointed(self, suggestion: SwapSuggestion | None) -> None:
        current = self._session.advisor.current
        self._point(suggestion if current is not None and suggestion in current.best else None)

    def _point(self, suggestion: SwapSuggestion | None) -> None:
        # Highlights the task and its destination, in machine and task grid.
        evaluation = self._session.state.evaluation
        if suggestion is not None:
            self._session.hover(Item("task", suggestion.task))
            self._session.set_drop_target(Target(len(evaluation.case.network.levels), suggestion.node))
        elif self._pointing:
            self._session.hover(None)
            self._session.set_drop_target(None)
        self._pointing = suggestion is not None

    def _on_row_stepped(self, swap: SwapRow, step: int) -> None:
        shown = [row for row in self.rows if not row.isHidden()]
        shown[min(max(shown.index(swap) + step, 0), len(shown) - 1)].setFocus(Qt.FocusReason.TabFocusReason)


EARLIER, UPDATING = "Previous suggestions:", "Previous suggestions (updating …):"
ASK = "On a machine of this size, suggestions are computed on request."
