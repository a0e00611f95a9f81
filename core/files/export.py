"""Export of a scenario's network, job, mapping and loads to files of other tools."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.export_result import Exported
from core.files.complete import CHECKS
from core.formats import FileFormat, Part, written_of
from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Case
from core.mapping.formats.placement import Placed
from core.spec import SpecError
from core.text import known_names

TEXT = ".txt"
"""An ending that text of every kind may have."""
Evaluate = Callable[[Case], LoadReport]


TAKEN: dict[Part, Callable[[Case, Evaluate], tuple[Any, ...]]] = {
    "mapping": lambda case, _: (Placed.of(case.mapping, case.network, case.allocation),),
    "job": lambda case, _: (case.job,),
    "network": lambda case, _: (case.network,),
    "loads": lambda case, evaluated: (evaluated(case),),
}
"""The arguments of writers, by part. If several parts share a kind, the first is the default."""


def kinds() -> dict[str, tuple[Part, ...]]:
    """Return all kinds by name, with the parts they exist for."""
    names = dict.fromkeys(kind for part in TAKEN for kind in written_of(part))
    return {name: tuple(part for part in TAKEN if name in written_of(part)) for name in names}


def format_of(kind: str, part: str | None = None) -> FileFormat:
    """Return the format of a kind.

    Raises SpecError: if it is unknown.
    """
    return written_of(_part(kind, part))[kind]


def endings_of(kind: str, part: str | None, path: Path) -> tuple[str, ...]:
    """Return the valid endings of a file of a kind, or empty for any.

    Text may have any ending that does not belong to another kind, since its readers do not require one.

    Raises SpecError: if the kind is unknown.
    """
    own = format_of(kind, part).ending
    others = {form.ending for part in TAKEN for form in written_of(part).values()} | set(CHECKS)
    return (own or TEXT,) if own in CHECKS or path.suffix.lower() in others - {own, TEXT, ""} else ()


def export(case: Case, kind: str, part: str | None = None, evaluated: Evaluate = evaluate) -> Exported:
    """Export a part of a scenario; loads are computed by `evaluated` if needed.

    Raises SpecError: if the kind is unknown, or cannot represent the scenario.
    """
    name = _part(kind, part)
    exported: Exported = written_of(name)[kind].write(*TAKEN[name](case, evaluated))
    if name == "network" and case.faults is not None:
        return exported._replace(losses=(*exported.losses, f"the faults: {case.faults.words()}"))
    return exported


def _part(kind: str, part: str | None) -> Part:
    parts_of = kinds()
    if kind not in parts_of:
        raise SpecError("--to", f"{kind[:40]!r} is not known; {known_names(kind, parts_of)}")
    if part is not None and part not in parts_of[kind]:
        raise SpecError("--of", f"{kind} is of the {' or the '.join(parts_of[kind])}, not of the {part}")
    return next((given for given in parts_of[kind] if given == part), parts_of[kind][0])
