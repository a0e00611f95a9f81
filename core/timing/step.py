"""A step of a timeline: when it runs, and what it sends."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepFigures:
    """The figures of a step in files and texts."""

    name: str
    start: float | None
    """Seconds after the beginning; None for message counts, which have no time."""
    seconds: float | None
    messages: int
    """Messages from a task to another."""
    hops: float
    """Links that all messages cross; a message split over several paths counts by its shares."""
    max_hops: float
    """Links that the farthest message crosses."""
    contention: float | None
    """Pairs of messages that meet on a link, summed over links; for messages split over paths, the product of their
    shares of it. None if it takes too long to count.
    """
    bottleneck: str | None
    """The link class that the step waits for, or `INJECTION`; None if nothing is sent over links."""


@dataclass(frozen=True, slots=True)
class Step(StepFigures):
    """A phase of the job, or a round of it, and when it runs; a message that is only counted has the volume 1."""

    start: float
    seconds: float
