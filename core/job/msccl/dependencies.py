"""The order in which the steps of a schedule can run: which receives what another sends, and which waits for which."""

from collections import defaultdict
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

import numpy as np

from core.job.msccl.schedule import Schedule, Step, ThreadBlock
from core.job.msccl.xml_reader import FIELD
from core.job.order import MessageOrder, Operations
from core.spec import SpecError, error_at_line
from core.text import examples, plural

Connection = tuple[int, int, int]
"""Sending GPU, receiving GPU, and channel."""


class PlacedStep(NamedTuple):
    """A step and its thread block."""

    block: ThreadBlock
    step: Step

    @property
    def name(self) -> str:
        """Return its name: ``gpu 4 tb 2 step 7 (rrcs)``."""
        return self.block.name(self.step)

    def wrong(self, what: str) -> SpecError:
        """Return the error about it."""
        return error_at_line(FIELD, self.step.line, f"{self.name} {what}")


class Dependencies(NamedTuple):
    """The steps of a schedule, in the order of the file, and their dependencies."""

    steps: list[PlacedStep]
    receiver: dict[int, int]
    """The receiving step of each sending step, by their numbers in `steps`."""
    signalled: dict[int, list[int]]
    """Steps of the same GPU that wait for a step."""
    order: list[int]
    """An order in which they can run."""
    wave: list[int]
    """For each step, the largest number of sends that must precede it one after the other."""

    @classmethod
    def of(cls, schedule: Schedule) -> "Dependencies":
        """Find the dependencies.

        Raises SpecError: naming a send without its receive, a receive without its send, or steps that wait for each
        other.
        """
        steps = [PlacedStep(block, step) for block in schedule.blocks for step in block.steps]
        number = {(block.gpu, block.number, step.number): k for k, (block, step) in enumerate(steps)}
        receiver, signalled = _receivers(steps), defaultdict[int, list[int]](list)
        before: list[list[int]] = [[] for _ in steps]
        for k, (block, step) in enumerate(steps):
            if k and steps[k - 1].block is block:
                before[k].append(k - 1)
            if step.after is not None:
                signal = number[block.gpu, *step.after]
                signalled[signal].append(k)
                before[k].append(signal)
        for sender, k in receiver.items():
            before[k].append(sender)
        order, wave = _sorted(steps, before), [0] * len(steps)
        for k in order:
            wave[k] = max((wave[b] + steps[b].step.kind.sends for b in before[k]), default=0)
        return cls(steps, receiver, dict(signalled), order, wave)

    def sends(self) -> list[int]:
        """Return the sending steps, wave by wave, in each by GPU, thread block and number."""
        return sorted(self.receiver, key=self.wave.__getitem__)

    def message_order(self) -> MessageOrder:
        """Return the order of the messages of `sends`; each thread block is a thread."""
        start, operation, free = list[int](), list[int](), 0
        for k, (block, _) in enumerate(self.steps):
            if not k or self.steps[k - 1].block is not block:
                # Between the steps of two thread blocks are the end of the first and the begin of the second.
                start.append(free + bool(k))
                free = start[-1] + 1
            operation.append(free)
            # After a step that others wait for, an operation sends the signals.
            free += 2 if k in self.signalled else 1
        sends = self.sends()
        signals = [[operation[k] + 1, operation[other]] for k, others in self.signalled.items() for other in others]
        return MessageOrder(
            _operations([*start, free + 1]),
            _operations([operation[k] for k in sends]),
            _operations([operation[self.receiver[k]] for k in sends]),
            _operations(signals).reshape(-1, 2),
        )


def _operations(numbers: Sequence[object]) -> Operations:
    return np.array(numbers, np.int32)


def _receivers(steps: list[PlacedStep]) -> dict[int, int]:
    sends, receives = defaultdict[Connection, list[int]](list), defaultdict[Connection, list[int]](list)
    for k, (block, step) in enumerate(steps):
        if step.kind.sends:
            sends[block.gpu, block.send, block.channel].append(k)
        if step.kind.receives:
            receives[block.receive, block.gpu, block.channel].append(k)
    for connection in dict.fromkeys([*sends, *receives]):
        _check_connection(steps, connection, sends[connection], receives[connection])
    return {sender: k for ends in sends for sender, k in zip(sends[ends], receives[ends], strict=True)}


def _check_connection(steps: list[PlacedStep], ends: Connection, sends: list[int], receives: list[int]) -> None:
    src, dst, channel = ends
    for some in (sends, receives):
        other = next((k for k in some if steps[k].block is not steps[some[0]].block), None)
        if other is not None:
            first, verb = steps[some[0]].block.number, "sends to" if some is sends else "receives from"
            peer = dst if some is sends else src
            raise steps[other].wrong(f"{verb} gpu {peer} on channel {channel}, as does tb {first}; use another channel")
    for sender, k in zip(sends, receives, strict=False):
        sent, received = steps[sender].step.chunks, steps[k].step.chunks
        if sent != received:
            raise steps[sender].wrong(f"sends {plural(sent, 'chunk')}, but {steps[k].name} receives {received:,}")
    if len(sends) > len(receives):
        message = f"sends to gpu {dst} on channel {channel}, which does not receive it"
        raise steps[sends[len(receives)]].wrong(message)
    if len(receives) > len(sends):
        raise steps[receives[len(sends)]].wrong(f"receives from gpu {src} on channel {channel}, which does not send it")


def _sorted(steps: list[PlacedStep], before: list[list[int]]) -> list[int]:
    try:
        return list(TopologicalSorter(dict(enumerate(before))).static_order())
    except CycleError as error:
        first, *others = error.args[1][:-1]
        names = examples([steps[k].name for k in others])
        waits = f"it and {names} wait for each other" if others else "it waits for itself"
        raise steps[first].wrong(f"cannot start: {waits}") from error
