"""Forwarding tables that searches made: kept in the data folder, and copied to the folder of a saved scenario.

A scenario on screen names them by their absolute path, so undo, recovery after a crash and unsaved scenarios need no
file of the user. The scenario's file names the copy in its own folder.
"""

import hashlib
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from app.storage.safety_copy import autosave_folder
from core.files import SUFFIX
from core.files.atomic import write_atomically
from core.load.scenario import Scenario
from core.network.network import Network
from core.routing import Tables
from core.routing.router import RoutingSpec
from core.routing.tables.forwarding import ForwardingTables
from core.spec import SpecError

ENDING = ".lfts"
KEPT_SECONDS = 90 * 86_400
"""Age at which tables are deleted, unless they are made again."""


def routes_folder() -> Path:
    """Return the folder for tables in the platform's folder for application data."""
    return autosave_folder().parent / "routes"


def store_tables(folder: Path, tables: ForwardingTables, network: Network) -> Path:
    """Write tables, as OpenSM dumps them, to a file named by their content; delete old ones.

    Raises SpecError: if they cannot be written.
    """
    from core.routing.tables.lft_dump import dump_of

    exported = dump_of(tables, network).content
    content = exported.encode() if isinstance(exported, str) else exported
    path = folder / f"routes-{hashlib.sha256(content).hexdigest()[:12]}{ENDING}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SpecError("routing.file", f"{folder} cannot be created: {error.strerror or error}") from error
    _delete_old(folder)
    write_atomically(path, content, "routing.file")
    return path


def _delete_old(folder: Path) -> None:
    oldest = time.time() - KEPT_SECONDS
    with suppress(OSError):
        for path in folder.glob(f"routes-*{ENDING}"):
            with suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


def with_own_tables(scenario: Scenario, path: Path, folder: Path) -> Scenario:
    """Return a scenario to be saved at `path`; tables from the data folder are copied to its folder.

    Raises SpecError: if they cannot be copied.
    """

    def copied(routing: RoutingSpec) -> RoutingSpec:
        name = routing.file if isinstance(routing, Tables) else None
        if not isinstance(routing, Tables) or name is None or Path(name).parent != folder:
            return routing
        target = path.with_name(f"{path.name.removesuffix(SUFFIX)}-{Path(name).name}")
        _copy(Path(name), target)
        return structs.replace(routing, file=target.name)

    return _with_routings(scenario, copied)


def _copy(source: Path, target: Path) -> None:
    try:
        if not target.exists() or target.stat().st_size != source.stat().st_size:
            shutil.copyfile(source, target)
    except OSError as error:
        raise SpecError("routing.file", f"{target} cannot be written: {error.strerror or error}") from error


def _with_routings(scenario: Scenario, changed: Callable[[RoutingSpec], RoutingSpec]) -> Scenario:
    snapshots = tuple(replace(snapshot, kept=_with_routings(snapshot.kept, changed)) for snapshot in scenario.snapshots)
    routing = changed(scenario.routing)
    if routing is scenario.routing and snapshots == scenario.snapshots:
        return scenario
    return replace(scenario, routing=routing, snapshots=snapshots)
