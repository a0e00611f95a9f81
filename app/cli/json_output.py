"""Figures for programs: one line of JSON instead of text."""

import argparse
from typing import Any

import msgspec


def declare_json(parser: argparse.ArgumentParser) -> None:
    """Add the option of JSON to the parser."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def print_json(figures: Any) -> None:
    """Print a struct, or the elements of lists and dictionaries."""
    print(msgspec.json.encode(figures).decode())
