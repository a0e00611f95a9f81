"""Counters of the interval between two readings."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.counters.reading import WORD, Key, Kind, Reading, Samples, Values, name_of, wrong
from core.text import first_few

NONE = Samples((), np.zeros((3, 0)), np.zeros((3, 0)))


class Amounts(NamedTuple):
    """What ports or links of one kind have counted in an interval."""

    keys: Sequence[Key]
    values: Values
    """Bytes sent, bytes received and ticks of waiting, shape ``(3, keys)``; NaN without a value."""


class Interval(NamedTuple):
    """What all ports and links have counted in an interval."""

    amounts: dict[Kind, Amounts]
    warnings: tuple[str, ...]


def interval(before: Reading | None, after: Reading) -> Interval:
    """Return the counters of the interval between two readings, without `before` since they were reset.

    Counters that were reset in between have no value, and ports that one reading lacks are omitted.

    Raises SpecError: if the readings have no port or link in common.
    """
    if before is None:
        return Interval({kind: Amounts(of.keys, of.values) for kind, of in after.samples.items()}, after.warnings)
    amounts, missing, resets = dict[Kind, Amounts](), list[str](), list[str]()
    for kind in dict.fromkeys((*after.samples, *before.samples)):
        late, early = (reading.samples.get(kind, NONE) for reading in (after, before))
        rows, gone = early.rows_of(late.keys), late.rows_of(early.keys) < 0
        both = np.flatnonzero(rows >= 0)
        missing += _names(kind, late.keys, rows < 0) + _names(kind, early.keys, gone)
        keys = late.keys if both.size == len(late.keys) else [late.keys[k] for k in both.tolist()]
        differences = late.high[:, both] - early.high[:, rows[both]]
        differences = differences * WORD + (late.low[:, both] - early.low[:, rows[both]])
        reset = differences < 0  # NaN compares as False
        resets += _names(kind, keys, reset.any(axis=0))
        if both.size:
            amounts[kind] = Amounts(keys, np.where(reset, np.nan, differences))
    if not amounts:
        raise wrong("has no port or link that is also in the earlier file")
    notes = dict.fromkeys((*before.warnings, *after.warnings))
    omitted = (*note_on("in one of the two files only", missing), *note_on("that were reset", resets))
    return Interval(amounts, (*notes, *omitted))


def note_on(words: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the note that counters of some ports or links are omitted, if there are any."""
    count = "1 port or link" if len(names) == 1 else f"{len(names):,} ports or links"
    return (f"omits counters of {count} {words}: {first_few(names)}",) if names else ()


def _names(kind: Kind, keys: Sequence[Key], which: NDArray[np.bool_] | np.bool_) -> list[str]:
    return [name_of(kind, keys[k]) for k in np.flatnonzero(which).tolist()]
