"""Lower bounds on the time t of a job under any mapping.

Every bound is a theorem.

By crossing: for a chain of ever finer partitions of the nodes (`Router.partitions`), V_k is the minimum volume between
different groups of the k-th (`JobSpec.min_crossing_volume`). A unit whose ends first differ at the k-th has a minimum
load on the links of each set. Each set bounds t by itself, and all sets together give stronger bounds: see
`core.load.bounds.joint`. If all traffic between two groups shares a few links, a given t limits it, and the more pieces
the groups must have, the more volume crosses (`JobSpec.min_crossing_volume_split`); see `core.load.bounds.chains`.

By hops: a task's partners are in different slots, so the sum of its volumes times their distances is least if its
heaviest partner is nearest, and so on (rearrangement inequality): ``sum over j of W_j d_j`` hops in total, W_j the
volume of all tasks to their j-th partner (`JobSpec.volume_by_partner_rank`), d_j the distance of the j-th nearest slot
(`Router.nearest`). All links share them.

By stars: a node, a drawer ... holds few tasks, so all but the largest flows of any one task share the links that leave
its group, under any routing (`JobSpec.max_external_volume`).

By sums: if every task is alone on a node, no node is free, all tasks send and receive the same volume, and the routing
depends on these totals only (`Router.depends_on_sums`), all mappings give the same loads.

By cuts: traffic out of one side of the network shares the links that leave it, under any routing. In imported fat
trees (`Network.tree`) sides are subtrees, with the links that they have.

By ports: a halo exchange on PERCS needs ports in several drawers (`core.load.bounds.percs_halo`).

The busiest link carries at least the mean load, rounded up to a multiple of the quantum, if shares have one.

If a job has only some of the nodes, groups are counted with its nodes only.

Background jobs only lengthen the time: bounds are for the job's own loads, as if it were alone. So do slow links. With
failed links, bounds hold for mappings that disconnect no flow: minimum loads hold for all remaining paths
(`FaultyRouter.partitions`). A case whose own mapping disconnects flows has no bounds.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.job.job import Phase, UniformPhase
from core.job.measure import Measure
from core.load.bounds.bound import (
    CLEARLY,
    Bound,
    load_quantum,
    mean_step,
    room_text,
    rounded_up,
    rounding_step,
    time_step,
)
from core.load.bounds.chains import chain_bounds
from core.load.bounds.percs_halo import percs_halo_bounds
from core.load.disconnected import find_disconnected
from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Case
from core.network.network import Cut, Ints, Network
from core.network.tree_embedding import tree_of
from core.routing import FaultyRouter
from core.text import figure, plural

MAX_NODES = 512
"""Limit on the nodes of a job on some of the nodes for computing all their distances."""


def bounds(case: Case, report: LoadReport | None = None) -> tuple[Bound, ...]:
    """Return all useful bounds, strongest first; empty if flows are disconnected.

    Parameters
    ----------
    report
        The evaluation of the case, to avoid a second one; None if there is none yet.
    """
    if report.disconnected if report is not None else find_disconnected(case):
        return ()
    candidates: list[Bound | None] = [_hop_bound(case), _sums_bound(case, report), *_star_bounds(case)]
    for chain in case.router.partitions():
        candidates += chain_bounds(case, chain)
    candidates += [_cut_bound(case, cut) for cut in _cuts(case.network)]
    candidates += percs_halo_bounds(case)
    useful = (bound for bound in candidates if bound is not None and bound.time > 0)
    return tuple(_with_time(bound, case.job.measure) for bound in sorted(useful, key=lambda bound: -bound.time))


def _with_time(bound: Bound, measure: Measure) -> Bound:
    return replace(bound, derivation=(*bound.derivation, *time_step(bound.time, measure)))


def class_bound(bounds: tuple[Bound, ...], name: str) -> Bound | None:
    """Return the strongest bound of a class, if there is one."""
    return next((bound for bound in bounds if bound.link_class == name), None)


def _hop_bound(case: Case) -> Bound | None:
    nearest = _nearest(case)
    if nearest is None:
        return None
    network, sent = case.network, case.scenario.job.volume_by_partner_rank(case.job)
    away = np.append(np.zeros(network.slots_per_node - 1), np.repeat(nearest, network.slots_per_node))
    hops = float((sent * away[: sent.size]).sum())
    if hops <= 0:
        return None
    measure, links = case.job.measure, plural(network.links, "link")
    total = f"{measure.number(hops)} {measure.singular} hops"
    reason = f"at least {total} must be spread over {links}"
    nearest_first = (
        "The fewest hops are needed if the partner to which each task sends most is nearest to it, the second next "
        f"nearest, and so on. Even then there are {total}, volume times distance."
    )
    if len({c.gbs for c in network.classes}) > 1:
        gbs = float(network.gbs.sum())
        step = f"Each hop loads a link, and the {links} have {figure(gbs)} GB/s in total."
        return Bound(hops / gbs, None, reason, (nearest_first, step))
    mean = hops / network.links
    least, name = min((rounded_up(mean, case, c.name), c.name) for c in network.classes)
    of_gbs = f"{links} of {network.classes[0].gbs:g} GB/s"
    each = f"Each hop loads a link, so the {of_gbs} carry {measure.amount(mean)} each on average."
    rounding = rounding_step(mean, least, load_quantum(case, name), measure)
    return Bound(least / network.classes[0].gbs, None, reason, (nearest_first, each, *rounding))


def _nearest(case: Case) -> NDArray[np.float64] | None:
    # Lower bounds on the hops from any of the job's nodes to its j-th nearest other node.
    nearest = case.router.nearest()
    if nearest is None:
        return None
    lower, allocation = nearest.astype(float), case.allocation
    if allocation is None:
        return lower
    nodes, count = allocation.nodes, allocation.nodes.size
    lower = lower[: count - 1]
    if count > MAX_NODES or isinstance(case.router, FaultyRouter):
        return lower
    hops = case.router.hops(np.repeat(nodes, count), np.tile(nodes, count)).reshape(count, count)
    np.fill_diagonal(hops, -1.0)
    own: NDArray[np.float64] = np.sort(hops, axis=1)[:, 1:].min(axis=0)
    return np.asarray(np.maximum(lower, own))


def _sums_bound(case: Case, report: LoadReport | None) -> Bound | None:
    network, tasks = case.network, case.job.tasks
    if not case.router.depends_on_sums or network.slots_per_node > 1 or tasks < network.nodes:
        return None
    if not all(_all_alike(run.phase) for run in case.job.runs):
        return None
    derivation = (
        "Each node holds one task, and no node is free.",
        "Under this routing, loads depend only on how much each node sends and receives in total.",
        "All tasks send the same total and receive the same total, so no swap changes a load.",
    )
    reason = "all mappings give the same loads under this routing, as all tasks send and receive equal totals"
    return Bound((report or evaluate(case)).time, None, reason, derivation)


def _all_alike(phase: Phase) -> bool:
    # Whether all tasks send equal totals, and receive equal totals. Uniform phases do by definition; their flows, a
    # billion between 37,888 tasks, are not read.
    if isinstance(phase, UniformPhase):
        return True
    sums = np.zeros((2, phase.tasks))
    for _, block in phase.blocks():
        goes = block.src != block.dst
        for end, total in zip((block.src, block.dst), sums, strict=True):
            total += np.bincount(end[goes], block.volume[goes], phase.tasks)
    return bool((np.ptp(sums, axis=1) <= CLEARLY * sums.max(axis=1)).all())


def _star_bounds(case: Case) -> list[Bound]:
    network = case.network
    groups = [(level.name, level.nodes_per_group, level.group) for level in network.levels]
    groups.append(("node", 1, np.arange(network.nodes, dtype=np.int32)))
    stars = []
    for name, nodes, group in groups:
        sent, received = case.scenario.job.max_external_volume(case.job, case.room(name, nodes))
        if max(sent, received) > 0:
            leave, reach = _rim(network, group)
            alone, measure = case.room(name, nodes) == 1, case.job.measure
            so = ", so" if alone else f". Even if each task shares its {name} with its largest partners,"
            start = f"{room_text(case, name, nodes)}{so}"
            stars.append(_star(sent, leave, start, ("send", f"out of its {name}"), measure))
            stars.append(_star(received, reach, start, ("receive", f"from outside its {name}"), measure))
    return [bound for bound in stars if bound is not None]


def _rim(network: Network, group: Ints) -> tuple[float, float]:
    # The largest bandwidth out of, and into, one group. Switches are in no group.
    count = int(group.max()) + 1
    of = np.append(group, np.full(network.vertices - network.nodes, count, np.int32))
    src, dst = of[network.src], of[network.dst]
    gbs = np.where(src != dst, network.gbs * network.multiplicity, 0.0)
    leave, reach = (np.bincount(end, gbs, count + 1)[:count].max() for end in (src, dst))
    return float(leave), float(reach)


def _star(volume: float, gbs: float, start: str, words: tuple[str, str], measure: Measure) -> Bound | None:
    if volume <= 0 or gbs <= 0:
        return None
    does, where = words
    must = f"some task must {does} at least {measure.amount(volume)} {where}"
    over = f"links of at most {figure(gbs)} GB/s in total"
    derivation = (
        f"{start} {must}.",
        f"This volume crosses {over}.",
    )
    return Bound(volume / gbs, None, f"{must} over {over}", derivation)


def _cuts(network: Network) -> tuple[Cut, ...]:
    tree = tree_of(network)
    return network.cuts or (() if tree is None else tree.cuts())


def _cut_bound(case: Case, cut: Cut) -> Bound | None:
    network, tasks = case.network, case.job.tasks
    inside = cut.nodes * network.slots_per_node
    fewest, most = max(0, tasks - min(network.slots - inside, case.slots)), min(tasks, inside)
    leaving = float(case.scenario.job.min_leaving_volume(np.arange(fewest, most + 1)).min())
    gbs = sum(network.link_class(name).gbs * count for name, count in cut.leaving.items())
    if leaving <= 0 or gbs <= 0:
        return None
    links, measure = sum(cut.leaving.values()), case.job.measure
    crosses = f"cross the {cut.name}" if cut.name.startswith("bisection") else f"leave {cut.name}"
    must, over = f"{measure.amount(leaving)} must {crosses}", f"{plural(links, 'link')} of {figure(gbs)} GB/s in total"
    reason = f"at least {must} over {over}"
    held = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    side = f"In every mapping, this side of the network has {held} of the {plural(tasks, 'task')}, so at least {must}."
    if len(cut.leaving) > 1:
        return Bound(leaving / gbs, None, reason, (side, f"They share {over}."))
    name, mean = next(iter(cut.leaving)), leaving / links
    least = rounded_up(mean, case, name)
    mean_of = mean_step(name, links, network.link_class(name).gbs, leaving, measure, "These")
    rounding = rounding_step(mean, least, load_quantum(case, name), measure)
    return Bound(least / network.link_class(name).gbs, name, reason, (side, mean_of, *rounding))
