"""The choices as forms: network, job, mapping, routing, and timing if there are steps."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from app.model.background_jobs import FIELD, JOB_FIELDS
from app.model.changes import ChangeSet
from app.model.nodes import choose_nodes, with_allocated, with_nodes
from app.model.priority import Priority
from app.model.scenario_diff import NODES, timing_wanted
from app.model.state import EDIT, TOUR, TRANSIENT_ERRORS
from app.panels.build.counters import CountersSection
from app.panels.build.jobs import JobsSection
from app.panels.build.nodes import NodesSection
from app.panels.build.section import FILE_TITLES, ChoiceSection
from app.session.jobs import add_copy, add_job_of, remove, rename, switch_to_job
from app.session.session import Session
from app.session.unknown_background import remove_unknown_background
from app.widgets.editors import FileEditor
from app.widgets.labels import link, message_label, say
from app.widgets.panel import Panel
from app.widgets.parts_editor import PartsEditor
from app.wording import keys
from app.wording.errors import error_text
from core.counters.measured import Measured
from core.counters.reading import FIELD as COUNTERS
from core.files.import_report import reports_of
from core.load.compatibility import fitting_job, unroutable
from core.load.scenario import UNIONS, Scenario
from core.routing import without_faults
from core.spec import Spec, SpecError, members
from core.timing import AnyTiming, default_timing

SECTIONS: dict[str, Any] = {**UNIONS, "timing": AnyTiming}
"""The families of each choice, from top to bottom."""


SCROLL_MS = 20


class BuildPanel(Panel):
    """Shows the wanted scenario and proposes the user's changes; errors are shown under their fields."""

    chooser_asked = Signal()
    """Asks to show all networks side by side."""
    file_chosen = Signal(str, object, object)
    """(choice, path of a file, spec that is to name it): asks to read it and use it."""
    counters_chosen = Signal(object)
    """Paths of files of counters: asks to read and use them."""
    refresh_priority = Priority.FORMS

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._refused: dict[str, str] = {}
        """Why routing schemes do not fit the network on screen, by tag."""
        self._jobs_before_adding: int | None = None
        """Number of jobs before the last was added; None once it is visible."""
        self._revealed = ""
        """The last error, which is brought into view only once."""
        self._ordered = 0
        """Number of tab stops already in order."""
        self.message = message_label("error")
        self.column.addWidget(self.message)
        self.browse = link("Pictures …", f"Compare all networks by picture and figures ({keys.CHOOSE_NETWORK})")
        self.browse.clicked.connect(self.chooser_asked)
        self.sections: dict[str, ChoiceSection] = {}
        self.nodes, self.jobs, self.counters = NodesSection(), JobsSection(session), CountersSection()
        for choice in SECTIONS:
            self.sections[choice] = self._add_section(choice)
            if choice == "job":
                self._add_nodes()
        self._add_jobs()
        self._add_counters()
        self.column.addStretch(1)

    def refresh(self, changes: ChangeSet) -> None:
        """Show the wanted scenario, and its error."""
        if changes & (ChangeSet.STATUS | ChangeSet.FILE | ChangeSet.TOPOLOGY | ChangeSet.LOADS | ChangeSet.STYLE):
            self._show_jobs()
        if not changes & (ChangeSet.STATUS | ChangeSet.FILE | ChangeSet.TOPOLOGY):
            return
        wanted, error = self.state.wanted, self.state.error
        # Errors in the form stay visible if a file cannot be opened.
        self._show_elsewhere(error)
        if error is None or error.field in TRANSIENT_ERRORS:
            error = self.state.refusal
        where = _place(error)
        for choice, section in self.sections.items():
            section.show_spec(_wanted(wanted, choice), valid=error is None)
            own = error if where == choice else None
            refused = own is not None and own is self.state.refusal  # not for text that is not a value
            section.show_error(own, self.state.remedies if refused else ())
            for editor in section.form.editors.values():
                if isinstance(editor, FileEditor | PartsEditor):
                    editor.folder = wanted.folder
        about_nodes = error if where in NODES and where not in (*JOB_FIELDS, COUNTERS) else None
        self.nodes.show_scenario(wanted, self.state.evaluation.case, about_nodes)
        links = self.state.evaluation.case.measured if wanted.measured == self._counted else None
        self.counters.show_scenario(wanted, links, error if where == COUNTERS else None)
        # With a single step the timing adds nothing to the load report.
        several = len(self.state.evaluation.case.job.phases) > 1
        self.sections["timing"].setVisible(several or wanted.timing is not None)
        self._show_reports()
        self._reveal(error, where)
        self._show_routings(changes)
        self._order_tab_stops()

    def current_sections(self) -> dict[str, ChoiceSection]:
        """Return the sections; they show the wanted scenario even while the panel is hidden."""
        if not self.isVisible():
            self.catch_up()
        return self.sections

    def edit(self, choice: str, name: str) -> None:
        """Give the focus to the editor of a field, and bring it into view."""
        self.session.reveal_panel("build")
        editor = self.sections[choice].form.editors[name]
        self.scroll_to(editor)
        editor.tab_stops[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_elsewhere(self, error: SpecError | None) -> None:
        # Errors that belong to no section.
        shown = (*self.sections, *NODES, COUNTERS, EDIT, TOUR)
        other = error if error is not None and _place(error) not in shown else None
        say(self.message, "" if other is None else error_text(other, self.state.wanted))

    def _reveal(self, error: SpecError | None, where: str) -> None:
        # Brings a new error into view, unless another part of the panel is being edited.
        text, before = "" if error is None else str(error), self._revealed
        self._revealed = text
        focus, section = QApplication.focusWidget(), self.sections.get(where)
        if text in ("", before) or section is None or section.error_label is None:
            return
        if focus is None or not any(part.isAncestorOf(focus) for part in self._parts if part is not section):
            # Once it is laid out.
            QTimer.singleShot(SCROLL_MS, self, lambda: self.scroll_to(section.error_label or section))

    def _order_tab_stops(self) -> None:
        # Forms are made when first needed, and would otherwise come last in the tab order.
        stops = [stop for part in self._parts for stop in part.tab_stops]
        if len(stops) != self._ordered:
            self._ordered = len(stops)
            for before, after in pairwise(stops):
                QWidget.setTabOrder(before, after)

    @property
    def _parts(self) -> list[ChoiceSection | NodesSection | JobsSection | CountersSection]:
        # From top to bottom.
        *before, mapping, routing, timing = self.sections.values()
        return [*before, self.nodes, mapping, routing, timing, self.jobs, self.counters]

    def _add_nodes(self) -> None:
        self.nodes.changed.connect(self._on_nodes_changed)
        self.nodes.refused.connect(self.session.report_error)
        self.nodes.reverted.connect(self.session.editing.withdraw)
        self.nodes.chosen.connect(self._on_nodes_chosen)
        self.column.addWidget(self.nodes)

    def _add_jobs(self) -> None:
        jobs, session = self.jobs, self.session
        for added in (jobs.copy_asked, jobs.file_chosen):
            added.connect(self._on_job_added)
        jobs.copy_asked.connect(lambda: add_copy(session))
        jobs.file_chosen.connect(lambda path: add_job_of(session, path))
        jobs.removal_asked.connect(lambda number: remove(session, number))
        jobs.focus_asked.connect(lambda number: switch_to_job(session, number))
        jobs.background_removal_asked.connect(lambda: remove_unknown_background(session))
        jobs.renamed.connect(lambda number, name: rename(session, number, name))
        self.column.addWidget(jobs)

    def _on_job_added(self) -> None:
        self._jobs_before_adding = len(self.state.evaluation.case.scenario.job_names)

    def _add_counters(self) -> None:
        self.counters.changed.connect(self._on_counters_changed)
        self.counters.files_chosen.connect(self.counters_chosen)
        self.counters.refused.connect(self.session.report_error)
        self.counters.reverted.connect(self.session.editing.withdraw)
        self.column.addWidget(self.counters)

    def _on_counters_changed(self, measured: Measured | None) -> None:
        name = "Remove counters" if measured is None else ""
        self.session.propose(replace(self.state.wanted, measured=measured), name)

    @property
    def _counted(self) -> Measured | None:
        return self.state.evaluation.case.scenario.measured

    def _show_jobs(self) -> None:
        error = self.state.refusal or self.state.error
        self.jobs.folder = self.state.wanted.folder
        self.jobs.show_state(self.state, error if error is not None and error.field.startswith(FIELD) else None)
        jobs = len(self.state.evaluation.case.scenario.job_names)
        if self._jobs_before_adding is not None and jobs > self._jobs_before_adding:
            self._jobs_before_adding = None
            # Once it is laid out.
            QTimer.singleShot(SCROLL_MS, self, lambda: self.scroll_to(self.jobs.rows[jobs - 1]))

    def _on_nodes_changed(self, field: str, value: Any) -> None:
        self._ask(lambda: with_nodes(self.state.wanted, self.state.evaluation.case, **{field: value}))

    def _on_nodes_chosen(self, rule: str) -> None:
        wanted, case = self.state.wanted, self.state.evaluation.case
        self._ask(lambda: with_allocated(wanted, case, choose_nodes(wanted, case, rule)), fitting=True)

    def _ask(self, make: Callable[[], Scenario], *, fitting: bool = False) -> None:
        try:
            scenario = make()
        except SpecError as error:
            self.session.report_error(error)
            return
        if fitting:
            self.session.fit(scenario)
        else:
            self.session.propose(scenario)

    def _add_section(self, choice: str) -> ChoiceSection:
        section = ChoiceSection(choice, members(SECTIONS[choice]), *([self.browse] if choice == "network" else []))
        section.changed.connect(partial(self._on_section_changed, choice))
        section.family_changed.connect(partial(self._on_section_family_changed, choice))
        section.refused.connect(self.session.report_error)
        section.reverted.connect(self.session.editing.withdraw)
        section.file_asked.connect(partial(self.ask_file, choice))
        section.file_chosen.connect(partial(self.file_chosen.emit, choice))
        section.remedy_chosen.connect(self.session.remedy)
        self.column.addWidget(section)
        return section

    def _show_reports(self) -> None:
        # Refers to the case on screen, if that is the wanted one.
        case = self.state.evaluation.case
        others, reports = case.scenario.changed_choices(self.state.wanted), reports_of(case)
        router = without_faults(case.router)
        for choice, built in (
            ("network", case.network), ("job", case.job), ("mapping", case.mapping), ("routing", router)
        ):  # fmt: skip
            section = self.sections[choice]
            wanted = choice not in others
            section.show_report(reports.get(choice) if wanted else None, built.warnings if wanted else ())

    def _show_routings(self, changes: ChangeSet) -> None:
        if changes & ChangeSet.TOPOLOGY:
            self._refused = unroutable(self.state.evaluation.case.network)
        # The wanted scheme stays enabled even if it is refused: its message says why.
        wanted = self.state.wanted.routing.tag()
        self.sections["routing"].set_refused({tag: why for tag, why in self._refused.items() if tag != wanted})

    def _on_section_changed(self, choice: str, spec: Any) -> None:
        # The default timing is not written to the scenario.
        self.session.choose(choice, None if spec == default_timing(self.state.wanted.job) else spec)

    def ask_file(self, choice: str, spec: Spec) -> None:
        """Ask for the file of a choice."""
        name, _ = QFileDialog.getOpenFileName(self, FILE_TITLES[choice], str(self.state.wanted.folder or Path.cwd()))
        if name:
            self.file_chosen.emit(choice, Path(name), spec)

    def _on_section_family_changed(self, choice: str, spec: Any, seen: bool) -> None:
        if choice == "job" and not seen:
            case = self.state.evaluation.case
            spec = fitting_job(spec, case.network, case.allocation, self.state.wanted.folder)
        self._on_section_changed(choice, spec)


def _place(error: SpecError | None) -> str:
    """Return the section or field of the scenario that an error concerns; empty without an error."""
    return re.split(r"[.\[]", error.field)[0] if error is not None else ""


def _wanted(scenario: Scenario, choice: str) -> Spec:
    return timing_wanted(scenario) if choice == "timing" else getattr(scenario, choice)
