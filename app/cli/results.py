"""What the commands evaluate, optimise and metrics find: what `--json` prints, and what `import fabriscope` returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from core.load.evaluate import ClassFigures
from core.network.metrics.metrics import Sizes
from core.timing.timeline import Step


class Evaluation(Struct, frozen=True):
    """How a job goes over a network."""

    throughput_gbs: float | None
    """GB/s per node; None if no link carries anything."""
    bottleneck: str | None
    """The link class that limits."""
    time_per_unit: float
    """Seconds for each task's unit if a unit is 1 GB."""
    links: int
    """Directed links."""
    classes: dict[str, ClassFigures]
    phases: int
    tasks: int
    nodes: int
    bound_gbs: float | None
    """What no mapping of the job passes, GB/s per node; None: unknown."""
    messages: int
    """From a task to another."""
    hops: float
    """Links that they cross, added up."""
    notes: list[str]
    """What else there is to say: warnings of the network, faults, cut flows."""
    plans: list[dict[str, Any]] | UnsetType = UNSET
    """What each phase's plan says, where routing plans."""
    cut_flows: int | UnsetType = UNSET
    """Flows that failed links cut, where some do."""
    cut_volume: float | UnsetType = UNSET
    """What they would carry, in units."""


class ClassUse(Struct, frozen=True):
    """How busy a link class is."""

    utilisation: float
    """Mean over its links and over the whole time of load / (bandwidth x seconds)."""


class TimelineFigures(Struct, frozen=True):
    """When the phases of a job run, and how busy links are."""

    seconds: float
    messages: int
    hops: float
    contention: float
    classes: dict[str, ClassUse]
    steps: Sequence[Step]


class SearchFigures(Struct, frozen=True, kw_only=True):
    """What a search for a better mapping came to."""

    start_gbs: float | None
    """Throughput of the mapping it began with, GB/s per node."""
    throughput_gbs: float | None
    """Throughput of the best found, as `evaluate` says."""
    bound_gbs: float | None
    """What no mapping passes; None: unknown."""
    start_time: float
    """Seconds per unit to begin with."""
    time: float
    """Seconds per unit with the best found."""
    steps: int
    """Mappings looked at."""
    steps_per_second: float
    seconds: float
    seed: int
    objective: str | UnsetType = UNSET
    """What was searched for, if not throughput."""
    start: float | UnsetType = UNSET
    """Its figure to begin with."""
    found: float | UnsetType = UNSET
    """Its figure with the best found."""
    restarts: int
    """Searches from ever new starts that came to an end."""
    spread: dict[str, float | None] | None
    """The best, median and worst throughput at which they ended; None without any."""


class Optimised(SearchFigures, frozen=True, kw_only=True):
    """A search's figures, and the mapping it found."""

    scenario: dict[str, Any]
    """The scenario with the best mapping, explicit: for `evaluate`, or to write as JSON."""


@dataclass(frozen=True)
class Measures(Sizes):
    """What a network measures."""

    connected: bool
    diameter: int | None
    """Links on the longest shortest path between nodes; None if some cannot reach each other."""
    aspl: float | None
    """Average shortest path length."""
    aspl_exact: str | None
    """The same as a fraction."""
    distance_sum: int | None
    bisection: dict[str, Any]
    cable: dict[str, Any] | None
    """Lengths in metres; None where single cables are not known."""
    cost: dict[str, Any] | None
