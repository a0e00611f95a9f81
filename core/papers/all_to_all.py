"""All-to-all inside a PERCS supernode: figures of a poster, compared with our figures.

Source: Totoni and Kale, "Optimizing All-to-All Algorithm for PERCS Network Using Simulation", 2011. It prints few
numbers, from packet simulation. Our figures follow from link loads, under the assumptions in `ASSUMPTIONS`.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.mapping import MappingSpec
from core.network import Percs
from core.papers.bounds import Bounds
from core.papers.papers import Cell, Paper, PaperTable, cell
from core.papers.printed_figures import printed_figures
from core.routing import PercsDirect
from core.spec import Progress, no_progress, subprogress
from core.timing import BarrierTiming, Timeline, timeline
from core.timing.link_activity import watched

PRINTED = printed_figures("alltoall")
SEEDS = 5
"""Draws of the random placement."""
TASKS = 1024
PAIRWISE = AllToAll(TASKS, "pairwise", 1e9)
NEW = AllToAll(TASKS, "node-by-node", 1e9, per_node=32)
AT_ONCE = AllToAll(TASKS, "at-once", 1e9)
BLOCKS, SINGLE_HOP, STRIPED = Sequential(), PercsDirect("single-hop"), PercsDirect("striped")
INJECTION = 31.0
"""Injection limit of a node in GB/s that gives the published speed-up of five."""
DRAWN = "drawn by BigSim, without numbers"
SUPERNODE = Percs(supernodes=1, ll_gbs=24.0, lr_gbs=5.0, d_gbs=10.0, slots_per_node=32)
ASSUMPTIONS = (
    "one supernode: 4 drawers of 8 nodes, 32 cores per node, LL 24 and LR 5 GB/s per direction; 1 GB per pair of tasks",
    "placement: ranks in blocks, rank = node x 32 + core, unless noted otherwise",
    "barrier after every step; the duration of a step is the time of its busiest link, without latency",
    "single hop: each message takes the link between its nodes, unless noted as striped over a drawer",
    "nodes send and receive without limit, unless noted otherwise; messages inside a node are free",
)


def figures(progress: Progress = no_progress) -> Iterator[Cell]:
    """Yield every figure; 1,023 steps of pairwise exchange are timed for each placement."""
    new, peak, pairwise = _timed(NEW), _timed(AT_ONCE), _timed(PAIRWISE)
    progress(0.2)
    yield from _counts(pairwise, new)
    yield from _times(pairwise, new, peak)
    yield from _links(pairwise, new)
    yield from _ways_to_five(new, progress)


def _timed(
    job: AllToAll, mapping: MappingSpec = BLOCKS, routing: PercsDirect = SINGLE_HOP, injection_gbs: float | None = None
) -> Timeline:
    timing = BarrierTiming(injection_gbs=injection_gbs)
    return timeline(Scenario(SUPERNODE, job, mapping, routing, timing=timing).build())


def _cited(name: str, unit: str, ours: float, remark: str = "") -> Cell:
    return PRINTED.cited_cell("figures", name, unit, ours, remark)


def _unprinted(name: str, unit: str, ours: float, note: str, bounds: Bounds) -> Cell:
    return cell("figures", name, unit, ours, None, note, bounds)


PEAK = SUPERNODE.slots_per_node**2 / SUPERNODE.lr_gbs
"""Seconds that the messages between two nodes of different drawers need on their only link."""
SLOWEST = (TASKS - 1) * SUPERNODE.slots_per_node / SUPERNODE.lr_gbs
"""Seconds if in every step all tasks of a node send over one LR link."""


def _in_use(gbs: float) -> Bounds:
    # % of the time that a link between two nodes is busy with their messages.
    busy = 100 * SUPERNODE.slots_per_node**2 / gbs
    return busy / SLOWEST, busy / PEAK


def _counts(pairwise: Timeline, new: Timeline) -> Iterator[Cell]:
    network = pairwise.case.network
    links = {link_class.name: link_class.count / network.nodes for link_class in network.classes}
    yield _cited("nodes of a supernode", "nodes", network.nodes)
    yield _cited("LL links of a node", "links", links["LL"])
    yield _cited("LR links of a node", "links", links["LR"])
    sent, note = pairwise.messages / TASKS, "section 2: each of t tasks sends t - 1"
    yield cell("figures", "messages of a task", "messages", sent, TASKS - 1, note)
    pairs, note = pairwise.steps[0].messages / 2, "section 2: P/2 pairs of tasks"
    yield cell("figures", "pairs in a step of pairwise exchange", "pairs", pairs, TASKS / 2, note)
    yield _cited("phases of the new algorithm", "phases", len(new.steps))


def _times(pairwise: Timeline, new: Timeline, peak: Timeline) -> Iterator[Cell]:
    note = "a curve of Figure 2, without numbers in the text"
    yield _unprinted("pairwise exchange", "s", pairwise.seconds, note, (PEAK, SLOWEST))
    yield _unprinted("new algorithm", "s", new.seconds, f"{note}; our time equals the peak", (PEAK, SLOWEST))
    at_once = f"{note}; here: all messages at once"
    yield _unprinted("peak of the links", "s", peak.seconds, at_once, (PEAK, PEAK))
    speedup = pairwise.seconds / new.seconds
    reason = "link loads alone give more; the last rows show what reduces it to about five"
    yield _cited("speed-up", "times", speedup, reason)
    yield _cited("reduction of the time", "%", 100 * (1 - 1 / speedup))


def _links(pairwise: Timeline, new: Timeline) -> Iterator[Cell]:
    for name, times, note in (
        ("pairwise exchange", pairwise, "Figure 1(a): not all links are in use at once, only one of a node's 31"),
        ("new algorithm", new, "Figure 1(b): all links are always in use; LL links carry the load of LR links"),
    ):
        for link_class, share in times.utilisation.items():
            bounds = _in_use(times.case.network.link_class(link_class).gbs)
            yield _unprinted(f"{link_class} in use, {name}", "%", 100 * share, note, bounds)


def _ways_to_five(new: Timeline, progress: Progress) -> Iterator[Cell]:
    drawn = []
    for seed in range(SEEDS):
        drawn.append(_timed(PAIRWISE, Random(seed)).seconds / new.seconds)
        progress(0.2 + 0.6 * (seed + 1) / SEEDS)
    note = f"pairwise exchange with random placement: {min(drawn):.3g} to {max(drawn):.3g} in {SEEDS} draws"
    yield _unprinted("speed-up over random placement", "times", sum(drawn) / SEEDS, note, (1, SLOWEST / PEAK))
    limited = [_timed(job, injection_gbs=INJECTION).seconds for job in (PAIRWISE, NEW)]
    note = f"a node sends and receives at most {INJECTION:g} GB/s, although chips and hub are linked by 192 GB/s"
    yield _unprinted("speed-up under limited injection", "times", limited[0] / limited[1], note, (1, SLOWEST / PEAK))
    striped = [_timed(job, routing=STRIPED).seconds for job in (PAIRWISE, NEW)]
    note = "messages striped over the nodes of the drawer in both algorithms: 323/96"
    yield _unprinted("speed-up with striped messages", "times", striped[0] / striped[1], note, (1, SLOWEST / PEAK))
    progress(1.0)


TENTHS = 10
SHOWN = {"LL to node 1": 1, "LR to node 8": 8, "LR to node 24": 24}
"""Links of node 0, with the nodes they lead to, in its own drawer and in two other drawers."""


def over_time(progress: Progress = no_progress) -> Iterator[Cell]:
    """Yield the utilisation of three links of node 0, and of all links in use, in each tenth of the time."""
    used = []
    for number, (name, job) in enumerate({"pairwise": PAIRWISE, "new": NEW}.items()):
        case = Scenario(SUPERNODE, job, BLOCKS, SINGLE_HOP, timing=BarrierTiming()).build()
        start, out = case.network.out_links.start, case.network.out_links
        links = out.link[start[0] : start[1]]
        part = subprogress(progress, number, number + 1, 2)
        busy = watched(evaluate(case), [np.array([link]) for link in links], part).busy
        shares = in_parts(timeline(case), busy, TENTHS)
        for title, node in SHOWN.items():
            (column,) = np.flatnonzero(out.vertex[start[0] : start[1]] == node)
            for tenth, share in enumerate(shares[:, column]):
                row = f"{100 * tenth // TENTHS} to {100 * (tenth + 1) // TENTHS} % of the time"
                yield cell("figure-1", row, f"{title}, {name}, %", 100 * float(share), None, DRAWN, (0, 100))
        used.append((busy > 0).sum(axis=1)[busy.any(axis=1)])
    pairwise, new = used
    note = "Figure 1(a): not all links are in use at once"
    row, unit = "links of node 0 in use at once", "number of links"
    yield cell("figure-1", f"{row}, most: pairwise", unit, int(pairwise.max()), None, note, (1, links.size))
    note, least = "Figure 1(b): all links are always in use", int(new.min())
    yield cell("figure-1", f"{row}, least: new", unit, least, links.size, note)


def in_parts(times: Timeline, busy: NDArray[np.float64], parts: int) -> NDArray[np.float64]:
    """Return the fraction of each part of the time in which links are busy, shape ``(parts, links)``.

    Links are busy evenly within a step; `busy` is the busy time of links in each step, shape ``(steps, links)``.
    """
    begin = np.array([step.start for step in times.steps])
    end = begin + [step.seconds for step in times.steps]
    edges = np.linspace(0, times.seconds, parts + 1)
    within = np.minimum(end, edges[1:, None]) - np.maximum(begin, edges[:-1, None])
    duration = np.where(end > begin, end - begin, 1.0)
    return np.asarray(np.maximum(within, 0.0) / duration @ busy / (times.seconds / parts))


PAPER = Paper(
    "Totoni and Kale, Optimizing All-to-All Algorithm for PERCS Network Using Simulation, 2011",
    (
        PaperTable("figures", "all-to-all inside a PERCS supernode", figures),
        PaperTable("figure-1", "utilisation of a node's links over time (Figure 1)", over_time),
    ),
    ASSUMPTIONS,
    (
        ("Figure 1(c)", "illustration of one phase"),
        (
            "Figure 2, times by message size",
            "a curve from packet simulation; neither numbers nor sizes are printed",
        ),
    ),
)
