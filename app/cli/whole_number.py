"""Types of options whose values are whole numbers; argparse reports errors."""

import argparse
from collections.abc import Callable

MAX_WORKERS = 256


def whole_number(low: int, high: int = 10**9) -> Callable[[str], int]:
    """Return the argparse type of whole numbers from `low` to `high`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"must be a whole number from {low:,} to {high:,}")
        return int(text)

    return read


workers = whole_number(1, MAX_WORKERS)
"""The argparse type of a number of processes."""
