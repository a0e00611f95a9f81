"""Exports that take a while: films, documents, reports. Their modules are imported on first use."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.actions.file_commands import MESSAGE_MS, FileCommands
from core.files import encode


class Exports:
    """Asks for a file and exports in the background; `say` shows a message for some time."""

    def __init__(self, files: FileCommands, say: Callable[[int, str], None], parent: QWidget) -> None:
        self._session, self._files, self._parent = files.session, files, parent
        self._say = partial(say, MESSAGE_MS)

    def film(self, what: str) -> None:
        """Make a film of the tour, the timeline or the last recording."""
        from app.storage.animations import RATES
        from app.window.film_export import FORMS

        path, kind = self._files.ask_path_and_kind("Export film", ";;".join(FORMS), *RATES)
        if path is not None:
            size, state = FORMS.get(kind, "720p"), self._session.state
            shown = ["--link-values", state.source.id] if what == "timeline" and state.intervals else []
            self._run(path, what, ["film", "-", "--own", "--progress", "--patient", "--size", size, *shown])

    def document(self) -> None:
        """Make a PDF of the tour, one scene a page."""
        path = self._files.ask_path("Export tour as PDF", "PDF document (*.pdf)", ".pdf")
        if path is not None:
            self._run(path, "tour", ["tour", "-", "--patient"])

    def recording(self) -> None:
        """Save the last recording."""
        from app.tour.recording import SUFFIX, write_recording

        recorded = self._session.recorder.recorded
        path = self._files.ask_path("Save recording", f"Recordings (*{SUFFIX})", SUFFIX)
        if path is not None and recorded is not None:
            self._files.written(path, lambda: write_recording(path, recorded))

    def report(self) -> None:
        """Make a report on the state on screen."""
        from app.window.report_export import ReportExport

        path = self._files.ask_path("Export report", "Web page (*.html)", ".html")
        if path is not None:
            ReportExport(self._session, path, self._say, self._parent)

    def _run(self, path: Path, what: str, arguments: list[str]) -> None:
        from app.tour.recording import encode_recording
        from app.tour.tour_file import encode_tour
        from app.window.film_export import FilmExport

        state, recorded = self._session.state, self._session.recorder.recorded
        folder = state.wanted.folder
        if what == "tour" and state.tour.tour is not None:
            content, folder = encode_tour(state.tour.tour), state.tour.tour_path and state.tour.tour_path.parent
        elif what == "recording" and recorded is not None:
            content, folder = encode_recording(recorded), self._session.recorder.folder
        else:
            content = encode(state.evaluation.case.scenario)
        FilmExport(self._session, arguments, content, folder, path, self._say, self._parent)
