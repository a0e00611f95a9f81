"""`study`: figures of a scenario for every combination of values of some fields, on all cores or on a cluster.

Ctrl-C and SIGTERM end it with exit status 130 or 143. All completed points are in the table, and --resume adds the
rest.
"""

import argparse
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_cluster, declare_epilog, declare_workers
from app.cli.progress_line import ProgressLine, bar
from app.cli.streams import Terminated, complain, print_written, separate_output
from app.cli.study_argument import MEASURES, STUDY_HELP, study_given
from app.model.search_run import cores
from core.files.atomic import STANDARD, write_atomically
from core.files.scratch import scratch_folder
from core.spec import SpecError
from core.sweep.plan import StudyPlan, plan
from core.sweep.results import SUFFIXES, Row
from core.sweep.run import Summary, run_study
from core.sweep.study import Study
from core.text import duration, plural

REDRAW_SECONDS = 0.2
"""Minimum time between two updates of the progress line."""
EPILOG = """\
Without a study file:  fabriscope study power775-halo --vary network.d_links=1,2,4 --measure throughput_gbs --out r.csv

A study file is JSON:

    {"fabriscope_study": 1,
     "base": {... a scenario, without the key "fabriscope" ...},
     "vary": {"network.d_links": [1, 2, 4], "mapping": [{"type": "sequential"}, {"type": "mod-colour"}],
              "job.seed": {"from": 1, "to": 20, "step": 1}},
     "combine": "product",
     "where": ["network.d_links <= 2", "mapping.type != \\"random\\"", "job.rows == job.cols"],
     "measure": ["throughput_gbs", "bottleneck", "classes.LR.max_load", "metrics.diameter", "timeline.seconds"],
     "optimise": {"seconds": 5, "seed": 1}}

Keys of a study file; only base and measure are required:
  base        a scenario
  vary        paths of fields of the scenario, including allocation, down and neighbours, each with a list of values (a
              choice is an object) or a range that includes both ends
  combine     product (default: every combination, with the last path varying fastest) or zip (corresponding values)
  where       conditions that every point must meet, with <=, >=, ==, !=, < or >
  measure     figures that evaluate --json prints, or with the prefix metrics., timeline. or optimise. figures that
              these commands print; 'fabriscope help figures' lists all
  optimise    search for a better mapping before each point is measured, with seconds, steps, seed, unit and within as
              in optimise, and objective and method as objects with a type

The table has the columns point, the varied paths, the measures, optimise.steps (mappings tried, with optimise only),
cpu_seconds, seconds and error. A point that fails is a row with its error. Searches limited by seconds try fewer
mappings on a busy machine; limit them by steps if their figures are to be compared.

Completed points are always saved, even if the program is ended. --resume adds the missing points, also to tables of
earlier versions, where new columns stay empty in old rows. The exit status is 1 if points were lost because their
processes were killed.

To use several hosts, run `python -m dask scheduler` on one of them and, in this program's folder on each of them,
`python -m dask worker tcp://HOST:8786 --nthreads 1 --nworkers -1`. Then use --cluster tcp://HOST:8786. Anyone who can
connect to the scheduler can run code on all these hosts.
"""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("file", type=Path, metavar="FILE", help=STUDY_HELP)
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="PATH=V,V,...",
        help="vary a field of a scenario, such as network.d_links=1,2,4 or job.seed=1..20, or a choice, such as "
        "'mapping=sequential;random:seed=3'; can be repeated; FILE is then a scenario file or a preset",
    )
    parser.add_argument(
        "--measure",
        metavar="NAME,NAME,...",
        help=f"figures to measure with --vary, such as throughput_gbs,metrics.diameter (default: {MEASURES})",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="OUT.csv|OUT.parquet",
        help="write the table with a row per point; - writes CSV to standard output",
    )
    parser.add_argument("--plan", action="store_true", help="print the number of points and a time estimate")
    declare_workers(parser, cores())
    declare_cluster(parser)
    parser.add_argument("--resume", action="store_true", help="add the missing points to an existing table")
    declare_json(parser, Summary, StudyPlan)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run a study, or estimate its time."""
    if options.out is None and not options.plan:
        raise SpecError("--out", "is missing; give the table to write, such as results.csv or results.parquet")
    options.live.stage("reading")
    study = study_given(options.file, options.vary, options.measure)
    if options.plan:
        return _plan(study, options)
    options.live.end()
    with separate_output(options, "out", *SUFFIXES), _table(options) as path:
        summary = run_points(study, path, options)
        _print(summary, options)
    return 1 if summary.lost else 0


@contextmanager
def _table(options: argparse.Namespace) -> Iterator[Path]:
    # A table grows row by row in a file. For standard output, the file is copied there when the study ends for any
    # reason.
    if options.out != STANDARD:
        yield options.out
        return
    if options.resume:
        raise SpecError("--resume", "requires --out with the file of the existing table")
    with scratch_folder() as folder:
        path = folder / "results.csv"
        try:
            yield path
        finally:
            if path.exists():
                write_atomically(STANDARD, path.read_bytes(), "--out")


def run_points(study: Study, path: Path, options: argparse.Namespace) -> Summary:
    """Compute the points of a study with --workers, --cluster and --resume of the options, and show progress.

    Raises SpecError: if the table or the cluster cannot be used. Raises KeyboardInterrupt: on Ctrl-C and SIGTERM, once
    completed points are written.
    """
    line = _Line(len(study.points), options.live, options.cluster)
    try:
        with _signals() as received:
            summary = run_study(
                study, path, workers=options.workers, cluster=options.cluster, resume=options.resume,
                on_open=line.open, on_row=line.step, on_workers=line.count,
                cancelled=lambda: line.show() or bool(received),
            )  # fmt: skip
    finally:
        options.live.erase()
    if received and summary.done < summary.points:
        saved = f"in {options.out}; use --resume to add the rest" if options.out != STANDARD else "written"
        complain(f"stopped; completed points are {saved}" if summary.done else "stopped before a point was completed")
        raise Terminated if received[0] == signal.SIGTERM else KeyboardInterrupt
    return summary


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Record Ctrl-C and SIGTERM instead of raising them, since exceptions inside Dask's destructors would be lost."""
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda number, frame: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _plan(study: Study, options: argparse.Namespace) -> int:
    estimate = plan(study, options.workers, options.live.stage("timing a few points"))
    options.live.end()
    if options.json:
        print_json(estimate)
        return 0
    workers = plural(estimate.workers, "worker")
    print(f"{plural(estimate.points, 'point')}, about {duration(estimate.seconds)} on {workers}")
    print(f"estimated from {plural(estimate.timed, 'point')}; worker start-up adds a few seconds")
    return 0


def _print(summary: Summary, options: argparse.Namespace) -> None:
    if options.json:
        print_json(summary)
        return
    for note in summary.notes:
        complain(note)
    print(f"{plural(summary.points, 'point')} in {summary.seconds:.1f} s, {summary.failed:,} failed")
    print_written(options.out, options)


class _Line:
    """A progress line: a bar, points per second, and the estimated remaining time."""

    def __init__(self, points: int, live: ProgressLine, cluster: str | None = None) -> None:
        self._points, self._live, self._cluster = points, live, cluster
        self._waits = False
        self._begun: float | None = None
        self._shown = 0.0
        self._before = self._done = 0

    def open(self, done: int) -> None:
        """Begin with the number of points that are already done."""
        self._before = self._done = done

    def step(self, row: Row) -> None:
        """Count a finished point."""
        self._done += 1
        if self._begun is None:  # excludes the start of the workers from the speed
            self._begun, self._before = time.monotonic(), self._done

    def count(self, workers: int) -> None:
        """Set the number of workers; the line shows when there are none."""
        self._waits = workers == 0 and self._cluster is not None
        if self._waits and not self._live.shows:
            complain(f"{self._cluster} has no workers; waiting for one")

    def show(self) -> bool:
        """Update the line from time to time; as a progress function it never cancels."""
        now = time.monotonic()
        if self._live.shows and now >= self._shown + REDRAW_SECONDS:
            self._shown = now
            done = round(self._done / self._points, 4)
            self._live.write("points", self.words(now), done=done, finished=self._done, seconds_left=self._left(now))
        return False

    def words(self, now: float) -> str:
        """Return the line."""
        done = f"{bar(self._done / self._points)} {self._done:,} of {self._points:,}"
        if self._waits:
            return f"{done}  waiting: {self._cluster} has no workers"
        rate, left = self._rate(now), self._left(now)
        return f"{done}  starting" if left is None else f"{done}  {rate:,.1f} points/s  {duration(left, 2)} left"

    def _rate(self, now: float) -> float:
        begun = now if self._begun is None else self._begun
        return (self._done - self._before) / max(now - begun, REDRAW_SECONDS)

    def _left(self, now: float) -> float | None:
        rate = self._rate(now)
        return (self._points - self._done) / rate if rate else None
