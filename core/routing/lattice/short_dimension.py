"""Short-dimension routing (SDR): some pairs detour over a node halfway around the short dimensions of an uneven torus.

From there adaptive routing has the largest choice of paths along the long dimension. The pairs are chosen phase by
phase: see `detours.py`. Designed for phases in which every node sends to one other node, and defined for all.

Source: Chakaravarthy, Jain and Sabharwal, "Optimizing matrix transpose on torus interconnects", 2010, section 4.
"""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.network.families.torus import Lattice
from core.network.network import Network
from core.routing.faulty import FaultyRouter, with_faults
from core.routing.flows import Flags, NodeFlows, Volumes
from core.routing.lattice.adaptive import AdaptiveRouter
from core.routing.lattice.detours import (
    NOWHERE,
    ROLES,
    Choice,
    DetourRouter,
    chosen_nodes,
    rule_of_thumb,
    shape_of,
    usable,
)
from core.routing.lattice.dimension_order import LatticeRouting
from core.routing.planned import PlanningRouter, demand_of
from core.routing.router import Partition, PlanNote, Router
from core.spec import Progress, declare, no_progress


class ShortDimension(LatticeRouting, frozen=True, tag="short-dimension"):
    """Short dimension (SDR): adaptive, with detours of some pairs over a node halfway around the short dimensions."""

    title: ClassVar[str] = "Short dimension"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "As published": {"alpha": 0.5, "gamma": 2, "delta": 2, "exclusive": True},
        "All pairs (lemma 1)": {"alpha": 1.0, "gamma": 0, "delta": 0, "exclusive": False},
    }

    alpha: (
        Annotated[
            float,
            declare(
                "Alpha", "share of the pairs with a detour, nearest first (default: by ratio of sides)", ge=0, le=1
            ),
        ]
        | None
    ) = None
    gamma: Annotated[
        int, declare("Gamma", "hops along the long dimension below which pairs take no detour", ge=0, le=1 << 16)
    ] = 2
    delta: Annotated[
        int, declare("Delta", "distance below which a free node may replace an intermediate node in use", ge=0, le=16)
    ] = 2
    dimensions: Annotated[
        Literal["short", "shortest"],
        declare("Dimensions", "detours halfway around all short dimensions, or only the shortest"),
    ] = "short"
    model: Annotated[Literal["uniform", "hop-local"], declare("Model", "model of adaptive routing on both legs")] = (
        "uniform"
    )
    exclusive: Annotated[bool, declare("One pair per node", "whether an intermediate node serves one pair only")] = True

    def router(self, network: Network) -> Router:
        """Return the router."""
        return ShortDimensionRouter(network, self.check(network), self)

    def summary(self) -> str:
        """Return the rule in words."""
        part = "some pairs" if self.alpha is None else f"up to {100 * self.alpha:.4g} % of the pairs"
        dimensions = "short dimensions" if self.dimensions == "short" else "shortest dimension"
        return f"detours of {part} halfway around the {dimensions}"


class ShortDimensionRouter(PlanningRouter):
    """Chooses the pairs of a phase that take detours."""

    roles = ROLES

    def __init__(self, network: Network, lattice: Lattice, spec: ShortDimension) -> None:
        super().__init__(network)
        self._adaptive = AdaptiveRouter(network, lattice, spec.model == "uniform")
        self._shape = shape_of(self._adaptive.grid, spec.dimensions == "shortest")
        alpha = rule_of_thumb(self._shape) if spec.alpha is None else spec.alpha
        self._choice = Choice(alpha, spec.gamma, spec.delta, spec.exclusive)

    def planned(self, flows: Iterable[NodeFlows], gbs: Volumes, progress: Progress = no_progress) -> Router:
        """Return the router with both legs of every chosen pair; pairs without a usable detour go direct.

        Raises SpecError: if there are too many pairs.
        """
        pairs = demand_of(flows, self.network.nodes, "short-dimension")
        base: Router = self._adaptive if gbs.all() else with_faults(self._adaptive, gbs == 0)
        via = usable(pairs.src, chosen_nodes(pairs.src, pairs.dst, self._shape, self._choice), pairs.dst, base)
        apart = np.flatnonzero(via != NOWHERE)
        keys = pairs.src[apart].astype(np.int64) * self.network.nodes + pairs.dst[apart]
        order = np.argsort(keys)
        note = self._note(apart.size, pairs.src.size) if pairs.src.size else None
        return DetourRouter(self.network, base, keys[order], via[apart[order]], note)

    def _note(self, apart: int, pairs: int) -> PlanNote:
        figures = {"pairs": float(pairs), "detours": float(apart), "alpha": float(self._choice.alpha)}
        if not self._shape.short.size:
            return PlanNote("no detours, because no dimension is at most half as long as the longest", figures)
        return PlanNote(f"{apart:,} of {pairs:,} pairs take a detour over an intermediate node", figures)

    def with_faults(self, failed: Flags) -> FaultyRouter:
        """Return adaptive routing on the remaining links; flows that it cannot deliver stay disconnected."""
        return with_faults(self._adaptive, failed)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the partitions of adaptive routing: detours cross no fewer links."""
        return self._adaptive.partitions()

    def nearest(self) -> NDArray[np.int64]:
        """Return the distances of adaptive routing."""
        return self._adaptive.nearest()
