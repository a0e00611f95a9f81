"""JSON output: one line instead of text."""

import argparse
from typing import Any

import msgspec


def declare_json(parser: argparse.ArgumentParser, *results: Any) -> None:
    """Add --json to the parser; `results` are the types of the output."""
    parser.set_defaults(results=results)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def print_json(figures: Any) -> None:
    """Print a struct, list or dictionary as one line of JSON."""
    print(msgspec.json.encode(figures).decode())
