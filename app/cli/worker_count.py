"""How many processes a command is told to start."""

import argparse

MAX_WORKERS = 256


def workers(text: str) -> int:
    """Return the number of ``--workers``; argparse says what is wrong with others."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_WORKERS):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MAX_WORKERS}")
    return int(text)
