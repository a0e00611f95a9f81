"""`schema`: every choice, field, unit, bound and default, as text or JSON Schema."""

import argparse
from typing import Any

import msgspec

from app.cli.commands import COMMANDS, declare_command
from app.cli.help import text_width
from app.wording.reference import whole_text
from core.files.schema import file_schema, scenario_schema
from core.spec import SpecError
from core.text import known_names

SCENARIO = "scenario"
FILES = (SCENARIO, "study", "tour")


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.add_argument(
        "kind", nargs="?", choices=FILES, help="print the JSON Schema of this kind of file (--json: scenario)"
    )
    parser.add_argument("--json", action="store_true", help="print the JSON Schema (draft 2020-12) instead of text")
    parser.add_argument("--of", metavar="COMMAND", help="print the JSON Schema of a command's output with --json")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the reference or a JSON Schema."""
    options.live.end()
    if options.of is not None:
        _print(output_schema(options.of))
    elif options.json or options.kind is not None:
        _print(schema_of(options.kind or SCENARIO))
    else:
        print(whole_text(text_width()))
    return 0


def schema_of(kind: str) -> dict[str, Any]:
    """Return the schema of a kind of file."""
    from app.model.scenes import Tour
    from core.sweep.study import StudyFile

    files: dict[str, type[msgspec.Struct]] = {"study": StudyFile, "tour": Tour}
    return file_schema(kind, files[kind]) if kind in files else scenario_schema()


def output_schema(command: str) -> dict[str, Any]:
    """Return the schema of a command's output with --json.

    Raises SpecError: if it prints no JSON.
    """
    from core.figures.schema import result_schema

    results = results_of_commands()
    if command not in results:
        raise SpecError("--of", f"{command!r} prints no JSON; {known_names(command, list(results), 'commands')}")
    return result_schema(command, results[command])


def results_of_commands() -> dict[str, tuple[Any, ...]]:
    """Return the types of each command's output with --json."""
    parsers = {name: argparse.ArgumentParser(add_help=False) for name in COMMANDS}
    for name, parser in parsers.items():
        declare_command(parser, name)
    return {name: parser.get_default("results") for name, parser in parsers.items() if parser.get_default("results")}


def _print(schema: dict[str, Any]) -> None:
    print(msgspec.json.format(msgspec.json.encode(schema), indent=2).decode())
