"""Export of a scenario's network, job, mapping and loads to files of other tools."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from core.exported import Exported, Writer
from core.files.complete import CHECKS
from core.files.dragonview import WRITERS as DRAGONVIEW
from core.files.links import WRITERS as LOADS
from core.job.traffic import WRITERS as JOBS
from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Case
from core.mapping.formats import WRITERS as MAPPINGS
from core.mapping.formats.placed import Placed
from core.network.formats import WRITERS as NETWORKS
from core.spec import SpecError
from core.text import known_names

TEXT = ".txt"
"""An ending that text of every kind may have."""
Evaluate = Callable[[Case], LoadReport]


class Part(NamedTuple):
    """A part of a scenario that can be exported: one of its choices, or its loads."""

    writers: dict[str, Writer]
    """By kind of file."""
    take: Callable[[Case, Evaluate], tuple[Any, ...]]
    """Returns the arguments of the writers."""


PARTS = {
    "mapping": Part(MAPPINGS, lambda case, _: (Placed.of(case.mapping, case.network, case.allocation),)),
    "job": Part(JOBS, lambda case, _: (case.job,)),
    "network": Part(NETWORKS, lambda case, _: (case.network,)),
    "loads": Part(LOADS | DRAGONVIEW, lambda case, evaluated: (evaluated(case),)),
}
"""By name. If several parts share a kind, the first is the default."""


def kinds() -> dict[str, tuple[str, ...]]:
    """Return all kinds by name, with the parts they exist for."""
    names = dict.fromkeys(name for part in PARTS.values() for name in part.writers)
    return {name: tuple(key for key, part in PARTS.items() if name in part.writers) for name in names}


def writer_of(kind: str, part: str | None = None) -> Writer:
    """Return the writer of a kind.

    Raises SpecError: if it is unknown.
    """
    return PARTS[_part(kind, part)].writers[kind]


def endings_of(kind: str, part: str | None, path: Path) -> tuple[str, ...]:
    """Return the endings that a file of a kind may have; none: any.

    Text has any ending that is not the ending of another kind, since its readers do not ask for one.

    Raises SpecError: if the kind is unknown.
    """
    own = writer_of(kind, part).ending
    others = {writer.ending for part in PARTS.values() for writer in part.writers.values()} | set(CHECKS)
    return (own or TEXT,) if own in CHECKS or path.suffix.lower() in others - {own, TEXT, ""} else ()


def export(case: Case, kind: str, part: str | None = None, evaluated: Evaluate = evaluate) -> Exported:
    """Export a part of a scenario; loads are computed by `evaluated` if needed.

    Raises SpecError: if the kind is unknown, or cannot represent the scenario.
    """
    name = _part(kind, part)
    found = PARTS[name].writers[kind].write(*PARTS[name].take(case, evaluated))
    if name == "network" and case.faults is not None:
        return found._replace(losses=(*found.losses, f"the faults: {case.faults.words()}"))
    return found


def _part(kind: str, part: str | None) -> str:
    known = kinds()
    if kind not in known:
        raise SpecError("--to", f"{kind[:40]!r} is not known; {known_names(kind, known)}")
    if part is not None and part not in known[kind]:
        raise SpecError("--of", f"{kind} is of the {' or the '.join(known[kind])}, not of the {part}")
    return part or known[kind][0]
