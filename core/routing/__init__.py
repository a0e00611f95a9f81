"""Routing schemes: which links the flows of a job take; one package per family of schemes."""

from core.routing.clex.scheme import ClexRouting
from core.routing.congestion.scheme import CongestionAware
from core.routing.default import default_routing
from core.routing.faulty import FaultyRouter, depends_on, may_all_change, with_faults, without_faults
from core.routing.group_minimal.scheme import GroupMinimal, GroupRouter, SingleGroupRouter
from core.routing.group_minimal.valiant import GroupLegsRouter
from core.routing.group_minimal.valiant_groups import GroupLegsThroughGroups
from core.routing.lattice.adaptive import Adaptive, AdaptiveRouter
from core.routing.lattice.adaptive_faults import FaultyAdaptiveRouter
from core.routing.lattice.dimension_order import DimensionOrder, DimensionOrderRouter
from core.routing.lattice.dimension_order_faults import FaultyDimensionOrderRouter
from core.routing.lattice.short_dimension import ShortDimension
from core.routing.minimal.faults import (
    FaultyMinimalRouter,
    FaultyValiantRouter,
    ResidualRouter,
    depends_on_shortest_paths,
)
from core.routing.minimal.scheme import Minimal, MinimalRouter
from core.routing.minimal.valiant import Valiant, ValiantRouter
from core.routing.minimal.valiant_groups import GroupValiantRouter
from core.routing.percs.faults import FaultyPercsRouter
from core.routing.percs.scheme import PercsDirect, PercsIndirect, PercsRouter
from core.routing.planned import FaultyPlanningRouter, PlanningRouter
from core.routing.router import PlanNote, Route, Router, RoutingSpec
from core.routing.tables.faults import FaultyTableRouter
from core.routing.tables.scheme import TableRouter, Tables
from core.routing.tree.d_mod_k import DModK, DModKRouter, FaultyDModKRouter
from core.routing.ugal.scheme import Ugal

AnyRouting = (
    PercsDirect
    | PercsIndirect
    | DimensionOrder
    | Adaptive
    | ShortDimension
    | ClexRouting
    | DModK
    | Tables
    | GroupMinimal
    | Minimal
    | Valiant
    | CongestionAware
    | Ugal
)

with_faults.register(PercsRouter, FaultyPercsRouter)
with_faults.register(DimensionOrderRouter, FaultyDimensionOrderRouter)
with_faults.register(AdaptiveRouter, FaultyAdaptiveRouter)
with_faults.register(DModKRouter, FaultyDModKRouter)
with_faults.register(TableRouter, FaultyTableRouter)
with_faults.register(PlanningRouter, FaultyPlanningRouter)
with_faults.register(MinimalRouter, FaultyMinimalRouter)
with_faults.register(GroupRouter, FaultyMinimalRouter)
with_faults.register(ValiantRouter, FaultyValiantRouter)
with_faults.register(GroupValiantRouter, FaultyValiantRouter)
with_faults.register(GroupLegsRouter, FaultyValiantRouter)
with_faults.register(GroupLegsThroughGroups, FaultyValiantRouter)

depends_on.register(MinimalRouter, depends_on_shortest_paths)
for everywhere in (
    SingleGroupRouter, ValiantRouter, GroupValiantRouter, GroupLegsRouter, GroupLegsThroughGroups, ResidualRouter
):  # fmt: skip
    depends_on.register(everywhere, may_all_change)

__all__ = [
    "Adaptive",
    "AnyRouting",
    "ClexRouting",
    "CongestionAware",
    "DModK",
    "DimensionOrder",
    "FaultyRouter",
    "GroupMinimal",
    "Minimal",
    "PercsDirect",
    "PercsIndirect",
    "PlanNote",
    "Route",
    "Router",
    "RoutingSpec",
    "ShortDimension",
    "Tables",
    "Ugal",
    "Valiant",
    "default_routing",
    "with_faults",
    "without_faults",
]
