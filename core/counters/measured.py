"""The field of a scenario that names measured counters."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.counters.measured_links import MeasuredLinks, measured_links
from core.counters.reading import FIELD, Reading
from core.filekind import START
from core.formats import AUTO, by_ending, choice_of_format, read_of, recognised
from core.network.network import Network
from core.spec import Spec, declare, parsing, path_in_folder

if TYPE_CHECKING:
    Format = str
else:
    Format = choice_of_format("counters")
MAX_BYTES = 1 << 28
MAX_BETWEEN = 1000
"""Limit of the number of readings in between."""


File = Annotated[str, declare("After", "counters at the end of the interval", is_file=True, max_length=1024)]

Seconds = Annotated[
    float, declare("Interval", "length of the interval (default: unknown, values are relative)", unit="s", gt=0, le=1e9)
]


class Measured(Spec, frozen=True, tag=False):
    """Counters of a machine's ports before and after an interval, and perhaps in between."""

    after: File
    before: Annotated[
        File | None,
        declare("Before", "counters at its beginning, in the same format (default: counters began at 0)", is_file=True),
    ] = None
    seconds: Seconds | None = None
    between: Annotated[
        tuple[File, ...], declare("Between", "counters at times in between, in order of time", max_length=MAX_BETWEEN)
    ] = ()
    format: Annotated[Format, declare("Format", "format of the files (auto: detected from the content)")] = "auto"

    def build(self, network: Network, folder: Path | None) -> MeasuredLinks:
        """Return the counters by link, also by part of the interval if there are readings in between.

        Parts are as long as the files say, or else equally long.

        Raises SpecError: if a file is missing or invalid, or none of its ports belongs to the network.
        """
        after, source = self._read("after", self.after, folder)
        before = None if self.before is None else self._read("before", self.before, folder)[0]
        between = (self._read(f"between[{k}]", name, folder)[0] for k, name in enumerate(self.between))
        total = self.seconds if self.seconds is not None else _elapsed(before, after)
        measured = replace(measured_links(network, before, after, total), source=source)
        return replace(measured, intervals=self._intervals(network, [before, *between, after], total))

    def _intervals(
        self, network: Network, readings: Sequence[Reading | None], total: float | None
    ) -> tuple[MeasuredLinks, ...]:
        if not self.between:
            return ()
        equal = None if total is None else total / (len(readings) - 1)
        times = [_elapsed(*pair) for pair in pairwise(readings)]
        lengths = [equal] * len(times) if None in times else times
        return tuple(
            measured_links(network, early, late, seconds)
            for (early, late), seconds in zip(pairwise(readings), lengths, strict=True)
            if late is not None
        )

    def _read(self, field: str, name: str, folder: Path | None) -> tuple[Reading, str]:
        """Return the counters in a file, and the title of its format."""
        path = path_in_folder(f"measured.{field}", name, folder, MAX_BYTES)
        form = read_of("counters")[self._format_of(path)]
        with parsing(FIELD, path, "counters of ports"):
            reading: Reading = form.read(path)
        return reading, form.title

    def _format_of(self, path: Path) -> str:
        if self.format != AUTO:
            return self.format
        with path.open("rb") as file:
            form = recognised(file.read(START))
        if form is None or form.part != "counters":
            form = by_ending(path.name, "counters")
        return next(iter(read_of("counters"))) if form is None else form.id


def _elapsed(early: Reading | None, late: Reading | None) -> float | None:
    """Return the seconds between two readings; None if unknown."""
    if early is None or late is None or early.moment is None or late.moment is None or late.moment <= early.moment:
        return None
    return late.moment - early.moment
