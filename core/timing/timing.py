"""Base class of timings: a timing determines when the phases of a job run on a case, and gives a timeline."""

from abc import abstractmethod
from typing import Annotated, ClassVar

from core.load.scenario import Case
from core.spec import Progress, Spec, declare, no_progress
from core.timing.timeline import Timeline


class TimingSpec(Spec, frozen=True):
    """A timing model. Volumes of 1 are taken as 1 GB, so that volume over GB/s is in seconds."""

    counts_others: ClassVar[bool] = False
    """Whether loads of background jobs count; models that follow the messages of one job ignore them."""

    hop_seconds: Annotated[
        float,
        declare("Latency", "latency per hop; a message over h links waits h + 1 latencies", unit="s", ge=0, le=1e3),
    ] = 0.0
    injection_gbs: (
        Annotated[
            float,
            declare(
                "Injection",
                "limit on the rate at which a node sends or receives (default: no limit)",
                unit="GB/s",
                gt=0,
                le=1e9,
            ),
        ]
        | None
    ) = None

    @abstractmethod
    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs.

        Raises SpecError: if the timing does not fit the case. Raises Cancelled: when `progress` does.
        """

    def detailed(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return the timeline for display, with a step for each part of a phase that has its own time.

        Raises SpecError: if the timing does not fit the case. Raises Cancelled: when `progress` does.
        """
        return self.timeline(case, progress)

    @abstractmethod
    def summary(self) -> str:
        """Return one short line for the form."""
