"""What is being computed for longer than a moment, so that the window says so."""

import enum
from typing import NamedTuple


class Kind(enum.Enum):
    """What a computation is for, the most important first."""

    EVALUATION = "evaluation"
    """Another scenario was requested, and is being evaluated."""
    SCENE = "scene"
    """A scene of a tour."""
    GESTURE = "gesture"
    """The edit of the gesture under way, which is too large for live loads."""
    LIVE_LOADS = "live loads"
    """The live loads of what is on screen, for the next edit."""
    FILE = "file"
    """A file is being read."""


class Computation(NamedTuple):
    """One thing being computed."""

    kind: Kind
    words: str
    """What is being done, as ``Computing: Indirect routing``."""
    fraction: float = 0.0
    """The fraction done; 0 also where that is unknown."""

    @property
    def outdates(self) -> bool:
        """Return whether the results on screen are not those of the settings, and will be replaced."""
        return self.kind in (Kind.EVALUATION, Kind.SCENE, Kind.GESTURE)

    @property
    def cancellable(self) -> bool:
        """Return whether it can be cancelled by itself; a gesture is cancelled as a whole."""
        return self.kind in (Kind.EVALUATION, Kind.SCENE, Kind.FILE)


def without(computations: tuple[Computation, ...], *kinds: Kind) -> tuple[Computation, ...]:
    """Return the computations of other kinds."""
    return tuple(one for one in computations if one.kind not in kinds)


def computing(name: str) -> str:
    """Return the words for the evaluation of a named change."""
    return f"Computing: {name}"
