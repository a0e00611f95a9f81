"""The neighbour jobs in the build panel: added, brought into focus, removed."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFileDialog, QMenu, QVBoxLayout, QWidget

from app.background.latest_wins import Runner
from app.model.beside import slowdowns, slowdowns_are_quick
from app.model.load_parts import interference
from app.model.state import State
from app.session.session import Session
from app.widgets.labels import ElidedLabel, label, link, message_label, say
from app.widgets.layouts import column, row
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.swatch import Swatch
from core.files import SUFFIX
from core.load.evaluate import LoadReport
from core.spec import SpecError
from core.text import plural

SCENARIOS = f"Scenarios (*{SUFFIX});;All files (*)"
ALONE = "no other job is on the machine"
Slowdowns = list[tuple[float, float]]
"""For each neighbour its slowdown, and the slowdown of the job by it."""


class JobRow(QWidget):
    """A neighbour: its colour on the machine, its name, its slowdown, and its menu."""

    def __init__(self) -> None:
        super().__init__()
        self._size = ""
        self.swatch, self.name, self.about = Swatch(), ElidedLabel(), message_label("dim")
        self.focus = link("Look at", "Take it into focus: it changes places with this job.")
        self.remove = link("Remove", "Take it off the machine.")
        column(row(self.swatch, (self.name, 1), self.focus, self.remove, spacing=6), self.about, of=self, spacing=0)

    def show_job(self, name: str, size: str, colour: str) -> None:
        """Show a job, without its slowdown, which is not known yet."""
        self.name.setText(name)
        self._size = size
        say(self.about, size)
        self.swatch.show_colour(QColor(colour))
        self.show()

    def show_slowdown(self, slowed: float, slows: float) -> None:
        """Show its slowdown, and how much it slows the job in focus."""
        say(self.about, f"{interference(slowed, slows)} · {self._size}")


class JobsSection(QWidget):
    """Shows the neighbours, and emits what the user wants done with them."""

    copy_asked = Signal()
    file_chosen = Signal(object)
    """Path of a scenario whose job is to be added."""
    focus_asked = Signal(int)
    """Number of a neighbour, from 0."""
    removal_asked = Signal(int)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._runner = Runner("slowdowns", self._on_found, sync=session.sync, parent=session)
        self._known: tuple[LoadReport, Slowdowns] | None = None
        """The slowdowns found last, with their report."""
        self._asked: LoadReport | None = None
        self.add = link("Add …", "Another job on the same machine: its loads are added to this one's.")
        self.menu = QMenu(self.add)
        self.menu.addAction("A copy of this job", self.copy_asked.emit)
        self.menu.addAction("The job of a scenario file …", self._on_file_asked)
        self.add.clicked.connect(lambda: self.menu.popup(self.add.mapToGlobal(self.add.rect().bottomLeft())))
        self.message, self.hint = message_label("error"), message_label("dim")
        self.rows: list[JobRow] = []
        """Rows; unused ones are hidden."""
        self._room = QVBoxLayout()
        self._room.setSpacing(4)
        self.folder: Path | None = None
        """Initial folder of the file dialog."""
        head = row((label("heading", "OTHER JOBS"), 1), self.add)
        column(head, self._room, self.message, self.hint, of=self, margins=(0, 0, 0, 10), spacing=4)

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops."""
        return [self.add, *(stop for one in self.rows for stop in (one.focus, one.remove))]

    def show_state(self, state: State, error: SpecError | None) -> None:
        """Show the jobs on screen, their slowdowns, and the error of the wanted scenario."""
        say(self.message, error.message if error is not None else "")
        case = state.evaluation.case
        others = case.neighbours.cases
        say(self.hint, "" if others else ALONE)
        slower = self._slowdowns(state.evaluation.report) if others else None
        for number in range(len(others), len(self.rows)):
            self.rows[number].hide()
        for number, (one, name) in enumerate(zip(others, case.scenario.job_names[1:], strict=True)):
            size = f"{plural(one.job.tasks, 'task')} on {plural(one.used_nodes, 'node')}"
            colour = state.style.theme.roles[(number + 1) % len(state.style.theme.roles)]
            self._row(number).show_job(name, size, colour)
            if slower is not None:
                self._row(number).show_slowdown(*slower[number])

    def _slowdowns(self, report: LoadReport) -> Slowdowns | None:
        # None: not known yet.
        if slowdowns_are_quick(report):
            return slowdowns(report)
        if report is not self._asked:
            self._asked = report
            self._runner.request(lambda progress: (report, slowdowns(report, progress)))
        return self._known[1] if self._known is not None and self._known[0] is report else None

    def _on_found(self, found: tuple[LoadReport, Slowdowns]) -> None:
        self._known = found
        for shown, one in zip(self.rows, found[1], strict=False):
            shown.show_slowdown(*one)

    def _row(self, number: int) -> JobRow:
        if number == len(self.rows):
            self.rows.append(JobRow())
            OutdatedCover(self._session, self.rows[number].about)
            self.rows[number].focus.clicked.connect(partial(self.focus_asked.emit, number))
            self.rows[number].remove.clicked.connect(partial(self.removal_asked.emit, number))
            self._room.addWidget(self.rows[number])
        return self.rows[number]

    def _on_file_asked(self) -> None:
        folder = "" if self.folder is None else str(self.folder)
        name, _ = QFileDialog.getOpenFileName(self, "Job beside", folder, SCENARIOS)
        if name:
            self.file_chosen.emit(Path(name))
