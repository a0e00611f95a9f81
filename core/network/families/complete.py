"""Complete graphs: a link between any two nodes; the ideal for comparisons."""

from pathlib import Path
from typing import Annotated, ClassVar, Self

import msgspec
import numpy as np

from core.network.layouts.ring import ring
from core.network.network import Cut, Gbs, Network, NetworkSpec, TasksPerNode, check_size, vertex_transitive
from core.network.wiring import EdgeList, by_jump, network_from_edges
from core.spec import declare


class Complete(NetworkSpec, frozen=True, tag="complete"):
    """A link between every two nodes, as an ideal for comparison."""

    title: ClassVar[str] = "Complete graph"

    nodes: Annotated[int, declare("Nodes", "number of nodes", ge=2, le=1 << 20)] = 32
    gbs: Gbs = 12.5
    slots_per_node: TasksPerNode = 1

    def summary(self) -> str:
        """Return the numbers of nodes and of links."""
        return f"{self.nodes:,} nodes of degree {self.nodes - 1:,}, {self.nodes * (self.nodes - 1) // 2:,} links"

    def sized(self, nodes: int) -> Self:
        """Return the complete graph with `nodes` nodes."""
        return msgspec.structs.replace(self, nodes=min(max(nodes, 2), 1 << 20))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the complete graph with ``degree + 1`` nodes; `nodes` is ignored."""
        return (msgspec.structs.replace(self, nodes=degree + 1),) if 1 <= degree < 1 << 20 else ()

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its one link class is named link.

        Raises SpecError: beyond the limit on links.
        """
        check_size("network.nodes", f"{self.nodes:,} nodes", self.nodes * (self.nodes - 1))
        u, v = (end.astype(np.int32) for end in np.triu_indices(self.nodes, 1))
        half = self.nodes // 2
        return network_from_edges(
            self,
            self.nodes,
            [EdgeList("link", self.gbs, u, v)],
            ring,
            slots=self.slots_per_node,
            symmetry=vertex_transitive(self.nodes),
            find_alike=by_jump,
            cuts=(Cut("half of the nodes", half, {"link": half * (self.nodes - half)}),),
        )
