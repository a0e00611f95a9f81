"""Import and export of other tools' files. Readers and writers are imported on first use."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMainWindow, QWidget

from app.background.latest_wins import Runner
from app.model.state import FILE
from app.model.state_groups import ComparisonMode
from app.session.network_choice import with_network
from app.session.session import Session
from core.counters.measured import Measured
from core.counters.series import Series, series_of
from core.files.atomic import write_atomically
from core.job import Flows, Nccl
from core.job.measure import MEASURES, Counted
from core.load.scenario import Case, Scenario
from core.mapping import Logged
from core.spec import Progress, Spec, SpecError, fields_of
from core.text import figure, plural

if TYPE_CHECKING:
    from core.export_result import Exported

COUNTERS = "counters"
CHOICES = ("network", "job", "mapping", "routing", COUNTERS)
"""Choices that a file may hold, in the order of their dependencies."""
AMBIGUOUS = CHOICES[:3]
"""Choices that a file with columns of words or numbers may hold."""
ANY = "Detect from content (*)"
FILTERS = {f"{choice.capitalize()} (*)": choice for choice in CHOICES}
CHOOSE = "choose the type in File > Import: network, job or mapping"
"""Advice about a file whose content does not identify its kind."""
RANKFILE = "openmpi-rankfile"
TABLES = "opensm-lfts"
NO_VOLUMES = np.zeros(0)
UNITS = tuple(MEASURES)
"""The units offered, bytes first."""
OF_FILE = ("file", "format", "unit", "tasks", "src", "dst", "volume")
"""Fields of choices that describe their file, or are used instead of one."""
UNIT_TITLE = "Unit of volumes"
Finish = Callable[[], object]
"""The rest of the work, for the GUI thread."""


class ExportOffer(NamedTuple):
    """A kind of file that can be written."""

    part: str
    """The part of the scenario that it holds."""
    kind: str
    line: str
    """Its description."""


class Files(Protocol):
    """The file commands of the window."""

    session: Session
    parent: QMainWindow

    @property
    def folder(self) -> str:
        """Return the initial folder of dialogs."""

    @property
    def openers(self) -> dict[str, Callable[[Path], None]]:
        """Return the functions that open our own files, by kind as in `core.files.recognise`."""

    def ask_path(self, title: str, kinds: str, *endings: str) -> Path | None:
        """Ask where to write."""

    def written(self, path: Path, work: Callable[[], None], note: str = "") -> bool:
        """Write a file, and report the result."""

    def say(self, text: str) -> None:
        """Show a message for a moment."""


class Exchange:
    """Imports and exports of one window. Errors are shown as one line in it."""

    def __init__(self, files: Files) -> None:
        self._files, self._session = files, files.session
        self._runner = Runner(
            "exports", lambda finish: finish(), sync=files.session.sync, in_turn=True, parent=files.session
        )

    def ask_import(self) -> None:
        """Ask for files of other tools; the kind chosen in the dialog determines their format."""
        kinds = ";;".join((ANY, *FILTERS))
        names, kind = QFileDialog.getOpenFileNames(self._files.parent, "Import", self._files.folder, kinds)
        if names:
            self.take([*map(Path, names)], FILTERS.get(kind))

    def take_into(self, choice: str, path: Path, spec: Spec | None) -> None:
        """Use a file as a choice; fields that do not describe the file are taken from a spec of that choice."""
        self.take([path], choice, spec)

    def take(self, paths: Sequence[Path], choice: str | None = None, into: Spec | None = None) -> None:
        """Use files as choices of the scenario, all in one step; a scenario, tour or study is opened.

        `choice` is the choice in the files, or None to detect it from their content; for `into` see `take_into`.
        """
        folder, case = self._session.state.wanted.folder, self._session.state.evaluation.case

        def use(read: _FileContents) -> None:
            if folder != self._session.state.wanted.folder:  # another scenario was opened meanwhile
                self.take(paths, choice, into)
            elif (contents := self._with_unit(read)) is not None:
                self._use(contents, as_logged=read.as_logged)

        name = paths[0].name if len(paths) == 1 else f"{len(paths)} files"
        self._session.evaluator.read(name, partial(_read, paths, choice, folder, into, case), use, self._refuse)

    def _with_unit(self, read: "_FileContents") -> dict[str, Any] | None:
        # The choices, with the user's unit for volumes without a unit, or None if the user cancelled.
        if not read.volumes.size:
            return read.choices
        job = read.choices["job"]
        unit = ask_unit(self._files.parent, Path(job.file).name, read.volumes)
        return None if unit is None else {**read.choices, "job": msgspec.structs.replace(job, unit=unit)}

    def _use(self, contents: dict[str, Any], *, as_logged: bool) -> None:
        for kind, opens in self._files.openers.items():
            if kind in contents:
                opens(contents[kind])
                return
        state = self._session.state
        wanted = with_network(state, contents["network"]) if "network" in contents else state.wanted
        for name, spec in contents.items():
            wanted = wanted.with_choice(name, spec) if name != COUNTERS else _with_counters(wanted, spec)
        if as_logged:
            wanted = wanted.with_choice("mapping", Logged())
        # Some are reported if they do not fit, and not replaced.
        if "mapping" in contents or [*contents] in (["routing"], [COUNTERS]):
            self._session.propose(wanted, name="Import counters" if [*contents] == [COUNTERS] else "")
        else:
            self._session.fit(wanted)
        if isinstance(contents.get(COUNTERS), Series):
            self._files.say(contents[COUNTERS].order)

    def _refuse(self, error: SpecError) -> None:
        from core.files.recognise import ASK

        self._session.report_error(SpecError(FILE, error.message.replace(ASK, CHOOSE)))

    def offers(self) -> list[ExportOffer]:
        """Return all kinds of files that can be written, by part."""
        from core.files.export import TAKEN
        from core.formats import written_of

        return [ExportOffer(part, kind, form.written) for part in TAKEN for kind, form in written_of(part).items()]

    def ask_export(self, kind: str, part: str) -> None:
        """Encode the scenario on screen off the GUI thread, then ask for a file and write it."""
        self._export(kind, part, partial(self._ask_where, kind, part, lambda path: None))

    def route_again(self, engine: str) -> None:
        """Compute forwarding tables without failed links off the GUI thread, ask for a file, and route by it.

        The state before becomes A, and the view shows the difference of the loads.
        """
        from core.files.export import export_rerouted

        before = self._session.state.evaluation

        def use(path: Path) -> None:
            self._session.set_reference(before, ComparisonMode.DIFFERENCE)
            self.take([path], "routing")

        self._session.evaluator.compute(
            "Computing forwarding tables",
            lambda progress: export_rerouted(before.case, TABLES, engine, progress),
            partial(self._ask_where, TABLES, "routing", use),
        )

    def copy_rankfile(self) -> None:
        """Copy the mapping on screen to the clipboard as an Open MPI rankfile."""
        self._export(RANKFILE, "mapping", self._copy)

    def _export(self, kind: str, part: str, then: Callable[["Exported"], None]) -> None:
        from core.files.export import export

        report = self._session.state.evaluation.report

        def work(progress: Progress) -> Finish:
            try:
                return partial(then, export(report.case, kind, part, lambda case: report))
            except SpecError as error:
                return partial(self._session.report_error, SpecError(FILE, f"{kind} cannot be written: {error}"))

        self._runner.request(work)

    def _ask_where(self, kind: str, part: str, use: Callable[[Path], object], exported: "Exported") -> None:
        """Ask for a file and write it; pass its path to `use`."""
        from core.files.export import format_of

        ending = format_of(kind, part).ending or ".txt"
        path = self._files.ask_path(f"Export {kind}", f"{kind} (*{ending})", ending)
        if path is None:
            return
        content = exported.content.encode() if isinstance(exported.content, str) else exported.content

        def wrote(path: Path) -> None:
            self._files.written(path, lambda: None, _lost(exported))
            use(path)

        def work(progress: Progress) -> Finish:
            try:
                write_atomically(path, content, FILE, ending)
            except SpecError as error:
                return partial(self._session.report_error, SpecError(FILE, error.message))
            return partial(wrote, path)

        self._runner.request(work)

    def _copy(self, exported: "Exported") -> None:
        QGuiApplication.clipboard().setText(str(exported.content))
        ranks = self._session.state.evaluation.case.job.tasks
        self._files.say(f"Copied rank file with {ranks:,} ranks{_lost(exported)}")


def _with_counters(wanted: Scenario, counters: Measured | Series) -> Scenario:
    """Return the scenario with another file at the end of the interval, or with a series of files."""
    now = wanted.measured
    if isinstance(counters, Measured):
        both = counters if now is None else msgspec.structs.replace(now, after=counters.after)
        return replace(wanted, measured=both)
    seconds = None if now is None or counters.by_time else now.seconds
    return replace(wanted, measured=msgspec.structs.replace(counters.measured, seconds=seconds))


class _FileContents(NamedTuple):
    """The contents of the chosen files."""

    choices: dict[str, Any]
    """A spec or a series of counters by its choice, or the path of one of our own files by its kind."""
    volumes: NDArray[np.float64]
    """Volumes whose unit must be asked for; empty if it is known, or there are none."""
    as_logged: bool = False
    """Whether tasks are placed on the hosts that the log of the job names."""


def _read(
    paths: Sequence[Path], choice: str | None, folder: Path | None, into: Spec | None, case: Case
) -> _FileContents:
    from core.files.recognise import OWN, choices_of, imported
    from core.files.regular import regular

    contents = choices_of(map(regular, paths)) if choice is None else {choice: [*map(regular, paths)]}
    own = {kind: named[0] for kind, named in contents.items() if kind in OWN}
    if own:
        return _FileContents(own, NO_VOLUMES)
    several = contents.pop(COUNTERS) if len(contents.get(COUNTERS, [])) > 1 else []
    specs = {name: _with_fields(imported(named[0], name, folder), into) for name, named in contents.items()}
    series = {COUNTERS: series_of(several, folder)} if several else {}
    as_logged = "mapping" not in specs and _is_placed(specs, folder, case)
    return _FileContents({**specs, **series}, _volumes_without_unit(specs.get("job"), folder), as_logged)


def _is_placed(specs: dict[str, Spec], folder: Path | None, case: Case) -> bool:
    """Return whether the log of an imported job names hosts; the network on screen must have them, an imported may."""
    with suppress(SpecError):
        spec = specs.get("job")
        job = spec.build(folder) if isinstance(spec, Nccl) else None
        if job is None or job.logged_hosts is None:
            return False
        if "network" not in specs:
            Logged().build(job, case.network, case.allocation)
        return True
    return False


def _with_fields(spec: Spec, into: Spec | None) -> Spec:
    """Return a spec that names a file, with the fields of another spec that do not describe the file."""
    if type(into) is not type(spec):
        return spec
    own = {field.name: getattr(into, field.name) for field in fields_of(type(spec)) if field.name not in OF_FILE}
    return msgspec.structs.replace(spec, **own)


def _volumes_without_unit(job: Spec | None, folder: Path | None) -> NDArray[np.float64]:
    # A file that cannot be read is refused where the scenario is built, at its field.
    with suppress(SpecError):
        return job.volumes_without_unit(folder) if isinstance(job, Flows) else NO_VOLUMES
    return NO_VOLUMES


def _lost(exported: "Exported") -> str:
    return f"; lost: {', '.join(exported.losses)}" if exported.losses else ""


def ask_unit(parent: QWidget, name: str, volumes: NDArray[np.float64]) -> Counted | None:
    """Ask for the unit of the volumes in the file `name`, or None if the user cancels."""
    largest = f"{'largest: ' if volumes.size > 1 else ''}{figure(volumes.max())}"
    text = f"{name} has {plural(volumes.size, 'volume')} without a unit ({largest}).\nChoose the unit:"
    unit, accepted = QInputDialog.getItem(parent, UNIT_TITLE, text, UNITS, 0, False)
    return cast(Counted, unit) if accepted else None
