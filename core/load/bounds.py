"""What no mapping can beat: lower bounds on the time t of a job, whatever slots its tasks sit in.

Every bound is a theorem. With V_k the volume between different groups of level k (0 the coarsest, the last
the nodes), a unit whose ends first differ at level k puts at least h_k on the links of a class in all
(`Router.least_load`), so the class carries at least ``sum over k of h_k (V_k - V_(k-1))``, V_(-1) = 0. If h
falls from level to level this equals ``sum over k of V_k (h_k - h_(k+1))`` with non-negative factors, so
lower bounds on V_k (`JobSpec.least_crossing`) may stand for the V_k; where h rises it is lowered to the level
before, which only weakens the bound. The busiest link carries at least the mean; if every share is a whole
multiple of a quantum, at least the mean rounded up to one. A cut needs no routing at all: what must leave one
side shares the links that do.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from core.load.scenario import Case
from core.network.network import Cut, LinkClass


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on t: no mapping of the job is faster."""

    time: float
    link_class: str | None
    """The class it bounds; None if several share it."""
    reason: str
    """Why, in one sentence, with the figures."""


def bounds(case: Case) -> tuple[Bound, ...]:
    """Return all bounds that say something, strongest first."""
    crossing = _crossing(case)
    found = [_class_bound(case, link_class, crossing) for link_class in case.network.classes]
    found += [_cut_bound(case, cut) for cut in case.network.cuts]
    return tuple(sorted((b for b in found if b is not None and b.time > 0), key=lambda bound: -bound.time))


def class_bound(found: tuple[Bound, ...], name: str) -> Bound | None:
    """Return the strongest bound of one class, if there is one."""
    return next((bound for bound in found if bound.link_class == name), None)


def _crossing(case: Case) -> list[float]:
    # Least volume between groups, level by level, the nodes last; finer levels cross no less than coarser.
    per_node, least = case.network.slots_per_node, [0.0]
    sizes = [(level.nodes_per_group * per_node, level.count) for level in case.network.levels]
    for capacity, groups in [*sizes, (per_node, case.network.nodes)]:
        found = sum_phases(case, capacity, groups)
        least.append(max(least[-1], found))
    return least[1:]


def sum_phases(case: Case, capacity: int, groups: int) -> float:
    """Return the least volume between `groups` groups of `capacity` tasks."""
    return case.scenario.job.least_crossing(case.job, capacity, groups)


def _class_bound(case: Case, link_class: LinkClass, crossing: list[float]) -> Bound | None:
    per_unit = [case.router.least_load(k).get(link_class.name, 0.0) for k in range(len(crossing))]
    for k in range(1, len(per_unit)):
        per_unit[k] = min(per_unit[k], per_unit[k - 1])
    total = sum(v * (h - after) for v, h, after in zip(crossing, per_unit, [*per_unit[1:], 0.0], strict=True))
    if total <= 0 or not link_class.count:
        return None
    mean = total / link_class.count
    least = _rounded_up(mean, case, link_class.name)
    levels = [level.name for level in case.network.levels] + ["node"]
    first = next(k for k, h in enumerate(per_unit) if h > 0)
    reason = (
        f"at least {crossing[first]:.4g} units leave their {levels[first]}; "
        f"they load {link_class.name} links with {total:.4g}, {mean:.4g} a link on average"
    )
    if least > mean:
        reason += f", and loads come in whole parts: {least:.4g} on the busiest"
    return Bound(least / link_class.gbs, link_class.name, reason)


def _rounded_up(mean: float, case: Case, name: str) -> float:
    quantum, share = case.job.quantum, case.router.share_quantum(name)
    if quantum is None or share is None:
        return mean
    part = float(Fraction(quantum * share))
    # A little below, so that rounding in the mean never lifts the bound by a whole part.
    return max(mean, ceil(mean / part * (1 - 1e-9)) * part)


def _cut_bound(case: Case, cut: Cut) -> Bound | None:
    network, tasks = case.network, case.job.tasks
    inside = cut.nodes * network.slots_per_node
    fewest, most = max(0, tasks - (network.slots - inside)), min(tasks, inside)
    leaving = case.scenario.job.least_leaving(case.job, fewest, most)
    gbs = sum(network.link_class(name).gbs * count for name, count in cut.leaving.items())
    if leaving <= 0 or gbs <= 0:
        return None
    names = list(cut.leaving)
    links = f"{sum(cut.leaving.values()):,} links of {gbs:.4g} GB/s in all"
    reason = f"at least {leaving:.4g} units leave {cut.name} over {links}"
    return Bound(leaving / gbs, names[0] if len(names) == 1 else None, reason)
