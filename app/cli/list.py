"""`list`: names of the presets, tours, machines, studies and formats that commands accept."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from app.cli.json_output import declare_json, print_json

EPILOG = """\
presets and machines are accepted wherever a command takes a scenario file or a network; tours by tour and film;
studies by study. Formats are read as parts of scenarios, and written by export.
"""
WIDTH = 100
"""Longest summary of one line, in characters."""


class Listed(Struct, frozen=True):
    """A name with its summary."""

    name: str
    summary: str


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("kind", choices=KINDS, help="what to list")
    declare_json(parser, list[Listed])
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print names, one per line, with their summaries."""
    rows = list(KINDS[options.kind]())
    options.live.end()
    if options.json:
        print_json(rows)
        return 0
    width = max(len(row.name) for row in rows)
    for row in rows:
        print(f"{row.name:<{width}}  {_shortened(row.summary)}".rstrip())
    return 0


def _shortened(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[:WIDTH].rpartition(' ')[0]} …"


def presets() -> Iterator[Listed]:
    """Yield the presets with the first lines of their notes."""
    from app.storage.presets import preset, preset_names

    return (Listed(name, _first(preset(name).note)) for name in preset_names())


def tours() -> Iterator[Listed]:
    """Yield the built-in tours with their titles."""
    from app.storage.tours import tour_content, tour_names
    from app.tour.tour_file import decode_tour

    return (Listed(name, decode_tour(tour_content(name)).title) for name in tour_names())


def machines() -> Iterator[Listed]:
    """Yield the real machines with their sources."""
    from core.network import AnyNetwork
    from core.spec import members

    return (Listed(name, note) for spec in members(AnyNetwork) for name, note in spec.preset_notes.items())


def studies() -> Iterator[Listed]:
    """Yield the built-in studies with the first lines of their notes."""
    from app.storage.studies import builtin_study, study_names

    return (Listed(name, _first(builtin_study(name).file.note)) for name in study_names())


def formats() -> Iterator[Listed]:
    """Yield all file formats: of what part, and whether they are read and written."""
    from core.formats import FORMATS

    return (Listed(form.id, f"{form.part}: {_use(form)}") for form in FORMATS)


def _use(form: Any) -> str:
    read = [f"read as {form.title or form.called}"] * bool(form.reader)
    return ", ".join([*read, *[f"written as {form.written}"] * bool(form.writer)])


def _first(note: str) -> str:
    return note.partition("\n")[0]


KINDS: dict[str, Callable[[], Iterator[Listed]]] = {
    "presets": presets,
    "tours": tours,
    "machines": machines,
    "studies": studies,
    "formats": formats,
}
"""What can be listed."""
