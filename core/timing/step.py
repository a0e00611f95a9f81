"""A step of a timeline: when it runs, and what it sends."""

from dataclasses import dataclass
from typing import Annotated

from core.figure import Alias, Figure

SHOWN = "shown"
"""Where the figures of the step on the stage are."""


@dataclass(frozen=True, slots=True)
class StepFigures:
    """The figures of a step in files and texts."""

    name: Annotated[str, Figure("Name", "", "what the step is called", also=(Alias("step_name", under=SHOWN),))]
    start: Annotated[float | None, Figure("Start", "s", "when it begins; none for message counts")]
    seconds: Annotated[
        float | None,
        Figure("Takes", "s", "how long it takes; none for message counts", also=(Alias("step_ms", 1e3, SHOWN),)),
    ]
    messages: Annotated[
        int, Figure("Messages", "", "messages between different tasks", also=(Alias("step_messages", under=SHOWN),))
    ]
    hops: Annotated[float, Figure("Hops", "", "links that they cross, summed; a split message counts by its shares")]
    max_hops: Annotated[float, Figure("Farthest", "", "links that the farthest message crosses")]
    contention: Annotated[
        float | None,
        Figure("Contention", "", "pairs of messages that meet on a link, summed over links; none if not counted"),
    ]
    """For messages split over paths, the product of their shares of the link."""
    bottleneck: Annotated[str | None, Figure("Waits for", "", "link class that it waits for, or injection")]


@dataclass(frozen=True, slots=True)
class Step(StepFigures):
    """A phase of the job, or a round of it, and when it runs; a message that is only counted has the volume 1."""

    start: float
    seconds: float
