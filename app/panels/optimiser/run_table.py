"""The searches so far, side by side in a table."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent

from app.model.search_run import SearchRun
from app.widgets.array_table import ArrayTable, Column
from app.wording.numbers import EQUAL, factor, figure_text, gbs, short_number, time_text
from core.text import duration

ALL_PX, COUNTS_PX, START_PX = 560, 420, 290
"""Minimum widths to show all columns, the columns on mappings, and the column of the start."""
TIMES_PX = 80
"""Width of the column of times, for traced flows."""


RATIO_TIP = "Upper bound ÷ best throughput, or best time ÷ lower bound: 1 is optimal"


class RunTable(ArrayTable):
    """Shows runs, the latest first."""

    chosen = Signal(object)
    """The SearchRun of the chosen row, or None."""
    used = Signal(object)
    """The SearchRun of the row that was double-clicked or activated by Enter."""

    def __init__(self) -> None:
        super().__init__(run_columns((), ALL_PX))
        self.runs: tuple[SearchRun, ...] = ()
        """The runs by row of the table's source."""
        self.setAccessibleName("Runs")
        self.selectionModel().currentRowChanged.connect(lambda index: self.chosen.emit(self.run_at(index)))
        self.activated.connect(lambda index: self.used.emit(self.run_at(index)))

    def show_runs(self, runs: Sequence[SearchRun], chosen: SearchRun | None) -> None:
        """Show runs in their current state, without a signal."""
        shown, self.runs = self.runs, tuple(reversed(runs))
        columns = run_columns(self.runs, self.usual_width)
        with QSignalBlocker(self.selectionModel()):
            if numbers(shown) == numbers(self.runs):
                self.renew_columns(columns)
            else:
                self.set_columns(columns)
            self._choose(self.runs.index(chosen) if chosen in self.runs else -1)

    def _choose(self, row: int) -> None:
        if row >= 0 and self.currentIndex() != self.view_index(row):
            self.setCurrentIndex(self.view_index(row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the columns for which there is room."""
        super().resizeEvent(event)
        columns = run_columns(self.runs, self.usual_width)
        if len(columns) != len(self.source.columns):
            with QSignalBlocker(self.selectionModel()):
                chosen = self.currentIndex()
                row = self.source_row(chosen) if chosen.isValid() else -1
                self.set_columns(columns)
                self._choose(row)

    def run_at(self, index: QModelIndex) -> SearchRun | None:
        """Return the run of a row on screen."""
        return self.runs[self.source_row(index)] if index.isValid() else None


def run_columns(runs: Sequence[SearchRun], width: int) -> list[Column]:
    """Return the columns of runs for a table of some width: the most important ones if it is narrow."""
    units = {run.unit for run in runs}
    unit = units.pop() if len(units) == 1 else ""
    head = f", {unit.partition(' per ')[0]}" if unit else ""
    figures = _figures(rising=bool(unit) and runs[0].rising)
    times = _times(runs)
    columns = [
        Column("#", "Run number; ✓: its best mapping was kept", [r.number for r in runs], _numbers(runs)),
        Column("goal", "Objective", _titles(runs, "objective"), str, False, True),
        Column("method", "Method, or routes", _methods(runs), str, False, True),
        Column("start", "Value of the initial mapping", [_key(r.start) for r in runs], figures),
        Column(f"best{head}", "Value of the best mapping", [_key(r.best) for r in runs], figures),
        *times,
        Column(_ratio_title(runs), RATIO_TIP, [_key(r.gap) for r in runs], _gap),
        Column("mappings", "Number of mappings evaluated", [r.steps for r in runs], short_number),
        Column("per s", "Mappings evaluated per second", [r.pace or 0.0 for r in runs], short_number),
        Column("searched", "Duration of the search", [r.seconds for r in runs], time_text),
        Column("seed", "Random seed", [r.request.seed for r in runs], str),
    ]
    left_out = _left_out(width - TIMES_PX * len(times), bool(unit))
    return [column for column in columns if column.title not in left_out]


def _ratio_title(runs: Sequence[SearchRun]) -> str:
    titles = {run.ratio_title for run in runs if run.bound is not None}
    return titles.pop() if len(titles) == 1 else "bound ÷ best"


def _left_out(width: int, alike: bool) -> set[str]:
    """Return the columns to omit; with several objectives the objective is shown, as figures need it."""
    if width >= ALL_PX:
        return set()
    omitted = {"seed", "goal" if alike else "method"}
    if width < COUNTS_PX:
        omitted |= {"mappings", "per s"}
    return omitted | ({"start"} if width < START_PX else set())


def numbers(runs: Sequence[SearchRun]) -> list[int]:
    """Return the numbers of runs."""
    return [run.number for run in runs]


def _titles(runs: Sequence[SearchRun], name: str) -> list[str]:
    return [getattr(run.request, name).title for run in runs]


def _methods(runs: Sequence[SearchRun]) -> list[str]:
    return ["routes" if run.routes else run.request.method.title for run in runs]


def _numbers(runs: Sequence[SearchRun]) -> Callable[[int], str]:
    kept = {run.number for run in runs if run.kept}
    return lambda number: f"✓ {number}" if number in kept else str(number)


def _key(value: float | None) -> float:
    # Unknown values sort last, and are written as a dash.
    return -1.0 if value is None else value


def _figures(*, rising: bool) -> Callable[[float], str]:
    return lambda value: "–" if value < 0 else gbs(value) if rising else figure_text(value)


def _times(runs: Sequence[SearchRun]) -> list[Column]:
    # Only if there are runs of traced flows.
    if not any(run.times for run in runs):
        return []
    best = [_key(run.times[1] if run.times else None) for run in runs]
    return [
        Column(
            "t",
            "Time of the best mapping",
            best,
            lambda value: "–" if value < 0 else duration(value),
        )
    ]


def _gap(share: float) -> str:
    return "–" if share < 0 else "optimal" if share <= EQUAL else factor(1 + share)
