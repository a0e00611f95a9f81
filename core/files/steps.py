"""CSV of the steps of a timeline, for spreadsheets and scripts."""

import csv
import io
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

from numpy.typing import ArrayLike

from core.files.atomic import write_atomically
from core.timing import Timeline


def write_steps(
    path: Path, timeline: Timeline, steps: int | None = None, *, more: Mapping[str, ArrayLike] | None = None
) -> None:
    """Write one row per step, for the first `steps` steps or, if None, for all.

    `more` holds further columns of shape ``(steps,)`` by name. Times are empty if volumes are message counts.

    Raises SpecError: if the file cannot be written.
    """
    text, columns = io.StringIO(), more or {}
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*timeline.columns, *columns))
    figures = zip(*columns.values(), strict=True) if columns else ((),) * len(timeline.steps)
    rows = zip(timeline.figures(), figures, strict=True)
    values = attrgetter(*timeline.columns)
    writer.writerows((*values(step), *extra) for step, extra in list(rows)[:steps])
    write_atomically(path, text.getvalue().encode(), "--csv")
