"""Rounds: CLEX's algorithm played message by message, one over a link in each round (`core.timing.clex_rounds`).

A step takes as many rounds as the algorithm needs; a round lasts one latency, and as long as the step's largest message
needs for a link; one latency more, as in the other timings. What links carry and how far messages go is what the
routing expects of the algorithm, as everywhere else; rounds, and what they say of each level, are played.
"""

from typing import Annotated, ClassVar

import numpy as np

from core.job.job import Phase
from core.load.scenario import Case
from core.network import Clex
from core.routing import ClexRouting
from core.routing.flows import Nodes
from core.spec import Progress, Seed, SpecError, TooLarge, declare, no_progress, subprogress
from core.timing.barrier import BarrierTiming
from core.timing.clex_rounds import Algorithm, ClexRounds, held, rounds_of
from core.timing.timeline import Timeline
from core.timing.timing import TimingSpec

MAX_MESSAGES = 1 << 26
"""Of a step: each takes 12 bytes (0.8 GB)."""
COUNTED = 0.4
"""Fraction of the work after which loads are counted."""


class Rounds(TimingSpec, frozen=True, tag="rounds"):
    """Rounds of CLEX: every message goes by its algorithm, one over a link in each round."""

    title: ClassVar[str] = "Rounds"

    copies: Annotated[
        int,
        declare("Copies", "of a message whose link is taken, to relays; the paper's figures fit 2 to 4", ge=1, le=4096),
    ] = 2
    ask_first: Annotated[
        bool, declare("Ask first", "relays are asked, and one copy is sent: less traffic, two rounds more")
    ] = True
    seed: Seed = 0

    def summary(self) -> str:
        """Return what counts."""
        return f"one message a link in each round, {self.copies} {'copy' if self.copies == 1 else 'copies'} to relays"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs; each begins when the one before is over.

        Raises SpecError: on other networks and routings, with faults or limited injection. Raises TooLarge: if there
        are too many messages. Raises Cancelled: when `progress` does.
        """
        spec = self._check(case)
        counted = BarrierTiming().timeline(case, subprogress(progress, 0, COUNTED))
        runs, played, seconds = case.job.runs, [], []
        node, left = _nodes(case, spec), subprogress(progress, COUNTED, 1)
        for number, (_, phase, _) in enumerate(runs):
            some = subprogress(left, number, number + 1, len(runs))
            ends, largest = _messages(phase, node)
            played.append(self._played(spec, *ends, some))
            rounds = played[-1].rounds
            waits = self.hop_seconds * (rounds + 1) if phase.messages() else 0.0
            seconds.append(phase.pause_seconds + waits + rounds * largest / spec.gbs)
        each = np.array([seconds[run] for run in case.job.run_of])
        end = np.cumsum(each)
        whole = ClexRounds.joined([played[run] for run in case.job.run_of])
        progress(1.0)
        return counted.retimed(end - each, end, rounds=whole)

    def _check(self, case: Case) -> Clex:
        spec, routing = case.network.spec, case.scenario.routing
        if not (isinstance(spec, Clex) and isinstance(routing, ClexRouting) and routing.scheme == "recursive"):
            words = "rounds plays the algorithm of CLEX networks: choose one with routing clex, recursive; or barrier"
            raise SpecError("timing.type", words)
        if case.faults is not None:
            raise SpecError("timing.type", "rounds knows no faults; leave them out, or choose barrier")
        if self.injection_gbs is not None:
            raise SpecError("timing.injection_gbs", "rounds has a message on each link of a node at once; leave it out")
        return spec

    def _played(self, spec: Clex, source: Nodes, target: Nodes, progress: Progress) -> ClexRounds:
        algorithm = Algorithm(spec.k, spec.levels, self.copies, self.ask_first, spec.fat_links, self.seed)
        return rounds_of(algorithm, held(algorithm, source, target), progress)


def _nodes(case: Case, spec: Clex) -> Nodes:
    # The node of each task. Where a node of the network stands for a clique, its tasks fill that, in their order.
    node = case.mapping.nodes
    if case.network.aggregation == 1:
        return node
    order = np.argsort(node, kind="stable")
    first = np.append(0, np.cumsum(np.bincount(node, minlength=case.network.nodes)))
    rank = np.empty(node.size, np.int64)
    rank[order] = np.arange(node.size) - first[node[order]]
    return (node.astype(np.int64) * spec.k + rank // spec.slots_per_node).astype(np.int32)


def _messages(phase: Phase, node: Nodes) -> tuple[tuple[Nodes, Nodes], float]:
    # From which nodes to which others messages go, and the volume of the largest.
    source, target, largest, total = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], 0.0, 0
    for _, block in phase.blocks():
        src, dst = node[block.src], node[block.dst]
        away = src != dst
        source.append(src[away])
        target.append(dst[away])
        largest = max(largest, float(block.volume[away].max(initial=0.0)))
        total += source[-1].size
        if total > MAX_MESSAGES:
            words = f"rounds plays every message, at most {MAX_MESSAGES:,} in a step; here are more"
            raise TooLarge("timing.type", f"{words}: choose a smaller job, or barrier")
    return (np.concatenate(source), np.concatenate(target)), largest
