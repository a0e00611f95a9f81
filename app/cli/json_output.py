"""Figures for programs: one line of JSON in place of words."""

import argparse
from typing import Any

import msgspec


def declare_json(parser: argparse.ArgumentParser) -> None:
    """Give the parser the option of JSON."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def print_json(figures: Any) -> None:
    """Print a struct, or what lists and dictionaries are made of."""
    print(msgspec.json.encode(figures).decode())
