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
    """Links that they cross, added up; a message in parts, over several paths, counts by its parts."""
    max_hops: float
    """Links that the farthest message crosses."""
    contention: float | None
    """Pairs of messages that meet on a link, over all links; of two in parts the product of their shares of it. None:
    it takes too long to count them."""
    bottleneck: str | None
    """The link class that the step waits for, or that a node cannot send faster; None: nothing is sent over links."""
