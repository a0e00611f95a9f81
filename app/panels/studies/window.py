"""Studies: what to vary at the left; what comes of it, point by point, at the right."""

import re
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QPushButton, QSplitter, QWidget

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.panels.studies.results_plot import ResultsPlot
from app.panels.studies.results_table import ResultRows, ResultsTable, value_text
from app.panels.studies.study_run import StudyRun
from app.panels.studies.sweep import study_of
from app.panels.studies.sweep_form import SweepForm
from app.session.session import Session
from app.widgets.card import Card
from app.widgets.field_text import Refusal
from app.widgets.labels import label, link, message_label, say, with_role
from app.widgets.layouts import STRETCH, column, row, scroll_area
from app.widgets.progress_bar import ProgressBar
from app.widgets.session_widget import SessionWidget
from app.wording.numbers import significant, time_text
from core.load.scenario import Scenario
from core.spec import SpecError
from core.study.sweep.results import Row
from core.study.sweep.run import Summary
from core.study.sweep.study import Study
from core.text import plural

TITLE = "Studies"
SIZE = QSize(1460, 880)
"""At most; no more than the screen has."""
BESIDE = 60
"""Pixels that frame and task bar may take."""
FORM_PX = 400
STARTING = "starting the processes: a few seconds"
EMPTY = "Tick what is to vary and give it values, then Run: points appear here as they are worked out."
HINT = "A click on a row opens that scenario, and Undo goes back."


class StudiesWindow(SessionWidget):
    """The sweep form, the results as a table, what the run is at."""

    refresh_priority = Priority.WINDOWS

    def __init__(self, session: Session, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle(TITLE)
        self.resize(SIZE.boundedTo(self.screen().availableSize() - QSize(BESIDE, BESIDE)))
        self._folder = folder
        self.asked: Study | None = None
        """What the form asks for, once it is read."""
        self.study: Study | None = None
        """Whose results are shown."""
        self.found = ResultRows()
        self._starts = False
        """Whether it is to run as soon as the form is read."""
        self._before, self._begun = 0, 0.0
        """Rows that were there when its first ones had come, and when that was."""
        self._current, self._pinned = -1, -1
        """Rows that are looked at, and pinned as A."""
        self.form, self.table, self.plot = SweepForm(), ResultsTable(), ResultsPlot()
        self.pin = link("Pin as A", "Keep this point as A, beside what is on screen: then click another one")
        self.detail = label("dim")
        self.button = with_role(QPushButton("Run"), "primary")
        self.points, self.progress, self.status = label("dim"), ProgressBar(140), label("dim")
        self.message, self.empty = message_label("error"), message_label("dim")
        self._reader = Runner("sweep", self._on_read, self._on_unread, sync=session.sync, parent=self)
        self.run = StudyRun(self)
        self._build()
        self._connect()

    def refresh(self, changes: ChangeSet) -> None:
        """Offer what can be varied of the scenario on screen."""
        if changes & ChangeSet.STYLE:
            self._show_marks()
        if changes & (ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.STATUS | ChangeSet.FILE):
            self.form.show_scenario(self.state.wanted, self.state.report)
            self._read()

    def start(self) -> None:
        """Run what the form asks for; results are kept in a new file."""
        study = self.asked
        self._starts = study is None and self._reader.busy
        if study is None or self.run.busy:
            return
        out = self._new_file(study)
        self._show_results(study, ResultRows(study.columns))
        self._before, self._begun = 0, 0.0
        self.run.start(study, out)
        self._show_run()

    def shut_down(self) -> None:
        """Stop for good, with the window this one stands beside."""
        self.close()
        self._reader.close()
        self.run.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the run; what it found is on disk."""
        self.run.stop()
        super().closeEvent(event)

    def _build(self) -> None:
        sweep = QWidget()
        foot = row(self.points, STRETCH, self.button, margins=(12, 6, 12, 10), spacing=8)
        column((scroll_area(self.form), 1), foot, of=sweep)
        results = QWidget()
        foot = row(self.progress, self.status, STRETCH, self.detail, self.pin, spacing=8)
        column(self.message, self.empty, (self.table, 1), foot, of=results, margins=(12, 2, 12, 8), spacing=4)
        self.sweep_card, self.results_card = Card("Sweep", sweep), Card("Results", results)
        self.plot_card = Card("Plot", self.plot)
        self.sweep_card.setFixedWidth(FORM_PX)
        self.results_card.set_subtitle(HINT)
        right = QSplitter(Qt.Orientation.Vertical)
        for card in (self.results_card, self.plot_card):
            right.addWidget(card)
        right.setSizes([45, 55])
        right.setChildrenCollapsible(False)
        row(self.sweep_card, (right, 1), of=self, margins=(8, 8, 8, 8), spacing=8)
        self.pin.hide()
        self.progress.hide()
        say(self.empty, EMPTY)

    def _connect(self) -> None:
        self.form.changed.connect(self._read)
        self.button.clicked.connect(self._on_button_clicked)
        self.table.used.connect(self._open)
        self.table.looked_at.connect(self._look_at)
        self.plot.picked.connect(self._pick)
        self.pin.clicked.connect(self._on_pin_clicked)
        self.run.rows_came.connect(self._on_rows_came)
        self.run.ended.connect(self._on_ended)

    def _read(self) -> None:
        # What is asked for is checked off the GUI thread: a large mapping takes a while to be written.
        sweep, scenario = self.form.sweep(), self.state.wanted
        self.asked, self._starts = None, False
        if isinstance(sweep, Refusal):
            self._reader.cancel()
            self._show_asked(sweep.message)
        else:
            self._reader.request(lambda progress: study_of(scenario, sweep))

    def _on_read(self, study: Study) -> None:
        self.asked = study
        self.form.show_error("")
        if self._starts:
            self.start()
        self._show_asked(plural(len(study.points), "point"))

    def _on_unread(self, error: Exception) -> None:
        if not isinstance(error, SpecError):
            raise error
        self.form.show_error(str(error))
        self._starts = False
        self._show_asked("")

    def _show_asked(self, text: str) -> None:
        self.points.setText(text)
        self._show_run()

    def _new_file(self, study: Study) -> Path:
        with suppress(OSError):  # then the run says that it cannot write there
            self._folder.mkdir(parents=True, exist_ok=True)
        varied = re.sub(r"[^\w. -]", "", " ".join(study.paths))[:80] or "one point"
        return self._folder / f"{datetime.now():%Y-%m-%d %H.%M.%S} {varied}.parquet"

    def _show_results(self, study: Study, found: ResultRows) -> None:
        self.study, self.found = study, found
        self._current, self._pinned = -1, -1
        say(self.empty, "")
        self.table.show_results(found)
        self.plot.show_study(found, study.paths, self._told)
        self._show_marks()

    def _show_marks(self) -> None:
        self.plot.show_rows(self._current, self._pinned, self.state.style.theme)
        self.pin.setVisible(self._current >= 0)
        self.detail.setText(self._name(self.found.rows[self._current]) if self._current >= 0 else "")

    def _look_at(self, index: int) -> None:
        self._current = index
        self._show_marks()

    def _pick(self, index: int) -> None:
        self.table.setCurrentIndex(self.table.view_index(index))
        self._open(index)

    def _on_pin_clicked(self) -> None:
        scenario = self._scenario(self.found.rows[self._current])
        if scenario is not None:
            self._pinned = self._current
            self.session.pin_scenario(scenario)
            self._show_marks()

    def _told(self, index: int) -> str:
        found, row_ = self.found, self.found.rows[index]
        lines = [f"{found.head(name)}: {value_text(row_[name])}" for name in found.columns if row_[name] is not None]
        return "\n".join(lines)

    def _open(self, index: int) -> None:
        row_ = self.found.rows[index]
        scenario = self._scenario(row_)
        if scenario is not None:
            self.session.propose(scenario, self._name(row_))

    def _scenario(self, row_: Row) -> Scenario | None:
        study, wanted = self.study, self.state.wanted
        if study is None:
            return None
        try:
            found = study.scenario(study.points[row_["point"]])
        except SpecError as error:
            say(self.message, str(error))
            return None
        say(self.message, "")
        return replace(found, note=wanted.note, snapshots=wanted.snapshots)

    def _name(self, row_: Row) -> str:
        varied = self.study.paths if self.study is not None else ()
        values = [f"{self.found.head(name)} {value_text(row_[name])}" for name in varied]
        return ", ".join([f"point {row_['point']}", *values])

    def _on_rows_came(self, rows: list[Row]) -> None:
        self.found.add(rows)
        if not self._begun:
            self._before, self._begun = len(self.found.rows), time.monotonic()
        self.table.grow(self.found)
        self._show_marks()
        self._show_run()

    def _on_ended(self, outcome: Summary | SpecError) -> None:
        say(self.message, str(outcome) if isinstance(outcome, SpecError) else "")
        self._show_run()

    def _show_run(self) -> None:
        busy = self.run.busy
        self.button.setText("Stop" if busy else "Run")
        self.button.setEnabled(busy or self.asked is not None or self._reader.busy)
        self.progress.setVisible(busy)
        if self.study is None:
            return
        done, points = len(self.found.rows), len(self.study.points)
        self.progress.show_fraction(done / points)
        self.status.setText(run_text(done, points, self.found.failed, self._pace() if busy else None))

    def _pace(self) -> float:
        # Points a second, of those that came after the first ones; 0: not known yet.
        new, passed = len(self.found.rows) - self._before, time.monotonic() - self._begun
        return new / passed if self._begun and passed > 0 else 0.0

    def _on_button_clicked(self) -> None:
        if self.run.busy:
            self.run.stop()
            self.status.setText("stopping …")
        else:
            self.start()


def run_text(done: int, points: int, failed: int, pace: float | None) -> str:
    """Return what a run is at; with `pace`, points a second, it is under way."""
    parts = [f"{done:,} of {plural(points, 'point')}"]
    if failed:
        parts.append(f"{failed:,} failed")
    if pace == 0:
        parts += [] if done else [STARTING]
    elif pace:
        parts += [f"{significant(pace, 3)} a second", f"{time_text((points - done) / pace)} left"]
    return " · ".join(parts)
