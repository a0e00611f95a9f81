"""Figures of a timeline, as printed by `timeline --json`, and figures of the step on the stage."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from core.figure import VOLUME, Alias, Figure
from core.figures.computing import computed
from core.figures.notes import timeline_notes
from core.figures.result import Result
from core.load.disconnected import find_disconnected
from core.load.scenario import Case
from core.timing import timeline as timeline_of
from core.timing.clex_rounds import LevelRounds
from core.timing.step import StepFigures
from core.timing.timeline import Timeline


@dataclass(frozen=True, eq=False)
class Timed:
    """The source of the figures of a timeline."""

    timeline: Timeline
    listed: int | None = None
    """Number of listed steps, or None for all."""

    @property
    def phases(self) -> Timeline:
        """Return the timeline with a step for each phase, even if `timeline` has a step for each round."""
        return self.timeline if self.timeline.each_round is None else _by_phase(self.timeline.case)


@lru_cache(maxsize=16)
def _by_phase(case: Case) -> Timeline:
    return timeline_of(case)


class ClassUse(Struct, frozen=True):
    """Utilisation of a link class."""

    utilisation: Annotated[
        float, Figure("Utilisation", "", "load over bandwidth of all jobs, averaged over links and time")
    ]
    own_utilisation: Annotated[
        float | UnsetType, Figure("Own utilisation", "", "utilisation by the job itself, if there are background jobs")
    ] = UNSET


class TimelineFigures(Result, Struct, frozen=True):
    """Times of the phases of a job, and utilisation of links."""

    seconds: Annotated[
        float | None,
        Figure(
            "Total time", "s", "time of the whole job; none for message counts", lambda t: t.timeline.total_seconds,
            also=(Alias("total_ms", 1e3),), better="low", placed=True, ticked=True,
        ),
    ]  # fmt: skip
    messages: Annotated[
        int, Figure("Messages", "", "messages between different tasks", lambda t: t.phases.messages, placed=True)
    ]
    hops: Annotated[
        float,
        Figure(
            "Hops", "", "links crossed by all messages, in total", lambda t: t.phases.hops, better="low", placed=True
        ),
    ]
    contention: Annotated[
        float | None,
        Figure(
            "Contention", "", "pairs of messages that share a link; none if counting would take too long",
            lambda t: t.phases.contention, better="low", placed=True, ticked=True,
        ),
    ]  # fmt: skip
    classes: Annotated[
        dict[str, ClassUse],
        Figure("Link classes", "", "utilisation of each link class", lambda t: _class_uses(t.phases), placed=True),
    ]
    played_steps: Annotated[
        int,
        Figure(
            "Steps", "", "steps of the job: its rounds, if it runs in rounds, otherwise its phases",
            lambda t: len(t.timeline.steps) if t.timeline.rounds is None else t.timeline.rounds.rounds,
            also=(Alias("steps"),), placed=True,
        ),
    ]  # fmt: skip
    steps: Annotated[
        Sequence[StepFigures],
        Figure("List of steps", "", "each phase of the job", lambda t: t.phases.figures(t.listed), placed=True),
    ]
    notes: Annotated[
        list[str],
        Figure("Notes", "", "notes on the case, and the assumed size of a unit", lambda t: timeline_notes(t.phases),
               placed=True),
    ]  # fmt: skip
    rounds: Annotated[
        int | UnsetType,
        Figure("Rounds", "", "rounds of the whole job, if it runs in rounds",
               lambda t: UNSET if t.timeline.rounds is None else t.timeline.rounds.rounds,
               also=(Alias("rounds"),), better="low", placed=True),
    ] = UNSET  # fmt: skip
    levels: Annotated[
        tuple[LevelRounds, ...] | UnsetType,
        Figure("Levels", "", "figures of CLEX's algorithm by level, if it runs in rounds",
               lambda t: UNSET if t.timeline.rounds is None else t.timeline.rounds.levels, placed=True),
    ] = UNSET  # fmt: skip
    played_messages: Annotated[
        int | UnsetType,
        Figure("Messages sent", "", "messages of all steps, if the steps are known; a message counts once in each "
               "round in which it moves", lambda t: _played_messages(t.timeline), placed=True),
    ] = UNSET  # fmt: skip
    cut_flows: Annotated[
        int | UnsetType,
        Figure("Disconnected flows", "", "flows without a path, if any, counted as sent",
               lambda t: find_disconnected(t.timeline.case).count or UNSET, better="low", placed=True),
    ] = UNSET  # fmt: skip
    cut_volume: Annotated[
        float | UnsetType,
        Figure("Disconnected volume", VOLUME, "volume of the disconnected flows",
               lambda t: _cut_volume(t.timeline.case), better="low", placed=True),
    ] = UNSET  # fmt: skip


def _played_messages(timeline: Timeline) -> int | UnsetType:
    return UNSET if timeline.rounds is not None and timeline.each_round is None else timeline.messages


@dataclass(frozen=True, slots=True)
class ShownStep(StepFigures):
    """The step on the stage."""

    number: Annotated[int, Figure("Step", "", "number of the step, from 1", also=(Alias("step"),))]


def timeline_figures(times: Timeline, steps: int | None = None) -> TimelineFigures:
    """Return the figures of a timeline, with its first `steps` steps or, if None, all steps."""
    return TimelineFigures(**computed(TimelineFigures, Timed(times, steps)))


def shown_step(times: Timeline, step: int) -> ShownStep:
    """Return the figures of a step, counted from 0."""
    shown = times.figures(step + 1)[step]
    return ShownStep(number=step + 1, **{field.name: getattr(shown, field.name) for field in fields(StepFigures)})


def _class_uses(times: Timeline) -> dict[str, ClassUse]:
    alone = not times.case.neighbours
    own = times.own_utilisation
    return {name: ClassUse(share, UNSET if alone else own[name]) for name, share in times.utilisation.items()}


def _cut_volume(case: Case) -> float | UnsetType:
    cut = find_disconnected(case)
    return cut.measure.converted(cut.volume) if cut.count else UNSET
