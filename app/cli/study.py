"""`study`: figures of a scenario for every combination of some of its fields, on all cores or on a cluster."""

import argparse
import sys
import time
from pathlib import Path

import msgspec

from app.cli.progress_line import write_line
from app.model.search_run import cores
from core.spec import SpecError
from core.study.sweep.run import Summary, run_study
from core.study.sweep.study import Study, read_study
from core.text import plural

BAR = 24
"""Characters of the bar."""
TICK = 0.2
"""Seconds between two looks at the line."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="study file (.fabriscope-study.json)")
    parser.add_argument(
        "--out", type=Path, metavar="R.csv|R.parquet", help="where the table goes, a row for each point"
    )
    parser.add_argument("--workers", type=_workers, default=cores(), metavar="N", help="processes (default: all cores)")
    parser.add_argument("--cluster", metavar="tcp://HOST:PORT", help="a Dask scheduler, whose workers are used instead")
    parser.add_argument("--resume", action="store_true", help="go on with the table that is there")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def _workers(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 256:
        raise ValueError
    return count


def run(options: argparse.Namespace) -> int:
    """Run a study, as its options say."""
    study = read_study(options.file)
    if options.out is None:
        raise SpecError("--out", "name the table to write, such as results.csv or results.parquet")
    options.live.end()
    line = _Line(study, sys.stderr.isatty() and not options.json)
    try:
        found = run_study(
            study, options.out, workers=options.workers, cluster=options.cluster, resume=options.resume,
            on_row=lambda row: line.step(),
        )  # fmt: skip
    finally:
        line.clear()
    _print(options, found)
    return 0


def _print(options: argparse.Namespace, found: Summary) -> None:
    if options.json:
        print(msgspec.json.encode(found).decode())
        return
    failed = f", {plural(found.failed, 'point')} failed: see the column error" if found.failed else ""
    print(f"{plural(found.points, 'point')} in {found.seconds:.1f} s{failed}")
    print(f"written: {options.out}")


class _Line:
    """A bar, how many points a second, and about how long the rest takes."""

    def __init__(self, study: Study, shows: bool) -> None:
        self._points, self._shows = len(study.points), shows
        self._begun = self._shown = time.monotonic()
        self._done = 0

    def step(self) -> None:
        """Note that a point has ended."""
        self._done += 1
        now = time.monotonic()
        if self._shows and now >= self._shown + TICK:
            self._shown = now
            rate = self._done / (now - self._begun)
            full = BAR * self._done // self._points
            bar = "█" * full + "░" * (BAR - full)
            left = (self._points - self._done) / rate
            write_line(
                sys.stderr, f"{bar} {self._done:,} of {self._points:,}  {rate:,.1f} a second  {left:,.0f} s left"
            )

    def clear(self) -> None:
        """Take the line away."""
        if self._shows:
            write_line(sys.stderr, "")
