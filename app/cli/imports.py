"""Prints the contents of files of other tools."""

import argparse
from collections.abc import Iterable

from core.files.import_report import ImportReport


def print_imports(reports: Iterable[ImportReport], options: argparse.Namespace) -> None:
    """Print the format and the contents of each file if ``-v`` is given; notes are printed with the results."""
    if not getattr(options, "verbose", False):
        return
    for report in reports:
        for line in report.lines[: len(report.contents)]:
            print(f"read: {line}")
