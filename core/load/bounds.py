"""What no mapping can beat: lower bounds on the time t of a job, whatever slots its tasks sit in.

Every bound is a theorem.

By class: take a chain of ever finer partitions of the nodes (`Router.partitions`), V_k the volume between different
groups of the k-th, V_(-1) = 0. A unit whose ends first differ at the k-th puts at least h_k on the links of a class
in all, so the class carries at least ``sum over k of h_k (V_k - V_(k-1))``. If h falls along the chain this equals
``sum over k of V_k (h_k - h_(k+1))`` with non-negative factors, so lower bounds on V_k (`JobSpec.least_crossing`) may
stand for the V_k; where h rises it is lowered to the one before, which only weakens the bound.

By hops: a task's partners sit in slots of their own, so the sum of its volumes times their distances is least when
the partner it sends most to is nearest, and so on (rearrangement): ``sum over j of W_j d_j`` hops in all, W_j what
all tasks send to their j-th partner (`JobSpec.heaviest`), d_j the distance of the j-th nearest slot
(`Router.nearest`). All links share them.

By cuts: what must leave one side of the network shares the links that do, whatever the routing.

The busiest link carries at least the mean; if every share is a whole multiple of a quantum, at least the mean
rounded up to one.

Slow links only lengthen the time. With failed links the bounds are of mappings that cut no flow: what the schemes put
on the links at least they put there on whatever paths are left (`FaultyRouter.partitions`). Of a case whose own
mapping cuts flows nothing is said.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from core.load.cut import CutFlows, cut_flows
from core.load.scenario import Case
from core.network.network import Cut, LinkClass
from core.routing.routing import Partition

Chain = tuple[Partition, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on t: no mapping of the job is faster."""

    time: float
    link_class: str | None
    """The class it bounds; None if several share it."""
    reason: str
    """Why, in one sentence, with the figures."""


def bounds(case: Case, cut: CutFlows | None = None) -> tuple[Bound, ...]:
    """Return all bounds that say something, strongest first; none if flows are `cut` (left out: found out here)."""
    if cut_flows(case) if cut is None else cut:
        return ()
    found: list[Bound | None] = [_hop_bound(case)]
    for chain in case.router.partitions():
        crossing = _crossing(case, chain)
        found += [_class_bound(case, link_class, chain, crossing) for link_class in case.network.classes]
    found += [_cut_bound(case, cut) for cut in case.network.cuts]
    return tuple(sorted((b for b in found if b is not None and b.time > 0), key=lambda bound: -bound.time))


def class_bound(found: tuple[Bound, ...], name: str) -> Bound | None:
    """Return the strongest bound of one class, if there is one."""
    return next((bound for bound in found if bound.link_class == name), None)


def _crossing(case: Case, chain: Chain) -> list[float]:
    # Least volume between groups, the coarsest first; finer partitions cross no less than coarser.
    per_node, least = case.network.slots_per_node, [0.0]
    for partition in chain:
        found = case.scenario.job.least_crossing(case.job, partition.nodes * per_node, partition.groups)
        least.append(max(least[-1], found))
    return least[1:]


def _class_bound(case: Case, link_class: LinkClass, chain: Chain, crossing: list[float]) -> Bound | None:
    per_unit = [partition.least.get(link_class.name, 0.0) for partition in chain]
    for k in range(1, len(per_unit)):
        per_unit[k] = min(per_unit[k], per_unit[k - 1])
    total = sum(v * (h - after) for v, h, after in zip(crossing, per_unit, [*per_unit[1:], 0.0], strict=True))
    if total <= 0 or not link_class.count:
        return None
    mean = total / link_class.count
    first = next(k for k, h in enumerate(per_unit) if h > 0)
    reason = (
        f"at least {_figure(crossing[first])} units leave their {chain[first].name}; "
        f"they load {link_class.name} links with {_figure(total)}, {_figure(mean)} a link on average"
    )
    least = _rounded_up(mean, case, link_class.name)
    return Bound(least / link_class.gbs, link_class.name, reason + _lifted(mean, least))


def _hop_bound(case: Case) -> Bound | None:
    nearest = case.router.nearest()
    if nearest is None:
        return None
    network, sent = case.network, case.scenario.job.heaviest(case.job)
    away = np.append(np.zeros(network.slots_per_node - 1), np.repeat(nearest, network.slots_per_node))
    hops = float((sent * away[: sent.size]).sum())
    if hops <= 0:
        return None
    reason = f"units travel at least {_figure(hops)} hops in all, over {network.links:,} links"
    if len({c.gbs for c in network.classes}) > 1:
        return Bound(hops / float(network.gbs.sum()), None, reason)
    mean = hops / network.links
    least = min(_rounded_up(mean, case, c.name) for c in network.classes)
    return Bound(
        least / network.classes[0].gbs, None, f"{reason}, {_figure(mean)} a link on average" + _lifted(mean, least)
    )


def _lifted(mean: float, least: float) -> str:
    return f", and loads come in whole parts: {least:.4g} on the busiest" if least > mean else ""


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
    links = sum(cut.leaving.values())
    reason = f"at least {_figure(leaving)} units leave {cut.name} over {links:,} links of {_figure(gbs)} GB/s in all"
    if len(cut.leaving) > 1:
        return Bound(leaving / gbs, None, reason)
    name, mean = next(iter(cut.leaving)), leaving / links
    least = _rounded_up(mean, case, name)
    return Bound(least / network.link_class(name).gbs, name, reason + _lifted(mean, least))


def _figure(value: float) -> str:
    # Four digits, never as a power of ten.
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
