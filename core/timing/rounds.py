"""Rounds: CLEX's algorithm simulated message by message, one per link and round (`core.timing.clex_rounds`).

A step takes as many rounds as the algorithm needs. A round lasts one latency plus the time that the step's largest
message needs for a link; a step takes one latency more, as in the other timings. Loads and path lengths are the
expected ones of the routing, as everywhere; rounds, and the figures of levels, are simulated.
"""

from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from core.job.job import Phase
from core.load.scenario import Case
from core.network import Clex
from core.routing import ClexRouting
from core.routing.flows import Nodes
from core.spec import Progress, Seed, SpecError, TooLarge, declare, no_progress, subprogress
from core.timing.barrier import BarrierTiming
from core.timing.clex_rounds import Algorithm, ClexRounds, Recorder, by_clique, rounds_of
from core.timing.round_steps import MAX_HOPS, RoundHops, RoundSteps
from core.timing.timeline import Timeline
from core.timing.timing import TimingSpec

MAX_MESSAGES = 1 << 26
"""Limit on messages in a step: each takes 12 bytes (0.8 GB)."""
COUNTED = 0.4
"""Fraction of the progress spent on loads."""


class Rounds(TimingSpec, frozen=True, tag="rounds"):
    """Rounds of CLEX: its algorithm, message by message, with one message per link and round."""

    title: ClassVar[str] = "Rounds"

    copies: Annotated[
        int,
        declare(
            "Copies",
            "copies sent to relays if the link of a message is taken; 2 to 4 match the paper's figures",
            ge=1,
            le=4096,
        ),
    ] = 2
    ask_first: Annotated[
        bool, declare("Ask first", "ask relays before one copy is sent, for less traffic but two more rounds")
    ] = True
    seed: Seed = 0

    def summary(self) -> str:
        """Return the model in words."""
        return f"one message per link and round, {self.copies} {'copy' if self.copies == 1 else 'copies'} to relays"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs; each begins when the previous one ends.

        Raises SpecError: on other networks and routings, with faults or limited injection. Raises TooLarge: if there
        are too many messages. Raises Cancelled: when `progress` does.
        """
        spec = self._check(case)
        counted = BarrierTiming().timeline(case, subprogress(progress, 0, COUNTED))
        played = self._played(case, spec, subprogress(progress, COUNTED, 1))
        each = np.array([sum(played[run].seconds) for run in case.job.run_of])
        end = np.cumsum(each)
        progress(1.0)
        return counted.retimed(end - each, end, rounds=_joined(case, played))

    def detailed(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return the timeline with a step per round, if messages are few enough to follow each."""
        spec = self._check(case)
        messages = sum(phase.tasks * phase.fan_out for _, phase, _ in case.job.runs)
        if case.network.aggregation > 1 or messages << (spec.levels + 1) > MAX_HOPS:
            return self.timeline(case, progress)
        played = self._played(case, spec, progress, record=True)
        rounds = RoundSteps(case, [run.hops for run in played if run.hops is not None])
        progress(1.0)
        return Timeline(
            case, *rounds.steps([run.seconds for run in played]), rounds=_joined(case, played), each_round=rounds
        )

    def _played(self, case: Case, spec: Clex, progress: Progress, *, record: bool = False) -> list["_PlayedRun"]:
        # Simulate each of the job's runs.
        algorithm = Algorithm(spec.k, spec.levels, self.copies, self.ask_first, spec.fat_links, self.seed)
        runs, node, played = case.job.runs, _nodes(case, spec), list[_PlayedRun]()
        for number, (_, phase, _) in enumerate(runs):
            some = subprogress(progress, number, number + 1, len(runs))
            ends, largest, mean = _messages(phase, node)
            recorder = Recorder(algorithm) if record else None
            rounds = rounds_of(algorithm, by_clique(algorithm, *ends), some, recorder)
            hops = RoundHops(recorder.hops(rounds.rounds), mean) if recorder is not None else None
            played.append(_PlayedRun(rounds, self._seconds(phase, rounds.rounds, largest / spec.gbs), hops))
        return played

    def _seconds(self, phase: Phase, rounds: int, each: float) -> list[float]:
        # The duration of each round; the phase's pause and one more latency are added to the first.
        waits = self.hop_seconds if phase.messages() else 0.0
        seconds = [each + self.hop_seconds] * max(rounds, 1) if rounds else [0.0]
        seconds[0] += phase.pause_seconds + waits
        return seconds

    def _check(self, case: Case) -> Clex:
        spec, routing = case.network.spec, case.scenario.routing
        if not (isinstance(spec, Clex) and isinstance(routing, ClexRouting) and routing.scheme == "recursive"):
            words = "rounds simulates CLEX's algorithm; choose a CLEX network with recursive routing, or barrier"
            raise SpecError("timing.type", words)
        if case.faults is not None:
            raise SpecError("timing.type", "rounds does not support faults; remove them, or choose barrier")
        if self.injection_gbs is not None:
            raise SpecError("timing.injection_gbs", "rounds uses all links of a node at once; remove this limit")
        return spec


class _PlayedRun(NamedTuple):
    rounds: ClexRounds
    seconds: list[float]
    """Duration of each round."""
    hops: RoundHops | None


def _joined(case: Case, played: list[_PlayedRun]) -> ClexRounds:
    return ClexRounds.joined([played[run].rounds for run in case.job.run_of])


def _nodes(case: Case, spec: Clex) -> Nodes:
    # The node of each task. In an aggregated network, a node's tasks fill its clique in order.
    node = case.mapping.nodes
    if case.network.aggregation == 1:
        return node
    order = np.argsort(node, kind="stable")
    first = np.append(0, np.cumsum(np.bincount(node, minlength=case.network.nodes)))
    rank = np.empty(node.size, np.int64)
    rank[order] = np.arange(node.size) - first[node[order]]
    return (node.astype(np.int64) * spec.k + rank // spec.slots_per_node).astype(np.int32)


def _messages(phase: Phase, node: Nodes) -> tuple[tuple[Nodes, Nodes], float, float]:
    # Sources and destinations of messages between different nodes, the largest volume, and the mean volume.
    source, target, largest, total = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], 0.0, 0
    volume = 0.0
    for _, block in phase.blocks():
        src, dst = node[block.src], node[block.dst]
        away = src != dst
        source.append(src[away])
        target.append(dst[away])
        largest = max(largest, float(block.volume[away].max(initial=0.0)))
        volume += float(block.volume[away].sum())
        total += source[-1].size
        if total > MAX_MESSAGES:
            words = f"rounds simulates every message, at most {MAX_MESSAGES:,} per step, and this job has more"
            raise TooLarge("timing.type", f"{words}; choose a smaller job, or barrier")
    return (np.concatenate(source), np.concatenate(target)), largest, volume / max(total, 1)
