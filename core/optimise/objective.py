"""Objectives: one figure of a mapping to minimise, or several by weight.

A mix is the weighted geometric mean of its figures, so weights need no units: with weights 2 and 1, one percent of the
first is worth two of the second.

Sources: Chakaravarthy et al., "Mapping Strategies for the PERCS Architecture", 2012; Ke Cui, "Efficient Collective
Communication in Interconnection Networks with Shortcut Network Topologies", PhD thesis, 2024.
"""

from typing import Annotated, ClassVar, Literal

from core.job.measure import UNITS, Measure
from core.optimise.tables import CONTENTION, HOP_BYTES, HOPS, JOBS, SECONDS, TIME, WORST
from core.spec import Spec, declare

MAX_CABLES = 256
"""Number of cables whose failures can be counted."""


class Objective(Spec, frozen=True):
    """The figure to minimise."""

    unit: ClassVar[str] = ""
    """Unit of the figure in texts, if the same for all jobs."""
    term: ClassVar[int | None] = None
    """The only figure that counts; None for a mix."""

    @property
    def weights(self) -> tuple[float, ...]:
        """Return the weights by figure, in the order of `core.optimise.tables`."""
        return tuple(float(term == self.term) for term in range(WORST + 1))

    @property
    def timed(self) -> bool:
        """Return whether link times count."""
        return sum(self.weights[term] for term in (TIME, SECONDS, JOBS, WORST)) > 0

    def unit_in(self, measure: Measure) -> str:
        """Return the unit of its figure for a job with volumes in a measure; empty if only ratios are meaningful."""
        return self.unit

    def converted(self, figure: float, measure: Measure) -> float:
        """Return its figure converted to that unit."""
        return figure

    def printed(self, figure: float, measure: Measure) -> float | None:
        """Return its figure for results, or None if it is meaningless for volumes in this measure."""
        return self.converted(figure, measure)

    @property
    def figure(self) -> int | None:
        """Return the only figure that counts, or None for a mix."""
        counting = [term for term, weight in enumerate(self.weights) if weight > 0]
        return counting[0] if len(counting) == 1 else None


class Throughput(Objective, frozen=True, tag="throughput"):
    """Throughput: load over bandwidth of the hottest link, in every phase (Chakaravarthy et al., 2012, section 3)."""

    title: ClassVar[str] = "Throughput"
    term: ClassVar[int | None] = TIME

    def unit_in(self, measure: Measure) -> str:
        """Return ``GB/s per node``; the figure itself is a time."""
        return measure.rate


class HopBytes(Objective, frozen=True, tag="hop-bytes"):
    """Hop-bytes: volume times the links it crosses, over all flows."""

    title: ClassVar[str] = "Hop-bytes"
    term: ClassVar[int | None] = HOP_BYTES

    def unit_in(self, measure: Measure) -> str:
        """Return ``unit hops``, ``MB hops``."""
        return f"{measure.singular} hops"

    def converted(self, figure: float, measure: Measure) -> float:
        """Return its figure in that unit."""
        return measure.converted(figure)


class TotalHops(Objective, frozen=True, tag="hops"):
    """Total hops: the links that messages cross, regardless of volume (Cui, 2024, section 3.4)."""

    title: ClassVar[str] = "Total hops"
    term: ClassVar[int | None] = HOPS
    unit: ClassVar[str] = "hops"


class Contention(Objective, frozen=True, tag="contention"):
    """Contention: pairs of messages that share a link in a step, over all links and steps (Cui, 2024, section 3.4)."""

    title: ClassVar[str] = "Contention"
    term: ClassVar[int | None] = CONTENTION
    unit: ClassVar[str] = "pairs"


class Seconds(Objective, frozen=True, tag="seconds"):
    """Seconds: the duration of all steps one after the other, with latency, pauses and injection (`timing`)."""

    title: ClassVar[str] = "Seconds"
    term: ClassVar[int | None] = SECONDS

    def unit_in(self, measure: Measure) -> str:
        """Return ``s``; empty for message counts, which have no time."""
        return "s" if measure.timed else ""

    def printed(self, figure: float, measure: Measure) -> float | None:
        """Return the seconds; None for message counts."""
        return measure.seconds(figure)


class AllJobs(Objective, frozen=True, tag="jobs"):
    """All jobs: the times of this job and of all background jobs (`neighbours`), while only its own tasks move."""

    title: ClassVar[str] = "All jobs"
    term: ClassVar[int | None] = JOBS

    of: Annotated[Literal["sum", "worst"], declare("Count", "sum of all times, or time of the slowest job")] = "sum"

    def unit_in(self, measure: Measure) -> str:
        """Return ``s``, of patterns ``s per unit``, of messages ``messages per GB/s``."""
        return _time_unit_in(measure)


class WorstFailure(Objective, frozen=True, tag="robust"):
    """Worst failure: the longest time without a failure and after each of some failures, which occur one at a time."""

    title: ClassVar[str] = "Worst failure"
    term: ClassVar[int | None] = WORST

    cables: Annotated[
        int,
        declare(
            "Cables",
            "number of cables whose failure is worst at the start, unless given",
            ge=1,
            le=MAX_CABLES,
        ),
    ] = 8

    def unit_in(self, measure: Measure) -> str:
        """Return ``s``, of patterns ``s per unit``, of messages ``messages per GB/s``."""
        return _time_unit_in(measure)

    def printed(self, figure: float, measure: Measure) -> float | None:
        """Return the seconds; None for message counts."""
        return measure.seconds(figure)


class Mix(Objective, frozen=True, tag="mix"):
    """Mix: several figures at once, with a weight for each."""

    title: ClassVar[str] = "Weighted mix"

    throughput: Annotated[float, declare("Throughput", "weight of the hottest link's time", ge=0, le=100)] = 1.0
    hop_bytes: Annotated[float, declare("Hop-bytes", "weight of volume times hops", ge=0, le=100)] = 1.0
    hops: Annotated[float, declare("Total hops", "weight of messages times hops", ge=0, le=100)] = 0.0
    contention: Annotated[float, declare("Contention", "weight of pairs that share a link", ge=0, le=100)] = 0.0

    @property
    def weights(self) -> tuple[float, ...]:
        """Return the weights as given."""
        return self.throughput, self.hop_bytes, self.hops, self.contention, 0.0, 0.0, 0.0


AnyObjective = Throughput | HopBytes | TotalHops | Contention | Seconds | AllJobs | WorstFailure | Mix


def _time_unit_in(measure: Measure) -> str:
    if not measure.timed:
        return f"{measure.many} per GB/s"
    return "s per unit" if measure == UNITS else "s"
