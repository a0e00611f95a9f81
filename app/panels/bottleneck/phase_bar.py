"""The time of each phase as a stacked bar, with the link class that it waits for; a click shows a phase alone."""

from functools import partial
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.model.state import State
from app.session.session import Session
from app.style.colour import category_colours
from app.style.theme import DARK, Theme
from app.views.drawing import CENTRE, frame_pen, ink
from app.widgets.labels import PartsLabel, message_label, say, with_role
from app.widgets.layouts import column, row
from app.widgets.painting import painter_on
from app.wording.numbers import percent
from core.job.measure import Measure
from core.load.phase_times import PhaseTime, phase_times
from core.text import duration

PAD = 4
GAP = 1
LINES = 3
MIN_PX = 3
"""Minimum width of a segment."""
OTHER_OPACITY = 0.4
"""Opacity of the other segments while one phase is shown alone."""
CAPTION = "Time of each phase, and its bottleneck"
SHOW_ALONE, SHOW_ALL = "Click to show only this phase.", "Click to show all phases."
SWATCH = "■"
Lines = tuple[str, str, str]


class PhaseSegment(QAbstractButton):
    """One phase: its name, its time and the link class, one below the other."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = "", "", ""
        """The name of the phase, its time, and the link class."""
        self.share = 0.0
        """Its fraction of the time."""
        self.colour, self._theme, self._faded = QColor(), DARK, False
        self.setMinimumWidth(MIN_PX)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_phase(self, lines: Lines, share: float, colour: QColor, theme: Theme, *, faded: bool) -> None:
        """Show a phase, faded if another is shown alone."""
        self.lines, self.share = lines, share
        self.colour, self._theme, self._faded = colour, theme, faded
        self.update()

    def fits(self, width: float) -> bool:
        """Return whether its texts fit into a width."""
        return max(map(self.fontMetrics().horizontalAdvance, self.lines)) + 2 * PAD <= width

    def sizeHint(self) -> QSize:
        """Return the room for all lines."""
        return QSize(MIN_PX, LINES * self.fontMetrics().lineSpacing() + 2 * PAD)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the segment, and its texts if they fit."""
        with painter_on(self) as painter:
            painter.setOpacity(OTHER_OPACITY if self._faded else 1.0)
            painter.fillRect(self.rect(), self.colour)
            if self.fits(self.width()):
                painter.setPen(ink(self.colour))
                painter.drawText(self.rect(), CENTRE, "\n".join(self.lines))
            if self.hasFocus() or self.isChecked():
                painter.setOpacity(1.0)
                painter.setPen(frame_pen(self._theme.accent if self.hasFocus() else self._theme.text, 2))
                painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


class PhaseBar(QWidget):
    """Shows the phases of jobs with few of them; hidden for others."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.segments: list[PhaseSegment] = []
        self.legend = message_label("dim")
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self._bar = row(spacing=GAP)
        caption = with_role(PartsLabel(CAPTION), "dim")
        column(caption, self._bar, self.legend, of=self, margins=(0, 4, 0, 2), spacing=2)
        self.setAccessibleName(CAPTION)

    def show_state(self, state: State) -> None:
        """Show the phases of the entire job, and which of them is shown alone."""
        report = state.evaluation.report
        times, measure, shown = phase_times(report), report.case.job.measure, state.time.step
        self.setVisible(bool(times))
        self._set_count(len(times))
        colours = category_colours(max(len(times), 1), state.style.theme.dark).tolist()
        total = sum(phase.time for phase in times) or 1.0
        # Rounds of a phase, and A compared with B, are not shown phase by phase.
        alone = state.rounds is None and state.compared_pair is None
        for index, (segment, phase) in enumerate(zip(self.segments, times, strict=True)):
            lines, share, chosen = words(phase, measure), phase.time / total, alone and index == shown
            faded = alone and shown is not None and not chosen
            segment.show_phase(lines, share, QColor(*colours[index]), state.style.theme, faded=faded)
            segment.setCheckable(alone)
            segment.setChecked(chosen)
            segment.setVisible(share > 0)
            self._bar.setStretch(index, round(1e6 * share))
            text = f"{sentence(lines)}, {percent(share)} of the total time"
            segment.setAccessibleName(text)
            segment.setToolTip(f"{text}\n{SHOW_ALL if chosen else SHOW_ALONE}" if alone else text)
        self.setAccessibleDescription(". ".join(sentence(segment.lines) for segment in self.segments if segment.share))
        self._write_legend()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Explain the segments that have become too narrow for their texts."""
        super().resizeEvent(event)
        self._write_legend()

    def _set_count(self, count: int) -> None:
        while len(self.segments) > count:
            segment = self.segments.pop()
            self._bar.removeWidget(segment)
            segment.deleteLater()
        while len(self.segments) < count:
            segment = PhaseSegment()
            segment.clicked.connect(partial(self._on_segment_clicked, len(self.segments)))
            self.segments.append(segment)
            self._bar.addWidget(segment)

    def _write_legend(self) -> None:
        room = self.width() - GAP * (len(self.segments) - 1)
        narrow = [s for s in self.segments if s.share > 0 and not s.fits(room * s.share - GAP)]
        say(self.legend, " ".join(map(_entry, narrow)))

    def _on_segment_clicked(self, index: int, checked: bool = False) -> None:
        state = self._session.state
        self._session.timekeeper.go_to(None if state.time.step == index else index)


def words(phase: PhaseTime, measure: Measure) -> Lines:
    """Return ``data``, ``201.7 ms`` and ``rail``, the lines of a segment."""
    return phase.name, duration(phase.time) if measure.timed else measure.time(phase.time), phase.link_class


def sentence(lines: Lines) -> str:
    """Return ``data: 201.7 ms, limited by rail links``, from the lines of a segment."""
    return "{}: {}, limited by {} links".format(*lines)


def _entry(segment: PhaseSegment) -> str:
    text = escape("{} {}, {}".format(*segment.lines)).replace(" ", "&nbsp;")
    return f'<span style="color:{segment.colour.name()}">{SWATCH}</span>&nbsp;{text}'
