"""A step of a timeline: when it runs, and what it sends."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A phase of the job, or a round of it, and when it runs."""

    name: str
    start: float
    """Seconds after the beginning."""
    seconds: float
    messages: int
    """Messages from a task to another."""
    hops: float
    """Links that all of them cross; a message split over several paths counts by its shares."""
    max_hops: float
    """Links that the farthest message crosses."""
    contention: float | None
    """Pairs of messages that meet on a link, summed over links; for messages split over paths, the product of their
    shares of it. None: takes too long to count."""
    bottleneck: str | None
    """The link class that the step waits for, or `INJECTION`; None: nothing is sent over links."""
