"""The jobs on the machine in the build panel: added, named, brought into focus, removed."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFileDialog, QMenu, QVBoxLayout, QWidget

from app.background.latest_wins import Runner
from app.model.background_jobs import slowdowns, slowdowns_are_quick
from app.model.load_parts import interference
from app.model.state import State
from app.session.session import Session
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import column, row
from app.widgets.line_edit import LineEdit
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.swatch import Swatch
from app.wording.errors import error_text
from core.figures.notes import unknown_loads
from core.files import SUFFIX
from core.load.evaluate import LoadReport
from core.load.job_identity import MAX_JOB_NAME
from core.load.scenario import Case
from core.spec import SpecError
from core.text import plural

SCENARIOS = f"Scenarios (*{SUFFIX});;All files (*)"
ALONE = "no other jobs"
Slowdowns = list[tuple[float, float]]
"""For each background job its slowdown, and the slowdown of the job caused by it."""


class JobRow(QWidget):
    """A job: its colour on the machine, its name, and for a background job its slowdown and commands."""

    renamed = Signal(int, str)
    """Number of the job, 0 for the job in focus, and the typed name."""

    def __init__(self) -> None:
        super().__init__()
        self._size = ""
        self.job = 0
        """Number of the job, 0 for the job in focus."""
        self.swatch, self.name, self.about = Swatch(), LineEdit(), message_label("dim")
        self.name.setMaxLength(MAX_JOB_NAME)
        self.name.setAccessibleName("Job name")
        self.name.editingFinished.connect(self._on_name_editing_finished)
        self.focus = link("Switch to", "Show the loads of this job; jobs keep their names and colours")
        self.remove = link("Remove", "Remove the job from the machine")
        head, self.links = row(self.swatch, (self.name, 1), spacing=6), QWidget()
        row(self.focus, self.remove, (QWidget(), 1), of=self.links, spacing=12)
        column(head, self.about, self.links, of=self, spacing=1)

    def show_job(self, job: int, name: str, size: str, colour: str) -> None:
        """Show a job, without its slowdown, which is not known yet."""
        self.job = job
        self._size = size if job else f"in focus · {size}"
        if self.name.text() != name and not (self.name.hasFocus() and self.name.isModified()):
            self.name.setText(name)
            self.name.setCursorPosition(0)
        self.name.setToolTip(f"{name}\nClear the field to name the job after its pattern")
        say(self.about, self._size)
        self.swatch.show_colour(QColor(colour), outlined=not job)
        self.links.setVisible(bool(job))
        self.show()

    def show_slowdown(self, slowed: float, slows: float) -> None:
        """Show its slowdown, and how much it slows the job in focus."""
        say(self.about, f"{interference(slowed, slows)} · {self._size}")

    def _on_name_editing_finished(self) -> None:
        self.renamed.emit(self.job, self.name.text())


class JobsSection(QWidget):
    """Shows the jobs if there are several, and emits the user's commands on them."""

    copy_asked = Signal()
    file_chosen = Signal(object)
    """Path of a scenario whose job is to be added."""
    focus_asked = Signal(int)
    """Number of a background job, from 0."""
    renamed = Signal(int, str)
    """Number of a job, 0 for the job in focus, and its new name."""
    removal_asked = Signal(int)
    background_removal_asked = Signal()
    """Asks to remove the background loads of unknown origin."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._runner = Runner("slowdowns", self._on_found, sync=session.sync, parent=session)
        self._computed: tuple[LoadReport, Slowdowns] | None = None
        """The slowdowns computed last, with their report."""
        self._asked: LoadReport | None = None
        self.add = link("Add …", "Add a background job: its loads are added to the loads of this job")
        self.menu = QMenu(self.add)
        self.menu.addAction("Copy of this job", self.copy_asked.emit)
        self.menu.addAction("Job of a scenario file …", self._on_file_asked)
        self.add.clicked.connect(lambda: self.menu.popup(self.add.mapToGlobal(self.add.rect().bottomLeft())))
        self.message, self.hint = message_label("error"), message_label("dim")
        self.background = message_label("dim")
        self.remove_background = link("Remove", "Remove the constant loads of links that no job explains")
        self.remove_background.setAccessibleName("Remove background")
        self.remove_background.clicked.connect(self.background_removal_asked)
        self.rows: list[JobRow] = []
        """Rows; unused ones are hidden."""
        self._room = QVBoxLayout()
        self._room.setSpacing(4)
        self.folder: Path | None = None
        """Initial folder of the file dialog."""
        head = row((label("heading", "ALL JOBS"), 1), self.add)
        background = row((self.background, 1), self.remove_background, spacing=6)
        column(head, self._room, background, self.message, self.hint, of=self, margins=(0, 0, 0, 10), spacing=4)

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops."""
        of_jobs = (stop for shown in self.rows for stop in (shown.name, shown.focus, shown.remove))
        return [self.add, *of_jobs, self.remove_background]

    def show_state(self, state: State, error: SpecError | None) -> None:
        """Show the jobs on screen, their slowdowns, and the error of the wanted scenario."""
        say(self.message, error_text(error, state.wanted) if error is not None else "")
        case, theme = state.evaluation.case, state.style.theme
        cases: tuple[Case, ...] = (case, *case.neighbours.cases)
        several = len(cases) > 1
        say(self.hint, "" if several else ALONE)
        background = unknown_loads(case)
        say(self.background, background)
        self.remove_background.setVisible(bool(background))
        slower = self._slowdowns(state.evaluation.report) if several else None
        for number in range(len(cases) if several else 0, len(self.rows)):
            self.rows[number].hide()
        names, colours = case.scenario.job_names, case.scenario.job_colours
        for number, job in enumerate(case.scenario.jobs_in_order if several else ()):
            job_case = cases[job]
            size = f"{plural(job_case.job.tasks, 'task')} on {plural(job_case.used_nodes, 'node')}"
            self._row(number).show_job(job, names[job], size, theme.job_colour(colours[job]))
        self._show_slowdowns(slower or ())

    def _slowdowns(self, report: LoadReport) -> Slowdowns | None:
        # None if not known yet.
        if slowdowns_are_quick(report):
            return slowdowns(report)
        if report is not self._asked:
            self._asked = report
            self._runner.request(lambda progress: (report, slowdowns(report, progress)))
        return self._computed[1] if self._computed is not None and self._computed[0] is report else None

    def _show_slowdowns(self, slowdowns: Sequence[tuple[float, float]]) -> None:
        for shown in self.rows:
            if 0 < shown.job <= len(slowdowns):
                shown.show_slowdown(*slowdowns[shown.job - 1])

    def _on_found(self, result: tuple[LoadReport, Slowdowns]) -> None:
        self._computed = result
        self._show_slowdowns(result[1])

    def _row(self, number: int) -> JobRow:
        if number == len(self.rows):
            shown = JobRow()
            OutdatedCover(self._session, shown.about)
            shown.focus.clicked.connect(lambda: self.focus_asked.emit(shown.job - 1))
            shown.remove.clicked.connect(lambda: self.removal_asked.emit(shown.job - 1))
            shown.renamed.connect(self.renamed)
            self.rows.append(shown)
            self._room.addWidget(shown)
        return self.rows[number]

    def _on_file_asked(self) -> None:
        folder = "" if self.folder is None else str(self.folder)
        name, _ = QFileDialog.getOpenFileName(self, "Add the job of a scenario file", folder, SCENARIOS)
        if name:
            self.file_chosen.emit(Path(name))
