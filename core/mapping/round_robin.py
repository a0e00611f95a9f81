"""Round-robin, called cyclic by job managers: ranks are assigned to nodes in turn."""

from typing import Annotated, ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingOfNodesSpec, Slots
from core.network.network import Ints, Network
from core.spec import Progress, SpecError, declare


class RoundRobin(MappingOfNodesSpec, frozen=True, tag="round-robin"):
    """Round-robin: ranks assigned in turn to the nodes, or to the groups of a level."""

    title: ClassVar[str] = "Round-robin"

    level: Annotated[
        str,
        declare("Level", "level whose groups receive ranks in turn, such as node or drawer"),
    ] = "node"

    def place_on(self, job: Job, network: Network, nodes: Ints, progress: Progress) -> Slots:
        """Return the slots: rank r takes the first free slot of group r mod g, of g groups; full groups are skipped.

        Raises SpecError: if the network has no level of that name.
        """
        own, cores = self._group(network)[nodes], np.arange(network.slots_per_node, dtype=np.int32)
        _, first, group, size = np.unique(own, return_index=True, return_inverse=True, return_counts=True)
        by_group, size = np.argsort(first[group], kind="stable"), size[np.argsort(first)]
        # A row of nodes for each group, starting with the group of the first node; shorter rows are padded with -1.
        table = np.full((size.size, size.max(), cores.size), -1, np.int32)
        table[np.arange(size.max()) < size[:, None]] = nodes[by_group, None] * cores.size + cores
        dealt = table.reshape(size.size, -1).T
        return dealt[dealt >= 0][: job.tasks]

    def _group(self, network: Network) -> Ints:
        groups = {
            "node": np.arange(network.nodes, dtype=np.int32),
            **{level.name: level.group for level in network.levels},
        }
        if self.level not in groups:
            choices = ", ".join(groups)
            raise SpecError("mapping.level", f"the network has no level {self.level!r}; levels: {choices}")
        return groups[self.level]
