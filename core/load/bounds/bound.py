"""Lower bounds on the time, their text, and the gap between a mapping and a bound."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from core.job.measure import Measure
from core.load.rate import throughput
from core.load.scenario import Case
from core.routing import FaultyRouter
from core.text import as_sentence, figure, links_of, plural

CLEARLY = 1e-9
"""Smallest relative difference that counts."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on the time t of any mapping of the job: a theorem, with its claim and its proof."""

    time: float
    link_class: str | None
    """The class whose links it concerns; None for several classes together."""
    reason: str
    """What every mapping must do, with figures: ``at least 368 units must leave their supernodes over D links``."""
    derivation: tuple[str, ...] = ()
    """The steps of the proof, each one or two full sentences."""

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the numbered steps of the proof."""
        return tuple(f"{number}. {step}" for number, step in enumerate(self.derivation, 1))


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap between a mapping and a lower bound."""

    bound: Bound
    time: float
    """The mapping's t."""

    @property
    def reached(self) -> float:
        """Return bound / t, the fraction of the highest possible throughput that is reached, at most 1."""
        return min(self.bound.time / self.time, 1.0)

    @property
    def left(self) -> float:
        """Return the largest possible relative gain in throughput; 0 if the mapping is optimal."""
        return self.time / self.bound.time - 1 if not self.closed else 0.0

    @property
    def closed(self) -> bool:
        """Return whether the mapping is optimal: the bound equals t."""
        return self.time <= self.bound.time * (1 + CLEARLY)

    @property
    def percent(self) -> str:
        """Return the reached fraction as ``30 %``; 100 % only if the mapping is optimal."""
        percent = 100.0 if self.closed else min(100 * self.reached, 99.9)
        return f"{f'{percent:.1f}'.removesuffix('.0') if percent >= 0.05 else '<0.1'} %"

    @property
    def share(self) -> str:
        """Return ``30 % of the upper bound``."""
        return f"{self.percent} of the upper bound"

    @property
    def sentence(self) -> str:
        """Return ``This mapping reaches 30 % of the upper bound.``, or that no mapping is faster."""
        reaches = "the upper bound, so no mapping is faster" if self.closed else self.share
        return f"This mapping reaches {reaches}."


def gap(bounds: tuple[Bound, ...], time: float) -> Gap | None:
    """Return the gap between a time and the strongest bound, or None without a bound, or if nothing is loaded."""
    strongest = max(bounds, key=lambda bound: bound.time, default=None)
    return Gap(strongest, time) if strongest is not None and time > 0 else None


def scope(case: Case) -> str:
    """Return which mappings the bounds of a case hold for, with a space or comma in front; empty for all.

    ``on these 8 nodes``, ``if no flow is disconnected``, ``, background jobs ignored``, or several of these.
    """
    where = "" if case.allocation is None else f" on these {plural(case.allocation.nodes.size, 'node')}"
    where += " if no flow is disconnected" if isinstance(case.router, FaultyRouter) else ""
    return f"{where}, background jobs ignored" if case.neighbours else where


def bound_title(case: Case, bound: Bound, write: Callable[[float], str] = figure) -> str:
    """Return ``Upper bound 213.3 GB/s per node``, with the `scope`; `write` formats the throughput."""
    most = throughput(case, bound.time)
    return f"Upper bound {write(most or 0.0)} {case.job.measure.rate}{scope(case)}"


def bound_sentence(case: Case, bound: Bound, write: Callable[[float], str] = figure) -> str:
    """Return a bound as a sentence: its title, a colon, and its reason."""
    return as_sentence(f"{bound_title(case, bound, write)}: {bound.reason}")


def load_quantum(case: Case, link_class: str) -> float | None:
    """Return a load that divides every link's load in a class, if known."""
    quantum, share = case.job.quantum, case.router.share_quantum(link_class)
    return float(Fraction(quantum * share)) if quantum is not None and share is not None else None


def rounded_up(mean: float, case: Case, link_class: str) -> float:
    """Return a lower bound on the largest load of a class, given a lower bound on the mean."""
    part = load_quantum(case, link_class)
    # Slightly lower, so that rounding of the mean never lifts the bound by a quantum.
    return mean if part is None else max(mean, ceil(mean / part * (1 - CLEARLY)) * part)


def links_text(name: str) -> str:
    """Return a set of links in words: ``D links``, ``LR links inside buckets``."""
    return name if " links" in name else links_of(name)


def room_text(case: Case, group: str, nodes: int) -> str:
    """Return how many of the job's tasks fit into a group of nodes: ``Each drawer has room for 32 of the 64 tasks``."""
    room, tasks = case.room(group, nodes), case.job.tasks
    where = f"Each {group}" if case.allocation is None or group == "node" else f"On the job's nodes, each {group}"
    return f"{where} has room for {min(room, tasks):,} of the {plural(tasks, 'task')}"


def mean_step(name: str, links: int, gbs: float, load: float, measure: Measure, which: str = "The") -> str:
    """Return the step of a proof from the least total load of a set of links to their mean load."""
    words, total = links_text(name), measure.amount(load)
    if links == 1:
        return f"The only {words.removesuffix('s')}, of {gbs:g} GB/s, carries at least {total}."
    which, each = f"{which} {links:,} {words} of {gbs:g} GB/s", measure.number(load / links)
    return f"{which} carry at least {total} in total, {each} each on average."


def time_step(time: float, measure: Measure) -> tuple[str, ...]:
    """Return the last step of a proof, the least time; nothing for message counts, which have no times."""
    return (f"So the job lasts at least {measure.time(time)}.",) if measure.timed else ()


def rounding_step(mean: float, least: float, part: float | None, measure: Measure) -> tuple[str, ...]:
    """Return the step of a proof from a mean load to the next multiple of `part`; nothing if both look the same."""
    # Figures that look the same are not repeated.
    if part is None or least <= mean * (1 + CLEARLY) or measure.number(least) == measure.number(mean):
        return ()
    parts, busiest = measure.amount(part), measure.amount(least)
    return (f"Loads are multiples of {parts}, so the busiest of these links carries at least {busiest}.",)
