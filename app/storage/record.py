"""The scenario and the figures recorded in reports and pages, from which anybody can check them."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from html.parser import HTMLParser
from math import isclose
from pathlib import Path
from typing import Any

import msgspec

from app import __version__
from core.figures.evaluation import Evaluation, evaluation_of
from core.files import decode, encode
from core.files.digest import digest_of
from core.files.scenario_file import MAX_BYTES
from core.load.bounds import Bound, bounds
from core.load.evaluate import LoadReport
from core.load.scenario import Scenario
from core.spec import SpecError

META = "fabriscope-record"
"""Name of the HTML elements that contain records."""
TOLERANCE = 1e-9
"""Relative difference up to which two figures are equal."""


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """A scenario with its figures, in a document."""

    version: str
    """Version of the program that wrote the document."""
    digest: str
    """Digest of the scenario (`core.files.digest`)."""
    figures: dict[str, Any]
    """Figures as printed by ``evaluate --json``."""
    scenario: str = ""
    """The scenario file, compressed by zlib, in base64; empty if the document does not include it."""
    name: str = ""
    """Name of the state in a document with several states."""

    @property
    def text(self) -> str:
        """Return the record as JSON."""
        return msgspec.json.encode(self).decode()


def record_of(report: LoadReport, known_bounds: tuple[Bound, ...], name: str = "") -> Record:
    """Return the record of an evaluated scenario; without bounds, they are computed."""
    scenario = report.case.scenario
    figures = msgspec.to_builtins(evaluation_of(report, known_bounds or bounds(report.case, report)))
    return Record(__version__, digest_of(scenario), figures, _compressed(scenario), name)


def _compressed(scenario: Scenario) -> str:
    try:
        return b64encode(zlib.compress(encode(scenario, scenario.folder), 9)).decode()
    except SpecError:  # names a file in another folder, so nobody else could read it
        return ""


def records_in(content: bytes) -> list[Record]:
    """Return the records in an HTML document.

    Raises SpecError: under ``file``, if there are none.
    """
    parser = _Parser()
    parser.feed(content.decode("utf-8", "replace"))
    try:
        records = [msgspec.json.decode(text, type=Record) for text in parser.records]
    except msgspec.MsgspecError as error:
        raise SpecError("file", f"contains an invalid record of a scenario: {error}") from error
    if not records:
        raise SpecError("file", "is a web page without a scenario; give a report or a page of this program")
    return records


class _Parser(HTMLParser):
    """Collects the contents of the elements with records."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the content of an element with a record."""
        given = dict(attrs)
        if tag == "meta" and given.get("name") == META:
            self.records.append(given.get("content") or "")


def scenario_in(record: Record, folder: Path) -> Scenario:
    """Return the scenario of a record; the files that it names are in `folder`.

    Raises SpecError: if it is not included or invalid.
    """
    if not record.scenario:
        raise SpecError("file", "does not include its scenario, which names files in another folder")
    try:
        content = zlib.decompressobj().decompress(b64decode(record.scenario), MAX_BYTES)
    except (ValueError, zlib.error) as error:
        raise SpecError("file", "contains an invalid record of a scenario; write the report again") from error
    return decode(content, folder)


class Change(msgspec.Struct, frozen=True):
    """A figure in a document that differs from the current figure."""

    figure: str
    recorded: Any
    current: Any


def changes(recorded: dict[str, Any], current: Evaluation) -> list[Change]:
    """Return the figures of a document that differ from current figures; figures that it does not have are ignored."""
    new = dict(_leaves(msgspec.to_builtins(current)))
    return [Change(name, value, new.get(name)) for name, value in _leaves(recorded) if not _equal(value, new.get(name))]


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    # Single values, named by their keys: classes.LR.max_load.
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _leaves(part, f"{name}[{number}]")
    else:
        yield name, value


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, int | float):
        return isclose(a, b, rel_tol=TOLERANCE)
    return bool(a == b)
