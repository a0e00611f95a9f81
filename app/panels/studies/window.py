"""The studies window: the sweep form at the left, the results point by point at the right."""

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QSplitter, QStackedWidget, QToolButton, QWidget

from app.background.latest_wins import Runner
from app.background.steps import Steps
from app.model.changes import ChangeSet
from app.panels.studies.estimate import Estimate
from app.panels.studies.papers_page import PapersPage
from app.panels.studies.point_scenario import PointScenario
from app.panels.studies.results_plot import ResultsPlot
from app.panels.studies.results_table import ResultRows, ResultsTable, result_text
from app.panels.studies.study_files import (
    LoadedStudy,
    earlier,
    export_rows,
    load_results,
    new_file,
    unfinished,
)
from app.panels.studies.study_run import StudyRunner
from app.panels.studies.sweep import SECTIONS, study_of
from app.panels.studies.sweep_form import SweepForm
from app.session.session import Session
from app.storage.pictures import KINDS, PICTURES, save_picture
from app.storage.studies import study_names, study_path, study_title
from app.widgets.card import Card
from app.widgets.field_text import Refusal
from app.widgets.labels import label, link, message_label, say, with_role
from app.widgets.layouts import STRETCH, column, row, scroll_area
from app.widgets.progress_bar import ProgressBar
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_window import SessionWindow
from app.wording.errors import error_text
from app.wording.numbers import significant, time_text
from core.files.atomic import write_atomically
from core.load.scenario import Scenario
from core.spec import Progress, SpecError
from core.sweep.results import Row
from core.sweep.run import Summary
from core.sweep.study import SUFFIX, Study
from core.sweep.values import values_of
from core.text import plural

TITLE = "Studies"
LARGE_STUDY, MIN_REDRAW_SECONDS = 2_000, 1.0
"""Minimum number of points from which the plot is redrawn rarely, and the seconds between two such redraws."""
FORM_PX = 400
STARTING = "starting worker processes (a few seconds)"
EMPTY = "Tick fields to vary, give them values and press Run. Points appear here as they are computed."
SAVE_TIP = "Save the study as a file for the command fabriscope study, here or on a cluster"
EXPORT_TIP = "Export the table as Parquet or CSV, or everything as a report"
OPEN_TIP = "Open results (Parquet, CSV) or a study"
OPENED = f"Results and studies (*.parquet *.csv *{SUFFIX});;All files (*)"
UNKNOWN = "The study file is not in the folder of these results, so points cannot be opened or added."
AskPath = Callable[..., Path | None]
"""Asks for a file to write, given a title, file kinds and endings."""
Report = Callable[[LoadedStudy, Path, Path], Generator[None, None, Callable[[], bytes]]]
"""Draws the report of results in steps, given their file and the file to write; returns what makes the page."""
PAGE = ".html"
TABLES = {".parquet": "Parquet (*.parquet)", ".csv": "CSV (*.csv)", PAGE: "Report (*.html)"}
"""Export formats of the table, by ending."""
HINT = "Click a row to open its scenario. Undo goes back."
PLOT_HINT = "Click a point to open its scenario. Ctrl+wheel zooms."


class StudiesWindow(SessionWindow):
    """The sweep form, the results as table and plot, and the progress of the run."""

    def __init__(
        self, session: Session, folder: Path, ask_path: AskPath, report: Report, parent: QWidget | None = None
    ) -> None:
        super().__init__(session, TITLE, parent)
        self._folder, self._ask_path, self._report = folder, ask_path, report
        self.asked: Study | None = None
        """The study of the form, if valid."""
        self.study: Study | None = None
        """The study of the results shown; None without results, or if their study is not known."""
        self.results = ResultRows()
        self.path: Path | None = None
        """The file of the results shown."""
        self._starts = False
        """Whether to run as soon as the form has been read."""
        self._before, self._begun, self._drawn = 0, 0.0, 0.0
        """Rows at the first batch of the run, its time, and the time of the last redraw."""
        self._current, self._pinned = -1, -1
        """The current row, and the row pinned as A; -1 for none."""
        self.form, self.table, self.plot = SweepForm(), ResultsTable(), ResultsPlot()
        self.pin = link("Pin as A", "Pin this point as A, then click another one to compare")
        self.detail = label("dim")
        self.button = with_role(QPushButton("Run"), "primary")
        self.shown, self.stack = SegmentedControl("Sweep", "Papers"), QStackedWidget()
        self.papers = PapersPage(sync=session.sync)
        self.save, self.export = link("Save study …", SAVE_TIP), link("Export …", EXPORT_TIP)
        self.open, self.earlier = link("Open …", OPEN_TIP), with_role(QToolButton(), "menu")
        self.resume = link("Resume", "Compute the missing points")
        self.estimate, self.progress, self.status = Estimate(self, sync=session.sync), ProgressBar(140), label("dim")
        self.message, self.empty = message_label("error"), message_label("dim")
        self._reader = Runner("sweep", self._on_read, self._on_unread, sync=session.sync, parent=self)
        self.run = StudyRunner(self)
        self._scenario = PointScenario(self, self._show_message, sync=session.sync)
        self._workers = -1
        """Working processes; -1 if not known."""
        self._files = Runner("results", lambda done: done(), self._on_files_failed, sync=session.sync, parent=self)
        self._drawing = Steps(self._on_files_failed, sync=session.sync, parent=self)
        self._latest = Runner("latest study", self._on_unfinished, sync=session.sync, parent=self)
        self._build()
        self._connect()

    def refresh(self, changes: ChangeSet) -> None:
        """Offer the variable fields of the scenario on screen."""
        if changes & ChangeSet.STYLE:
            self._show_marks()
        if changes & (ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.STATUS | ChangeSet.FILE):
            self.form.show_scenario(self.state.wanted, self.state.report)
            self._read()

    def start(self) -> None:
        """Run the study of the form, with its results in a new file."""
        study = self.asked
        self._starts = study is None and self._reader.busy
        if study is None or self.run.busy:
            return
        self._show_results(LoadedStudy(None, study, study.columns, ()))
        self._run_rest()

    def load(self, path: Path) -> None:
        """Show earlier results, or a study that has none yet."""
        if self.run.busy:
            say(self.message, "Stop the run before opening another study. Its results are kept.")
            return
        folder = self.state.wanted.folder if path.parent == self._folder else path.parent
        self._files.request(lambda progress: partial(self._on_loaded, load_results(path, folder)))

    def shut_down(self) -> None:
        """Stop for good, when the main window closes."""
        self.close()
        self._reader.close()
        self._scenario.close()
        self.estimate.close()
        self._files.close()
        self._drawing.stop()
        self._latest.close()
        self.papers.close_down()
        self.run.close()

    def showEvent(self, event: QShowEvent) -> None:
        """Mention the latest study if it was interrupted."""
        super().showEvent(event)
        if self.study is None and not self.run.busy and not event.spontaneous():
            folder, files = self._folder, self.state.wanted.folder
            self._latest.request(lambda progress: unfinished(folder, files))

    def _on_unfinished(self, sentence: str) -> None:
        if self.study is None and not self.results.rows and sentence:
            say(self.empty, f"{EMPTY}\n{sentence}")

    def leave(self) -> None:
        """Close it; while a study runs, only hide it, so that a key pressed by mistake stops nothing."""
        if self.run.busy or self.papers.works.busy:
            self.hide()
        else:
            self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the run; its results are on disk."""
        self.run.stop()
        self.papers.cancel()
        super().closeEvent(event)

    def _build(self) -> None:
        sweep = QWidget()
        foot = row((self.estimate.points, 1), self.estimate.link, self.save, self.button, spacing=8)
        below = column(self.form.message, foot, margins=(12, 6, 12, 10), spacing=6)
        column((scroll_area(self.form), 1), below, of=sweep)
        results = QWidget()
        self.earlier.setText("Earlier studies")
        self.earlier.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.earlier.setMenu(QMenu(self.earlier))
        head = row(self.earlier, self.open, STRETCH, self.export, spacing=12)
        foot = row(self.progress, self.status, self.resume, STRETCH, self.detail, self.pin, spacing=8)
        column(head, self.message, self.empty, (self.table, 1), foot, of=results, margins=(12, 2, 12, 8), spacing=4)
        self.sweep_card, self.results_card = Card("Sweep", sweep), Card("Results", results)
        self.plot_card = Card("Plot", self.plot)
        self.sweep_card.keep_width(FORM_PX)
        self.results_card.set_subtitle(HINT)
        self.plot_card.set_subtitle(PLOT_HINT)
        right = QSplitter(Qt.Orientation.Vertical)
        for card in (self.results_card, self.plot_card):
            right.addWidget(card)
        right.setSizes([45, 55])
        right.setChildrenCollapsible(False)
        sweeps = QWidget()
        row(self.sweep_card, (right, 1), of=sweeps, spacing=8)
        self.shown.choose(0)
        for page in (sweeps, self.papers):
            self.stack.addWidget(page)
        column(row(self.shown, STRETCH), (self.stack, 1), of=self, margins=(8, 8, 8, 8), spacing=8)
        for hidden in (self.pin, self.resume):
            hidden.hide()
        self.progress.hide()
        say(self.empty, EMPTY)

    def _connect(self) -> None:
        self.form.changed.connect(self._read)
        self.button.clicked.connect(self._on_button_clicked)
        self.shown.group.idClicked.connect(self._on_shown_clicked)
        self.table.used.connect(self._open)
        self.table.looked_at.connect(self._look_at)
        self.plot.picked.connect(self._pick)
        self.pin.clicked.connect(self._on_pin_clicked)
        self.save.clicked.connect(self._on_save_clicked)
        self.open.clicked.connect(self._on_open_clicked)
        self.export.clicked.connect(self._on_export_clicked)
        self.plot.export.clicked.connect(self._on_export_plot_clicked)
        self.resume.clicked.connect(self._run_rest)
        self.earlier.menu().aboutToShow.connect(self._list_earlier)
        self.run.rows_came.connect(self._on_rows_came)
        self.run.workers_counted.connect(self._on_workers_counted)
        self.run.ended.connect(self._on_ended)

    def _read(self) -> None:
        # The study is made off the GUI thread, since encoding a large mapping takes long.
        sweep, scenario = self.form.sweep(), self.state.wanted
        self.asked, self._starts = None, False
        if isinstance(sweep, Refusal):
            self._reader.cancel()
            self.form.show_error(sweep.message)
            self._show_asked(None)
        else:
            self._reader.request(lambda progress: study_of(scenario, sweep))

    def _on_read(self, study: Study) -> None:
        self.asked = study
        self.form.show_error("")
        if self._starts:
            self.start()
        self._show_asked(study)

    def _on_unread(self, error: SpecError) -> None:
        self.form.show_error(error_text(error, self.state.wanted))
        self._starts = False
        self._show_asked(None)

    def _show_asked(self, study: Study | None) -> None:
        self.estimate.show_study(study)
        self._show_run()

    def _on_loaded(self, loaded: LoadedStudy) -> None:
        # Unless a run has begun meanwhile.
        if not self.run.busy:
            self._show_results(loaded)

    def _run_rest(self) -> None:
        study = self.study
        if study is None:
            return
        resumes = self.path is not None
        self.path = self.path or new_file(self._folder, study)
        self._before, self._begun, self._workers = 0, 0.0, -1
        self.run.start(study, self.path, cluster=self.form.address, resume=resumes)
        self._show_run()

    def _show_results(self, loaded: LoadedStudy) -> None:
        study, results = loaded.study, ResultRows(loaded.columns)
        results.add(loaded.rows)
        self._scenario.cancel()
        self.study, self.results, self.path = study, results, loaded.path
        say(self.message, "" if study is not None else UNKNOWN)
        self._current, self._pinned = -1, -1
        say(self.empty, "")
        self.table.show_results(results)
        self.plot.show_study(results, _varied(loaded), self._point_text)
        self._show_marks()
        self._show_run()

    def _show_marks(self) -> None:
        self.plot.show_rows(self._current, self._pinned, self.state.style.theme)
        self.pin.setVisible(self._current >= 0 and self.results.rows[self._current]["error"] is None)
        self.detail.setText(self._name(self.results.rows[self._current]) if self._current >= 0 else "")

    def _look_at(self, index: int) -> None:
        self._current = index
        self._show_marks()

    def _pick(self, index: int) -> None:
        self.table.setCurrentIndex(self.table.view_index(index))
        self._open(index)

    def _on_pin_clicked(self) -> None:
        current = self._current

        def pin(scenario: Scenario) -> None:
            self._pinned = current
            self.session.pin_scenario(scenario)
            self._show_marks()

        self._use_scenario(self.results.rows[current], pin)

    def _point_text(self, index: int) -> str:
        results, row_ = self.results, self.results.rows[index]
        lines = [
            f"{results.head(name)}: {result_text(row_[name])}" for name in results.columns if row_[name] is not None
        ]
        return "\n".join(lines)

    def _open(self, index: int) -> None:
        row_ = self.results.rows[index]
        self._use_scenario(row_, lambda scenario: self.session.propose(scenario, self._name(row_)))

    def _use_scenario(self, row_: Row, use: Callable[[Scenario], object]) -> None:
        study, wanted = self.study, self.state.wanted
        if study is None:
            return
        if row_["error"] is not None:
            say(self.message, f"Point {row_['point']} failed: {row_['error']}")
            return
        say(self.message, "")
        self._scenario.request(
            study, row_, lambda scenario: use(replace(scenario, note=wanted.note, snapshots=wanted.snapshots))
        )

    def _show_message(self, words: str) -> None:
        self.detail.setText(words)
        if not words:
            self._show_marks()

    def _name(self, row_: Row) -> str:
        varied = self.study.paths if self.study is not None else ()
        values = [self.results.named(name, row_) for name in varied]
        return ", ".join([f"point {row_['point']}", *values])

    def _on_shown_clicked(self, page: int) -> None:
        self.stack.setCurrentIndex(page)
        if page == 1 and self.papers.paper is None:
            self.papers.show_paper()

    def _list_earlier(self) -> None:
        menu = self.earlier.menu()
        menu.clear()
        for path in earlier(self._folder):
            menu.addAction(path.stem, partial(self.load, path))
        if menu.isEmpty():
            menu.addAction("No earlier studies").setEnabled(False)
        menu.addSeparator()
        for name in study_names():
            menu.addAction(study_title(name), partial(self.load, study_path(name)))

    def _on_open_clicked(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open results or study", str(self._folder), OPENED)
        if name:
            self.load(Path(name))

    def _on_save_clicked(self) -> None:
        study, path = self.asked, self._ask_path("Save study", f"Studies (*{SUFFIX})", SUFFIX)
        if path is not None and study is not None:
            self._write(path, lambda: write_atomically(path, study.content, "--out"))

    def _on_export_clicked(self) -> None:
        study, rows = self.study, list(self.results.rows)
        path = self._ask_path("Export results", ";;".join(TABLES.values()), *TABLES)
        if path is None or study is None:
            return
        loaded = LoadedStudy(self.path, study, self.results.columns, tuple(rows))
        if path.suffix.lower() == PAGE:
            source = loaded.path or path.with_suffix(".parquet")
            self._drawing.run(self._report(loaded, source, path), partial(self._write_page, path))
        else:
            self._write(path, lambda: export_rows(path, study, loaded.rows))

    def _write_page(self, path: Path, page: Callable[[], bytes]) -> None:
        self._write(path, lambda: write_atomically(path, page(), "--out", PAGE))

    def _on_export_plot_clicked(self) -> None:
        plot, theme = self.plot.plot, self.state.style.theme
        path = self._ask_path("Export plot", PICTURES, *KINDS)
        if path is not None:
            size = plot.width(), plot.height()
            try:
                save_picture(path, size, theme, plot.paint_to, scale=2.0)
            except SpecError as error:
                self._on_files_failed(error)
            else:
                self._wrote(path)

    def _write(self, path: Path, work: Callable[[], None]) -> None:
        def written(progress: Progress) -> Callable[[], None]:
            work()
            return partial(self._wrote, path)

        self._files.request(written)

    def _wrote(self, path: Path) -> None:
        say(self.message, "")
        self.detail.setText(f"Wrote {path.name}")

    def _on_files_failed(self, error: SpecError) -> None:
        say(self.message, error.message)

    def _on_rows_came(self, rows: list[Row]) -> None:
        self.results.add(rows)
        now = time.monotonic()
        if not self._begun:
            self._before, self._begun = len(self.results.rows), now
        self.table.grow(self.results)
        # Plotting thousands of points takes long, so it is done rarely, and once at the end.
        if len(self.results.rows) < LARGE_STUDY or now >= self._drawn + MIN_REDRAW_SECONDS:
            self._drawn = now
            self._show_marks()
        self._show_run()

    def _on_workers_counted(self, workers: int) -> None:
        self._workers = workers
        self._show_run()

    def _on_ended(self, outcome: Summary | SpecError) -> None:
        say(self.message, error_text(outcome) if isinstance(outcome, SpecError) else "\n".join(outcome.notes))
        self._sort()
        self._show_run()

    def _sort(self) -> None:
        # During a run, rows are in the order in which they arrived.
        order = self.results.sort()
        self._current, self._pinned = (k if k < 0 else order.index(k) for k in (self._current, self._pinned))
        self.table.show_results(self.results)
        with QSignalBlocker(self.table.selectionModel()):
            self.table.setCurrentIndex(self.table.view_index(self._current))
        self._show_marks()

    def _show_run(self) -> None:
        busy = self.run.busy
        self.button.setText("Stop" if busy else "Run")
        self.button.setEnabled(busy or self.asked is not None or self._reader.busy)
        self.progress.setVisible(busy)
        self.export.setEnabled(self.study is not None and bool(self.results.rows))
        self.save.setEnabled(self.asked is not None)
        self.resume.setVisible(not busy and self._missing > 0)
        self.resume.setText("Resume" if self.results.rows else "Run study")
        if self.study is None:
            self.status.setText(plural(len(self.results.rows), "row") if self.results.rows else "")
            return
        done, points = len(self.results.rows), len(self.study.points)
        self.progress.show_fraction(done / points)
        waits = busy and self._workers == 0 and self.form.address is not None
        words = run_text(done, points, self.results.failed, self._pace() if busy else None)
        self.status.setText(f"waiting for workers at {self.form.address}" if waits else words)

    @property
    def _missing(self) -> int:
        return len(self.study.points) - len(self.results.rows) if self.study is not None else 0

    def _pace(self) -> float:
        # Points per second since the first batch; 0 if not known yet.
        new, passed = len(self.results.rows) - self._before, time.monotonic() - self._begun
        return new / passed if self._begun and passed > 0 else 0.0

    def _on_button_clicked(self) -> None:
        if self.run.busy:
            self.run.stop()
            self.status.setText("stopping …")
        else:
            self.start()


def _varied(loaded: LoadedStudy) -> list[str]:
    # Varied columns, the number with most values first, for the x axis. Seeds do not count as numbers.
    if loaded.study is None:
        return [name for name in loaded.columns if name.partition(".")[0] in SECTIONS]
    values = {path: values_of(path, given) for path, given in loaded.study.file.vary.items()}

    def rank(path: str) -> int:
        figures = all(isinstance(value, int | float) for value in values[path])
        return -len(values[path]) if figures and not path.endswith("seed") else 0

    return sorted(loaded.study.paths, key=rank)


def run_text(done: int, points: int, failed: int, pace: float | None) -> str:
    """Return the progress of a run; `pace`, in points per second, only while it runs."""
    parts = [f"{done:,} of {plural(points, 'point')}"]
    if failed:
        parts.append(f"{failed:,} failed")
    if pace == 0:
        parts += [] if done else [STARTING]
    elif pace:
        parts += [f"{significant(pace, 3)} per second", f"{time_text((points - done) / pace)} left"]
    return " · ".join(parts)
