"""Whole numbers that options take; argparse says what is wrong with others."""

import argparse
from collections.abc import Callable

MAX_WORKERS = 256


def whole_number(low: int, high: int = 10**9) -> Callable[[str], int]:
    """Return what reads an option whose value is a whole number from `low` to `high`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"must be a whole number from {low:,} to {high:,}")
        return int(text)

    return read


workers = whole_number(1, MAX_WORKERS)
"""How many processes a command is told to start."""
