"""The page of the Routes panel with figures as names and sentences, which wrap."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel

from app.model.routes import RouteAnalysis
from app.widgets.labels import label, message_label, say
from app.widgets.layouts import column
from app.widgets.panel import Content
from app.wording.routes import deadlock_text, figure_lines
from core.figures.routes import RouteFigures
from core.text import as_sentence, plural

SPACING, GAP = 4, 14


class FigurePage(Content):
    """A message, and below it a row for each figure: its name, and its value in words."""

    def __init__(self) -> None:
        super().__init__()
        self.message = message_label("dim")
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 4, 0, 4)
        self._grid.setVerticalSpacing(SPACING)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._analysis: RouteAnalysis | None = None
        column(self.message, (self._grid, 1), of=self, spacing=4)

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Return the names and sentences shown."""
        return [(name.text(), words.text()) for name, words in self._rows if words.text()]

    def show_analysis(self, words: str, analysis: RouteAnalysis | None) -> None:
        """Show the figures of a routing, after a message."""
        say(self.message, as_sentence(words) if words else "")
        if analysis is not self._analysis:
            self._analysis = analysis
            self._show_lines([] if analysis is None else analysis_lines(analysis))

    def _show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        while len(self._rows) < len(lines):
            self._add_row()
        for place, row in enumerate(self._rows):
            for part, text in zip(row, lines[place] if place < len(lines) else ("", ""), strict=True):
                say(part, text)

    def _add_row(self) -> None:
        place, row = len(self._rows), (label("dim"), message_label("plain"))
        self._grid.addWidget(row[0], place, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(row[1], place, 1)
        self._grid.setRowStretch(place, 0)
        self._grid.setRowStretch(place + 1, 1)
        self._rows.append(row)


def analysis_lines(analysis: RouteAnalysis) -> list[tuple[str, str]]:
    """Return names of figures, and sentences with their values."""
    figures, deadlock, network = analysis.figures, analysis.deadlock, analysis.router.network
    lines = list[tuple[str, str]]()
    if figures is not None:
        lines = [*figure_lines(network, figures), *_remarks(figures)]
    elif deadlock is not None:
        lines = [("deadlock", deadlock_text(deadlock.figures(network)))]
    return [(name[:1].upper() + name[1:], words) for name, words in lines]


def _remarks(figures: RouteFigures) -> list[tuple[str, str]]:
    lost = [("disconnected", f"{pair.src} to {pair.dst}: {pair.reason}") for pair in figures.disconnected]
    more = figures.unreachable - len(lost)
    lost += [("", f"and {plural(more, 'more disconnected pair')}")] if more else []
    return [*lost, *(("note", note) for note in figures.notes)]
