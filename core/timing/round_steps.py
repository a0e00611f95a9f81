"""CLEX's rounds as steps of the timeline, with the links that messages cross in each."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.flows import ListedPhase
from core.job.job import FlowBlock
from core.load.evaluate import LoadReport
from core.load.phases import Loads, Phases
from core.load.scenario import Case
from core.routing.flows import Nodes
from core.timing.clex_rounds import LinkCrossings
from core.timing.step import Step

MAX_HOPS = 1 << 22
"""Link crossings that are recorded: 20 MB."""


class RoundHops(NamedTuple):
    """The links crossed by the messages of a phase in each round."""

    hops: LinkCrossings
    volume: float
    """Mean volume of a message."""

    @property
    def rounds(self) -> int:
        """Return the number of rounds."""
        return self.hops.start.size - 1


class RoundSteps:
    """The rounds of a job, one step each; a phase without rounds, such as a pause, is one step.

    `played` has the recorded hops of each of the job's `runs`.
    """

    def __init__(self, case: Case, played: list[RoundHops]) -> None:
        self.case, self._played = case, played
        self._first_link = np.cumsum([0, 0, *(c.count for c in case.network.classes[:-1])], dtype=np.int64)
        """(levels + 1,) number of the first link of each level; level 0 does not exist."""
        self._where = [
            (phase, run, number)
            for phase, run in enumerate(case.job.run_of)
            for number in range(max(played[run].rounds, 1))
        ]
        """For each step: its phase, the run, and the round."""

    def __len__(self) -> int:
        return len(self._where)

    def links(self, step: int) -> NDArray[np.int64]:
        """Return the links crossed in a step, one entry per message."""
        _, run, number = self._where[step]
        level, link = self._hops(run, number)
        return np.asarray(self._first_link[level] + link, np.int64)

    def _hops(self, run: int, number: int) -> tuple[NDArray[np.int8], Nodes]:
        # The levels and links crossed in a round; empty for a phase without rounds.
        hops = self._played[run].hops
        some = slice(hops.start[number], hops.start[number + 1] if self._played[run].rounds else 0)
        return hops.level[some], hops.link[some]

    def load(self, step: int) -> Loads:
        """Return the load of every link in a step, shape ``(links,)``, in units of volume."""
        volume = self._played[self._where[step][1]].volume
        return np.asarray(np.bincount(self.links(step), minlength=self.case.network.links) * volume)

    def report(self, step: int) -> LoadReport:
        """Return the loads of a step, as if the messages moving in it were the job.

        Its flows go between the tasks on the nodes at both ends of a link; links at nodes without tasks have load, but
        no flow.
        """
        network, links = self.case.network, self.links(step)
        task = np.full(network.vertices, -1, np.int32)
        task[self.case.mapping.nodes] = np.arange(self.case.job.tasks, dtype=np.int32)
        src, dst = task[network.src[links]], task[network.dst[links]]
        both = (src >= 0) & (dst >= 0) & (src != dst)
        volume = np.full(np.count_nonzero(both), self._played[self._where[step][1]].volume)
        phase = ListedPhase(self.case.job.tasks, FlowBlock(src[both], dst[both], volume))
        case = replace(self.case, job=replace(self.case.job, phases=(phase,), unit=False))
        load = self.load(step)
        return LoadReport(case, Phases(case, load), load, self.busy_and_sent(load)[0][None])

    def busy_and_sent(self, load: Loads) -> tuple[Loads, Loads]:
        """Return the seconds that the busiest link of each class needs, and the load of each class."""
        classes, times = self.case.network.classes, load / self.case.gbs
        busy = np.array([times[c.links].max(initial=0.0) for c in classes])
        return busy, np.array([load[c.links].sum() for c in classes])

    def steps(self, seconds: list[list[float]]) -> tuple[list[Step], Loads, Loads, Loads]:
        """Return the steps, the load of links over all of them, `busy` and `sent`.

        `seconds` has the durations of each round of each run.
        """
        shape = len(self), len(self.case.network.classes)
        total, busy, sent = np.zeros(self.case.network.links), np.zeros(shape), np.zeros(shape)
        steps, start = list[Step](), 0.0
        for step, (_, run, number) in enumerate(self._where):
            takes = seconds[run][number]
            load = self.load(step)
            busy[step], sent[step] = self.busy_and_sent(load)
            total += load
            count = self.links(step).size
            meeting = np.bincount(self.links(step)) if count else np.zeros(1, np.intp)
            pairs = float((meeting * (meeting - 1) // 2).sum())
            name = self.case.network.classes[int(sent[step].argmax())].name if count else None
            steps.append(Step(self.name(step), start, takes, count, count, min(count, 1), pairs, name))
            start += takes
        return steps, total, busy, sent

    def name(self, step: int) -> str:
        """Return the round, its phase if there are several, and the levels of the links that it crosses."""
        phase, run, number = self._where[step]
        played = self._played[run]
        own = self.case.job.step_name(phase) if len(self.case.job.phases) > 1 else ""
        if not played.rounds:
            return own or self.case.job.step_name(phase)
        levels = np.unique(self._hops(run, number)[0])
        over = f"level{'s' if levels.size > 1 else ''} {' and '.join(map(str, levels.tolist()))}"
        what = f"round {number + 1:,}: {over if levels.size else 'relay requests'}"
        return f"{own}, {what}" if own else what
