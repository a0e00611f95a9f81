"""A step of a timeline: its time and its messages."""

from dataclasses import dataclass
from typing import Annotated

from core.figure import Alias, Figure

SHOWN = "shown"
"""Tour names of the figures of the step that the stage shows begin with this."""


@dataclass(frozen=True, slots=True)
class StepFigures:
    """The figures of a step in files and texts."""

    name: Annotated[str, Figure("Name", "", "name of the step", also=(Alias("step_name", under=SHOWN),))]
    start: Annotated[float | None, Figure("Start", "s", "start time; none for message counts")]
    seconds: Annotated[
        float | None,
        Figure("Duration", "s", "duration; none for message counts", also=(Alias("step_ms", 1e3, SHOWN),)),
    ]
    messages: Annotated[
        int, Figure("Messages", "", "messages between different tasks", also=(Alias("step_messages", under=SHOWN),))
    ]
    hops: Annotated[
        float, Figure("Hops", "", "links crossed by all messages, in total; a split message counts by its shares")
    ]
    max_hops: Annotated[float, Figure("Most hops", "", "links crossed by the farthest message")]
    contention: Annotated[
        float | None,
        Figure("Contention", "", "pairs of messages that share a link, summed over links; none if not counted"),
    ]
    """For messages split over paths, the product of their shares of the link."""
    bottleneck: Annotated[str | None, Figure("Limited by", "", "link class that limits the step, or injection")]


@dataclass(frozen=True, slots=True)
class Step(StepFigures):
    """A phase of the job, or a round of it, and when it runs; a message that is only counted has the volume 1."""

    start: float
    seconds: float
