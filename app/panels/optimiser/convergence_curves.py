"""The curves of searches: the content of their chart, and the ranges of its axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.model.search_run import Curve, SearchRun
from app.views.drawing import padded
from app.wording.numbers import figure_text, gbs

PAD = 0.06
"""Part of the range left free above and below."""
MAX_BOUND_DISTANCE = 2.5
"""A bound farther away than this multiple of the range of the curves is indicated by an arrow."""
MIN_SECONDS = 1.0


@dataclass(frozen=True, eq=False)
class Trace:
    """The curve of one run, in the common unit."""

    name: str
    seconds: Curve
    current: Curve
    best: Curve

    @classmethod
    def of(cls, run: SearchRun) -> "Trace":
        """Return the current curve of a run."""
        return cls(f"run {run.number}", *run.curve())


@dataclass(frozen=True, eq=False)
class Curves:
    """The content of the plot: one run in full, and the best of others."""

    main: Trace | None = None
    others: tuple[Trace, ...] = ()
    start: float | None = None
    limit: float | None = None
    """The bound on all mappings."""
    unit: str = ""
    rising: bool = True
    """Whether larger values are better."""
    bound_name: str = "bound"

    @classmethod
    def of(cls, run: SearchRun | None, others: Sequence[SearchRun] = ()) -> "Curves":
        """Return the curves of a run, and of others with the same unit."""
        if run is None or run.result is None:
            return cls()
        traces = tuple(Trace.of(other) for other in others if other.result is not None)
        return cls(Trace.of(run), traces, run.start, run.limit, run.unit, run.rising, run.bound_title)

    @property
    def empty(self) -> bool:
        """Return whether there is nothing to draw yet."""
        return self.main is None or not self.main.seconds.size


@dataclass(frozen=True, slots=True)
class Ranges:
    """The ranges in which curves are drawn."""

    last: float
    """Seconds at the right; at the left are 0."""
    low: float
    high: float
    beyond: bool
    """Whether the bound is too far away to be between `low` and `high`."""


def ranges_of(picture: Curves) -> Ranges:
    """Return the ranges that hold all curves, and the bound unless it is too far away."""
    traces = [trace for trace in (picture.main, *picture.others) if trace is not None]
    finite = np.concatenate([*(np.append(t.best, t.current) for t in traces), [picture.start or np.nan]])
    finite = finite[np.isfinite(finite)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    span, limit = max(high - low, 0.02 * abs(high) or 1.0), picture.limit
    beyond = limit is not None and max(limit - high, low - limit) > MAX_BOUND_DISTANCE * span
    if limit is not None and not beyond:
        low, high = min(low, limit), max(high, limit)
    last = max([MIN_SECONDS, *(float(t.seconds[-1]) for t in traces if t.seconds.size)])
    return Ranges(last, *padded(low, high, PAD * max(high - low, span)), beyond)


def curve_legend(picture: Curves) -> list[tuple[str, str]]:
    """Return the legend of the run in full: texts with figures, and line styles; most important first."""
    main = picture.main
    assert main is not None
    write = gbs if picture.rising else figure_text
    samples = [("best", float(main.best[-1]), "best")]
    if picture.limit is not None:
        samples.append((picture.bound_name, picture.limit, "limit"))
    if picture.start is not None:
        samples.append(("start", picture.start, "start"))
    samples.append(("now", float(main.current[-1]), "current"))
    return [(f"{name} {write(value)}", style) for name, value, style in samples if np.isfinite(value)]
