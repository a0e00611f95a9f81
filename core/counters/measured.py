"""The field of a scenario that names measured counters."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.counters.link_finder import LinkFinder
from core.counters.measured_links import MeasuredLinks, measured_links
from core.counters.reading import FIELD, Reading
from core.filekind import START
from core.formats import AUTO, FileFormat, by_ending, choice_of_format, read_of, recognised
from core.network.network import Network
from core.spec import Progress, Spec, SpecError, declare, errors_naming, no_progress, parsing, path_in_folder

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

Scale = Annotated[
    float,
    declare(
        "Scale", "GB/s (without an interval: GB) per unit of predicted load (default: fitted to the counters)",
        gt=0, le=1e12,
    ),
]  # fmt: skip


class Measured(Spec, frozen=True, tag=False, kw_only=True):
    """Counters of a machine's ports before and after an interval, and perhaps in between."""

    before: Annotated[
        File | None,
        declare("Before", "counters at the beginning of the interval (default: counters began at 0)", is_file=True),
    ] = None
    between: Annotated[
        tuple[File, ...], declare("Between", "counters at times in between, in order of time", max_length=MAX_BETWEEN)
    ] = ()
    after: File
    seconds: Seconds | None = None
    scale: Scale | None = None
    format: Annotated[Format, declare("Format", "format of the files (auto: detected from the content)")] = "auto"

    def build(self, network: Network, folder: Path | None, progress: Progress = no_progress) -> MeasuredLinks:
        """Return the counters by link, also by part of the interval if there are readings in between.

        Parts are as long as the files say, or else equally long.

        Raises SpecError: if a file is missing or invalid, or none of its ports belongs to the network. Raises
        Cancelled: when `progress` does.
        """
        before = None if self.before is None else self._read("before", self.before, folder)[0]
        files = [*((f"between[{k}]", name) for k, name in enumerate(self.between)), ("after", self.after)]
        finder, early, source = LinkFinder(network), before, ""
        parts, moments = list[MeasuredLinks](), [None if before is None else before.moment]
        for number, (field, name) in enumerate(files):
            progress(number / len(files))
            late, source = self._read(field, name, folder)
            moments.append(late.moment)
            with _errors_at(field), errors_naming(FIELD, Path(name)):
                parts.append(measured_links(finder, early, late, None))
            early = late
        total = self.seconds if self.seconds is not None else _elapsed(moments[0], moments[-1])
        if not self.between:
            return replace(parts[0], source=source, seconds=total, scale=self.scale)
        over_all = measured_links(finder, before, late, total)
        intervals = tuple(replace(part, scale=self.scale) for part in _lasting(parts, moments, total))
        return replace(over_all, source=source, scale=self.scale, intervals=intervals)

    def _read(self, field: str, name: str, folder: Path | None) -> tuple[Reading, str]:
        """Return the counters in a file, and the title of its format."""
        path = path_in_folder(f"measured.{field}", name, folder, MAX_BYTES)
        form = _form_of(path, self.format)
        with _errors_at(field):
            return _read_as(form, path), form.title


@contextmanager
def _errors_at(field: str) -> Iterator[None]:
    """Move errors in counters to the field of their file."""
    try:
        yield
    except SpecError as error:
        if error.field != FIELD:
            raise
        raise type(error)(f"{FIELD}.{field}", error.message) from error


def reading_of(path: Path) -> Reading:
    """Return the counters in a file, whose format is detected.

    Raises SpecError: if it cannot be read.
    """
    checked = path_in_folder(FIELD, str(path.resolve()), None, MAX_BYTES)
    return _read_as(_form_of(checked, AUTO), checked)


def _read_as(form: FileFormat, path: Path) -> Reading:
    with parsing(FIELD, path, "counters of ports"):
        reading: Reading = form.read(path)
    return reading


def _form_of(path: Path, name: str) -> FileFormat:
    forms = read_of("counters")
    if name != AUTO:
        return forms[name]
    with path.open("rb") as file:
        form = recognised(file.read(START))
    if form is None or form.part != "counters":
        form = by_ending(path.name, "counters")
    return form or next(iter(forms.values()))


def _lasting(
    parts: Sequence[MeasuredLinks], moments: Sequence[float | None], total: float | None
) -> tuple[MeasuredLinks, ...]:
    """Return the parts of an interval with their lengths, given the moments of the readings."""
    times = [_elapsed(*pair) for pair in pairwise(moments)]
    if None in times:
        times = [None if total is None else total / len(parts)] * len(parts)
    return tuple(replace(part, seconds=seconds) for part, seconds in zip(parts, times, strict=True))


def _elapsed(early: float | None, late: float | None) -> float | None:
    """Return the seconds between two moments; None if unknown."""
    return None if early is None or late is None or late <= early else late - early
