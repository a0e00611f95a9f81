"""Export of a scenario's network, job, mapping and loads to files of other tools."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.export_result import Exported
from core.files.complete import CHECKS
from core.files.digest import source_of
from core.formats import FileFormat, Part, written_of
from core.load.evaluate import LoadReport, evaluate
from core.load.rerouting import route_again
from core.load.scenario import Case
from core.mapping.formats.placement import Placed
from core.routing.tables.lft_dump import dump_of
from core.spec import Progress, SpecError, no_progress
from core.text import known_names

TEXT = ".txt"
"""An ending that every text format may have."""
XML_DECLARATION = re.compile(r"<\?xml.*?\?>\n")
Evaluate = Callable[[Case], LoadReport]


TAKEN: dict[Part, Callable[[Case, Evaluate], tuple[Any, ...]]] = {
    "mapping": lambda case, _: (Placed.of(case.mapping, case.network, case.allocation),),
    "job": lambda case, _: (case.job,),
    "network": lambda case, _: (case.network,),
    "routing": lambda case, _: (case.router, None if case.faults is None else case.faults.failed),
    "loads": lambda case, evaluated: (evaluated(case),),
}
"""The arguments of writers, by part. If several parts have a format, the first part is the default."""


def kinds() -> dict[str, tuple[Part, ...]]:
    """Return all formats by name, with the parts that can be exported to each."""
    names = dict.fromkeys(kind for part in TAKEN for kind in written_of(part))
    return {name: tuple(part for part in TAKEN if name in written_of(part)) for name in names}


def format_of(kind: str, part: str | None = None) -> FileFormat:
    """Return the format named `kind`.

    Raises SpecError: if it is unknown.
    """
    return written_of(_part(kind, part))[kind]


def endings_of(kind: str, part: str | None, path: Path) -> tuple[str, ...]:
    """Return the valid endings of a file in the format `kind`, or empty if any ending is valid.

    Text may have any ending that does not belong to another format, since its readers do not require one.

    Raises SpecError: if the format is unknown.
    """
    own = format_of(kind, part).ending
    others = {form.ending for part in TAKEN for form in written_of(part).values()} | set(CHECKS)
    return (own or TEXT,) if own in CHECKS or path.suffix.lower() in others - {own, TEXT, ""} else ()


def export(case: Case, kind: str, part: str | None = None, evaluated: Evaluate = evaluate) -> Exported:
    """Export a part of a scenario; loads are computed by `evaluated` if needed.

    Raises SpecError: if the format is unknown, or cannot represent the scenario.
    """
    name = _part(kind, part)
    exported: Exported = written_of(name)[kind].write(*TAKEN[name](case, evaluated))
    exported = exported._replace(content=_with_source(exported.content, format_of(kind, part), case))
    if name == "network" and case.faults is not None:
        return exported._replace(losses=(*exported.losses, f"the faults: {case.faults.words()}"))
    return exported


def _with_source(content: str | bytes, form: FileFormat, case: Case) -> str | bytes:
    # In a comment of the format, if it has comments; XML begins with its declaration.
    if not form.comment or isinstance(content, bytes):
        return content
    declaration = XML_DECLARATION.match(content)
    head = declaration.group() if declaration is not None else ""
    return f"{head}{form.comment.format(source_of(case.scenario))}\n{content[len(head) :]}"


def export_rerouted(case: Case, kind: str, engine: str, progress: Progress = no_progress) -> Exported:
    """Export the forwarding tables that a routing engine computes for a scenario's network without its failed links.

    Raises SpecError: if the format is unknown or holds no tables, or the engine does not support the network. Raises
    Cancelled: when `progress` does.
    """
    if _part(kind, None) != "routing":
        tables = ", ".join(written_of("routing"))
        raise SpecError("--engine", f"computes forwarding tables, which {kind} does not hold; give --to {tables}")
    return dump_of(route_again(case, engine, progress), case.network)


def _part(kind: str, part: str | None) -> Part:
    parts_of = kinds()
    if kind not in parts_of:
        raise SpecError("--to", f"unknown format {kind[:40]!r}; {known_names(kind, parts_of, 'formats')}")
    if part is not None and part not in parts_of[kind]:
        raise SpecError("--of", f"{kind} holds the {' or the '.join(parts_of[kind])}, not the {part}")
    return next((given for given in parts_of[kind] if given == part), parts_of[kind][0])
