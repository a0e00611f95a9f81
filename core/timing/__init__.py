"""Timing: when each phase of a job runs, and how long it takes; one file per timing model."""

from typing import cast

from core.job.job import JobSpec
from core.load.scenario import Case
from core.spec import Progress, SpecError, members, no_progress
from core.timing.barrier import BarrierTiming as BarrierTiming
from core.timing.fair_share import FairShare as FairShare
from core.timing.rounds import Rounds as Rounds
from core.timing.simgrid import SimGrid as SimGrid
from core.timing.step import Step as Step
from core.timing.step import StepFigures as StepFigures
from core.timing.timeline import Timeline as Timeline
from core.timing.timing import TimingSpec as TimingSpec

AnyTiming = BarrierTiming | FairShare | SimGrid | Rounds


def timing_of(case: Case) -> TimingSpec:
    """Return the timing of a case's scenario, or the default."""
    timing = case.scenario.timing
    return timing if isinstance(timing, TimingSpec) else default_timing(case.scenario.job)


def default_timing(job: JobSpec) -> TimingSpec:
    """Return the timing of scenarios of a job that choose none."""
    kinds = {timing.tag(): timing for timing in members(AnyTiming)}
    default: TimingSpec = cast(type[TimingSpec], kinds[job.default_timing])()
    return default


def timeline(case: Case, progress: Progress = no_progress) -> Timeline:
    """Return when each phase of a case runs, by the timing of its scenario.

    Raises SpecError: if the timing does not fit the case. Raises Cancelled: when `progress` does.
    """
    return _fitting(case).timeline(case, progress)


def detailed_timeline(case: Case, progress: Progress = no_progress) -> Timeline:
    """Return the timeline with a step for each part of a phase that has its own time: for CLEX, for each round.

    Raises SpecError: if the timing does not fit the case. Raises Cancelled: when `progress` does.
    """
    return _fitting(case).detailed(case, progress)


def _fitting(case: Case) -> TimingSpec:
    timing = timing_of(case)
    if case.neighbours and not timing.counts_others:
        words = f"{timing.tag()} simulates a single job, and this scenario has background jobs"
        raise SpecError("timing.type", f"{words}; choose barrier, or remove the background jobs")
    return timing
