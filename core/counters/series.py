"""Several files of counters of one machine, in the order of their times."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from core.counters.measured import Measured, reading_of
from core.spec import name_for_scenario
from core.text import natural_order, plural


class Series(NamedTuple):
    """Files of counters as the field of a scenario."""

    measured: Measured
    by_time: bool
    """Whether the files are in the order of the times that they contain, and not of their names."""

    @property
    def order(self) -> str:
        """Return the order taken, in words."""
        files, between = self.measured, len(self.measured.between)
        first, last = (Path(name or "").name for name in (files.before, files.after))
        rest = f", {plural(between, 'file')} in between" if between else ""
        return f"Counters in order of {'time' if self.by_time else 'name'}: {first} before, {last} after{rest}"


def series_of(paths: Sequence[Path], folder: Path | None) -> Series:
    """Return two or more files as readings before, in between and after, for a scenario in `folder`.

    They are in the order of their times if every file contains a different one, or else of their names.

    Raises SpecError: if a file cannot be read.
    """
    named = sorted(paths, key=lambda path: (natural_order(path.name), path))
    moments = [reading_of(path).moment for path in named]
    times = [moment for moment in moments if moment is not None]
    by_time = len({*times}) == len(named)
    order = sorted(range(len(named)), key=lambda k: times[k]) if by_time else range(len(named))
    before, *between, after = (name_for_scenario(named[k], folder) for k in order)
    return Series(Measured(before=before, between=tuple(between), after=after), by_time)
