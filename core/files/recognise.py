"""Detects by its content whether a file of another tool has a network, job, mapping, routing or counters."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from core.counters.measured import Measured
from core.filekind import JSON, OTHERS, OURS, START, kind_of
from core.formats import FORMATS, FileFormat, by_text_inside, recognised
from core.job import AnyJob, Flows
from core.job.columns import columns_in, header_text
from core.job.traffic import form_of as job_form
from core.mapping import FromFile
from core.network import Edges
from core.routing import Tables
from core.spec import Spec, SpecError, file_field, members, name_for_scenario
from core.text import plural

FIELD = "file"
SCENARIO, TOUR, STUDY = OWN = "scenario", "tour", "study"
"""Fabriscope's own files, which a window can open."""
OWN_KINDS = {OURS: SCENARIO, OTHERS[b'"fabriscope_tour"']: TOUR, OTHERS[b'"fabriscope_study"']: STUDY}
OWN_ENDINGS = {".fabriscope.json": SCENARIO, ".fabriscope-tour.json": TOUR, ".fabriscope-study.json": STUDY}
"""Suffixes of Fabriscope's own files. If the content is not recognised, the reader of the suffix reports the error."""
MATRICES = ("a NumPy array (.npy)", "a Matrix Market file (.mtx)")
NETWORKS = {ending for form in FORMATS if form.part == "network" for ending in form.endings}
MAPPINGS = (".list", ".map")
"""Suffixes of files whose content is ambiguous."""
GRAPHS = {form.title for form in FORMATS if form.root and form.part == "network"}
WEIGHTED = re.compile(rb"(%.*\n|\s)*\d+ +\d+ +[01]*1\b")
"""First line of a METIS graph with edge weights."""
TABLE_OF_LINKS = ["src", "dst", "bytes"]
"""Columns of a table that is a trace or has counters."""
MAY_BE_OUTPUT = ("", JSON)
"""Kinds of files that may be the output of a program, which may begin with settings in braces."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
HOST = re.compile(r"[\w^][\w.:,@\[\]-]*")
"""Name of a host or several hosts, with a number of ranks."""
ASK = "specify network, job or mapping"


class AmbiguousFile(SpecError):
    """A file that fits several choices."""


def choices_of(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Return files by choice, as given by `choice_of`; several files of counters are readings at different times.

    Two tables that might be a trace or counters are counters, since there is only one job.

    Raises SpecError: if a file is not recognised, two files are of another choice, or one of `OWN` is not alone.
    """
    files: dict[str, list[Path]] = {}
    for path in paths:
        files.setdefault(choice_of(path), []).append(path)
    if len(files.get("job", [])) > 1 and all(map(may_count, files["job"])):
        files["counters"] = files.get("counters", []) + files.pop("job")
    for choice, named in files.items():
        if len(named) > 1 and choice != "counters":
            both = " and ".join(path.name for path in named[:2])
            raise SpecError(FIELD, f"{both} are both {choice} files; choose one of them")
    own = next((files[kind][0] for kind in OWN if kind in files), None)
    if own is not None and len(files) > 1:
        raise SpecError(FIELD, f"{own.name} must be opened alone, without other files")
    return files


def may_count(path: Path) -> bool:
    """Return whether a file is a table with the columns of counters of links, which may also be a trace."""
    return [name.lower() for name in _header(_start(path))] == TABLE_OF_LINKS


def choice_of(path: Path) -> str:
    """Return ``network``, ``job``, ``mapping``, ``routing`` or ``counters``, or the kind of our own file, as in `OWN`.

    Raises SpecError: if the file cannot be read, is not recognised, or is ambiguous.
    """
    start = _start(path)
    kind, form = kind_of(start, path.name), recognised(start)
    own = OWN_KINDS.get(kind) or (_own_by_name(path) if kind in ("", JSON) else None)
    if own is not None:
        return own
    form = form or (_by_text_inside(path) if _by_name(path, start) is None and kind in MAY_BE_OUTPUT else None)
    choice = form.part if form is not None else _by_name(path, start) or _by_kind(start, kind)
    if choice is None and kind:
        raise SpecError(FIELD, f"{path.name} is {kind}, not a supported network, job or mapping file")
    return choice or _by_words(path.name, start)


def imported(path: Path, choice: str, folder: Path | None) -> Spec:
    """Return the network, job, mapping, routing or counters that refer to a file, for a scenario in `folder`.

    Raises SpecError: if the file cannot be read.
    """
    name = name_for_scenario(path, folder)
    if choice == "counters":
        return Measured(after=name)
    if choice == "job":
        job = _job_type(path)
        return job(**{file_field(job): name})
    kinds: dict[str, Callable[..., Spec]] = {"network": Edges, "mapping": FromFile, "routing": Tables}
    return kinds[choice](file=name)


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(START)
    except OSError as error:
        raise SpecError(FIELD, f"{path.name} cannot be read: {error.strerror}") from error


def _job_type(path: Path) -> type[Spec]:
    form, types = recognised(_start(path)) or _by_text_inside(path), {job.tag(): job for job in members(AnyJob)}
    return types[form.job] if form is not None and form.job else Flows


def _own_by_name(path: Path) -> str | None:
    return next((kind for ending, kind in OWN_ENDINGS.items() if path.name.endswith(ending)), None)


def _by_name(path: Path, start: bytes) -> str | None:
    ending = path.suffix.lower()
    if ending == ".graph":  # graphs of traffic have weights; graphs of networks have none
        return "job" if WEIGHTED.match(start) else "network"
    if job_form(path, start) is not None:
        return "job"
    if ending in NETWORKS:
        return "network"
    return "mapping" if ending in MAPPINGS or path.name.startswith("MPICH_RANK_ORDER") else None


def _by_text_inside(path: Path) -> FileFormat | None:
    with path.open("rb") as file:
        return by_text_inside(file)


def _by_kind(start: bytes, kind: str) -> str | None:
    if kind in MATRICES or _names_volumes(start) or _names_tasks(start):
        return "job"
    return "network" if kind in (JSON, *GRAPHS) else None


def _plain_lines(start: bytes) -> list[str]:
    # Complete lines without comments; `start` may end within one.
    lines = start.decode("utf-8-sig", "replace").splitlines()
    lines = lines[: max(len(lines) - (len(start) == START), 1)]
    return [re.split("#|//|%", line)[0] for line in lines]


def _lines(start: bytes) -> list[list[str]]:
    # The words of complete lines.
    plain = (re.sub(r"[,;\t]", " ", line).split() for line in _plain_lines(start))
    return [words for words in plain if words]


def _names_volumes(start: bytes) -> bool:
    return columns_in(_header(start)) is not None


def _names_tasks(start: bytes) -> bool:
    # The corner of a matrix with names in its first row and column is empty.
    names = _header(start)
    return len(names) > 2 and not names[0]


def _header(start: bytes) -> list[str]:
    header = next((line for line in _plain_lines(start) if line.strip()), "")
    separator = next((mark for mark in ";\t," if mark in header), None)
    return [name.strip().strip('"') for name in header_text(header, separator).split(separator)]


def _by_words(name: str, start: bytes) -> str:
    """Return the choice for columns of words and numbers.

    Raises SpecError: if it is ambiguous.
    """
    lines = _lines(start)
    if not lines:
        raise SpecError(FIELD, f"{name} is empty")
    width, numbers = len(lines[-1]), all(NUMBER.fullmatch(word) for word in lines[-1])
    if not numbers:
        counted = all(words[-1].isdecimal() for words in lines)  # edges, or hosts with their numbers of ranks
        if width == 3 or (width == 2 and not counted):
            return "network"
        if width == 1 and HOST.fullmatch(lines[-1][0]):
            return "mapping"
    elif width > 3 and len(lines) == width:
        return "job"
    elif (len(lines[0]) == 1 and width in (1, 2)) or (b"," in start and not name.endswith(".csv")):
        return "mapping"
    elif width == 2:
        return "network"
    elif width > 6 and len(start) == START:
        return "job"
    elif width in (4, 6):
        return "mapping"
    columns = f"{plural(width, 'column')} of {'numbers' if numbers else 'words'}"
    raise AmbiguousFile(FIELD, f"{name} is ambiguous, with {columns}; {ASK}")
