"""Phases with several messages per task, each to a different partner."""

from collections.abc import Sequence

from core.job.collectives.steps import MessageStep
from core.job.job import FlowBlock, Phase, Tasks


class SimultaneousSteps(Phase):
    """Steps whose messages are all sent together."""

    def __init__(self, tasks: int, steps: Sequence[MessageStep], name: str = "") -> None:
        self.tasks, self.fan_out, self.name = tasks, len(steps), name
        self._steps = steps

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the messages that tasks send."""
        return FlowBlock.joined(step.out_flows(tasks) for step in self._steps)

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the messages that tasks receive."""
        return FlowBlock.joined(step.in_flows(tasks) for step in self._steps)
