"""Computations that take noticeable time, shown by the window."""

import enum
from typing import NamedTuple


class Kind(enum.Enum):
    """The purposes of computations, most important first."""

    EVALUATION = "evaluation"
    """Another scenario was requested, and is being evaluated."""
    SCENE = "scene"
    """A scene of a tour."""
    GESTURE = "gesture"
    """The edit of the current gesture, which is too large for live loads."""
    LIVE_LOADS = "live loads"
    """The live loads of the scenario on screen, for the next edit."""
    FILE = "file"
    """A file is being read, or a search places the selected tasks."""
    FAILURES = "failures"
    """The failures of the scenario on screen."""
    CABLES = "cables"
    """The cables whose addition to the scenario on screen helps most."""


class Computation(NamedTuple):
    """One computation."""

    kind: Kind
    words: str
    """Its description, as ``Computing: Indirect routing``."""
    fraction: float = 0.0
    """The fraction done; 0 also if unknown."""

    @property
    def outdates(self) -> bool:
        """Return whether the results on screen do not match the settings and will be replaced."""
        return self.kind in (Kind.EVALUATION, Kind.SCENE, Kind.GESTURE)

    @property
    def cancellable(self) -> bool:
        """Return whether it can be cancelled separately; a gesture can only be cancelled as a whole."""
        return self.kind in (Kind.EVALUATION, Kind.SCENE, Kind.FILE, Kind.FAILURES, Kind.CABLES)


def without(computations: tuple[Computation, ...], *kinds: Kind) -> tuple[Computation, ...]:
    """Return the computations of all other kinds."""
    return tuple(computation for computation in computations if computation.kind not in kinds)


def computing(name: str) -> str:
    """Return the description of the evaluation of a named change."""
    return f"Computing: {name}"
