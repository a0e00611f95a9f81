"""The option `--failures` of searches: a number of cables, or a file that lists failures."""

from collections import defaultdict
from pathlib import Path

import msgspec

from core.figures.resilience import COMPONENTS
from core.files.atomic import shown
from core.network import AnyFault
from core.network.network import Network
from core.optimise.objective import MAX_CABLES
from core.spec import SpecError, from_plain
from core.sweep.results import read_results
from core.sweep.study import FAULTS

OPTION = "--failures"
EXPECTED = f"give a number from 1 to {MAX_CABLES}, a file of fabriscope resilience, or a JSON list of faults"


class _Row(msgspec.Struct):
    failure: str


class _Resilience(msgspec.Struct):
    rows: list[_Row]


def failures_given(text: str, network: Network) -> int | tuple[AnyFault, ...]:
    """Return the failures of an option, or the number of worst cables.

    Raises SpecError: if the number is out of range, or the file is invalid or names no component of the network.
    """
    if text.isascii() and text.isdigit():
        if len(text) < 20 and 1 <= int(text) <= MAX_CABLES:
            return int(text)
        raise SpecError(OPTION, f"is {text}; {EXPECTED}")
    path = Path(text)
    failures = _in_table(path) if path.suffix.lower() in (".csv", ".parquet") else _in_json(path, network)
    if not failures:
        raise SpecError(OPTION, f"{shown(path.name)} lists no failures; {EXPECTED}")
    return tuple(failures)


def _in_table(path: Path) -> list[AnyFault]:
    # The faults of a point end with its failure, as in `core.sweep.failures`; pairs repeat failures.
    try:
        lists = [from_plain(msgspec.json.decode(row[FAULTS]), list[AnyFault]) for row in read_results(path).rows]
    except SpecError as error:
        raise SpecError(OPTION, f"{error.message}; {EXPECTED}") from error
    except (KeyError, TypeError, msgspec.DecodeError) as error:
        raise SpecError(OPTION, f"{shown(path.name)} has no failures in a column {FAULTS}; {EXPECTED}") from error
    return list(dict.fromkeys(faults[-1] for faults in lists if faults))


def _in_json(path: Path, network: Network) -> list[AnyFault]:
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise SpecError(OPTION, f"cannot read {shown(str(path))}; {EXPECTED}") from error
    try:
        if content.lstrip().startswith(b"["):
            return msgspec.json.decode(content, type=list[AnyFault])
        return _named([row.failure for row in msgspec.json.decode(content, type=_Resilience).rows], network)
    except msgspec.DecodeError as error:
        raise SpecError(OPTION, f"{shown(path.name)}: {error}; {EXPECTED}") from error


def _named(names: list[str], network: Network) -> list[AnyFault]:
    # Components of equal names, such as parallel cables, in order.
    by_name: dict[str, list[AnyFault]] = defaultdict(list)
    for components in COMPONENTS.values():
        for fault in components(network):
            by_name[fault.what(network)].append(fault)
    return [_next(name, by_name) for name in names]


def _next(name: str, by_name: dict[str, list[AnyFault]]) -> AnyFault:
    if not by_name.get(name):
        raise SpecError(OPTION, f"this network has no {shown(name)!r}; use a file of resilience for this network")
    return by_name[name].pop(0)
