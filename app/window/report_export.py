"""The report on the state on screen, made off the GUI thread, except for its views, drawn one by one between events."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QProgressDialog, QWidget

from app.background.latest_wins import Runner
from app.background.patience import refuse_after
from app.background.steps import Steps
from app.model.failure_curves import several_machines, shown_curves
from app.model.state import FILE, State
from app.model.state_groups import ComparisonState, StyleState
from app.report.comparison import Rival
from app.report.document import Document
from app.report.drawings import Drawing, charts_of, plain_drawings, view_drawings
from app.report.evaluation_report import Subject, document_of, usual_name
from app.report.failures import FailureFindings, sample_of
from app.report.findings import MAX_STAGE_SECONDS, findings_of
from app.report.page import page_of
from app.report.reproduction import SCENARIO_NAME, Reproduction, command_line, failure_options
from app.report.throughput_history import SessionSteps
from app.session.evaluation import EditableEvaluation
from app.session.session import Session
from app.style.theme import LIGHT
from core.files import SUFFIX
from core.files.atomic import write_atomically
from core.load.live import LiveLoads
from core.load.scenario import Scenario, Snapshot
from core.load.snapshots import bare, with_notes_of
from core.spec import Progress, SpecError, subprogress

REFERENCE_NAME = "A"
"""Name of A as the first snapshot of the scenario in the page."""
PATIENT = "fabriscope report --patient"
PARTS = 5
"""Number of stages, assumed equally long, for the progress."""
SHOW_MS = 700


class ReportExport(QObject):
    """One running report; it deletes itself when it is done or cancelled."""

    def __init__(self, session: Session, path: Path, done: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._path, self._done = session, path, done
        self._state = session.state
        self._steps = SessionSteps.of(session.state.history)
        self._failures = _failures(self._state)
        self._twin: Session | None = None
        """A session with the same state, in the themes of the page."""
        self.dialog = QProgressDialog("Collecting results …", "Cancel", 0, 100, parent)
        self.dialog.setWindowTitle(f"Export {path.name}")
        self.dialog.setWindowModality(Qt.WindowModality.NonModal)
        self.dialog.setMinimumDuration(SHOW_MS)
        self.dialog.setAutoReset(False)
        self.dialog.setAutoClose(False)
        self.dialog.canceled.connect(self.close)
        self._drawing = Steps(self._on_failed, takes=Exception, parent=self)
        # A child of the session, which ends all its threads when it is closed.
        self._runner = Runner(
            "report", lambda go_on: go_on(), self._on_failed, self._on_progressed,
            takes=Exception, sync=session.sync, parent=session,
        )  # fmt: skip
        self._runner.request(self._find)

    def _find(self, progress: Progress) -> Callable[[], None]:
        # In a thread: everything that needs no widget, including the picture of the machine.
        parts = iter(range(PARTS))

        def stage(name: str) -> Progress:
            part = next(parts)
            return refuse_after(MAX_STAGE_SECONDS, subprogress(progress, part, part + 1, PARTS), PATIENT)

        evaluation, reference = self._state.evaluation, self._state.comparison.reference
        document = document_of(findings_of(evaluation, stage), self._subject(), datetime.now())
        style = StyleState(scale=self._state.style.scale, hottest_percent=self._state.style.hottest_percent)
        comparison = ComparisonState(reference)
        plain = State(evaluation.case.scenario, evaluation, style=style, comparison=comparison)
        drawings = plain_drawings(plain, document.pictures)
        first = EditableEvaluation(evaluation, LiveLoads(evaluation.report))
        return partial(self._draw, document, drawings, first)

    def _subject(self) -> Subject:
        state = self._state
        file, reference = state.file, state.comparison.reference
        rivals = () if reference is None else (Rival("the pinned state", reference),)
        # The wanted scenario may be pending or refused: the page shows the scenario on screen.
        shown = with_notes_of(state.evaluation.case.scenario, state.wanted)
        name = usual_name(shown) if file.path is None else file.path.name.removesuffix(SUFFIX)
        scenario = replace(shown, snapshots=self._snapshots(shown))
        inside = file.path is None or scenario != file.saved
        source = SCENARIO_NAME if inside else str(file.path)
        failed = self._failures
        options = [] if failed is None else failure_options(failed.figures.what, sample_of(failed))
        command = command_line(["report", source, *options, "--out", self._path.name])
        reproduction = Reproduction(command, scenario, inside=inside)
        return Subject(name, reproduction, rivals=rivals, steps=self._steps, failures=self._failures)

    def _snapshots(self, scenario: Scenario) -> tuple[Snapshot, ...]:
        # The command compares a scenario with its first snapshot.
        reference = self._state.comparison.reference
        if reference is None:
            return scenario.snapshots
        pinned = bare(reference.case.scenario)
        others = tuple(snapshot for snapshot in scenario.snapshots if snapshot.kept != pinned)
        pinned_snapshot = next((snapshot for snapshot in scenario.snapshots if snapshot.kept == pinned), None)
        taken = any(snapshot.name == REFERENCE_NAME for snapshot in others)
        return (pinned_snapshot or Snapshot(f"{REFERENCE_NAME} (pinned)" if taken else REFERENCE_NAME, pinned), *others)

    def _draw(self, document: Document, drawings: dict[str, Drawing], first: EditableEvaluation) -> None:
        self._twin = Session(first, theme=LIGHT, sync=self._session.sync, parent=self._session)
        self._twin.set_scale(self._state.style.scale)
        self.dialog.setLabelText("Drawing pictures …")
        steps = view_drawings(self._twin, document.pictures, charts_of(self._steps, self._failures), drawings)
        self._drawing.run(steps, lambda _: self._write(document, drawings))

    def _write(self, document: Document, drawings: dict[str, Drawing]) -> None:
        path = self._path

        def work(progress: Progress) -> Callable[[], None]:
            write_atomically(path, page_of(document, drawings), FILE, ".html")
            return partial(self._end, f"Wrote {path}")

        self._runner.request(work)

    def _on_failed(self, error: Exception) -> None:
        self.close()
        if not isinstance(error, SpecError):
            raise error
        self._session.report_error(SpecError(FILE, error.message))

    def _on_progressed(self, fraction: float) -> None:
        self.dialog.setValue(round(100 * fraction))

    def close(self) -> None:
        """Cancel; a page already written stays."""
        self._end("")

    def _end(self, message: str) -> None:
        self._drawing.stop()
        self._runner.close()
        self._runner.deleteLater()
        if self._twin is not None:
            self._twin.close()
            self._twin.deleteLater()
        self.dialog.deleteLater()
        self.deleteLater()
        if message:
            self._done(message)


def _failures(state: State) -> FailureFindings | None:
    """Return the evaluated failures of the scenario on screen, with the curve of A while A and B are compared."""
    failures = state.failures
    if failures is None:
        return None
    return FailureFindings(failures.figures, shown_curves(failures, state), several_machines(state))
