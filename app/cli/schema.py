"""`schema`: every choice, field, unit, bound and default, as text or JSON Schema."""

import argparse

import msgspec

from app.cli.help import text_width
from app.wording.reference import whole_text
from core.files.schema import scenario_schema


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.add_argument(
        "--json", action="store_true", help="print the JSON Schema (draft 2020-12) of scenario files instead of text"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the reference or the JSON Schema."""
    options.live.end()
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(scenario_schema()), indent=2).decode())
    else:
        print(whole_text(text_width()))
    return 0
