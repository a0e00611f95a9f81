"""Which way data goes: one file per scheme."""

from core.routing.adaptive import Adaptive, AdaptiveRouter
from core.routing.adaptive_faults import FaultyAdaptiveRouter
from core.routing.clex import ClexRouting
from core.routing.congestion_aware import CongestionAware
from core.routing.dimension_order import DimensionOrder, DimensionOrderRouter
from core.routing.faulty import FaultyRouter, around, sound
from core.routing.lattice_faults import FaultyDimensionOrderRouter
from core.routing.minimal import Minimal, MinimalRouter
from core.routing.minimal_faults import FaultyMinimalRouter, FaultyValiantRouter
from core.routing.percs import PercsDirect, PercsIndirect, PercsRouter
from core.routing.percs_faults import FaultyPercsRouter
from core.routing.planned import FaultyPlanningRouter, PlanningRouter
from core.routing.routing import PlanNote, Route, Router, RoutingSpec
from core.routing.short_dimension import ShortDimension
from core.routing.valiant import Valiant, ValiantRouter

AnyRouting = (
    PercsDirect
    | PercsIndirect
    | DimensionOrder
    | Adaptive
    | ShortDimension
    | ClexRouting
    | Minimal
    | Valiant
    | CongestionAware
)

around.register(PercsRouter, FaultyPercsRouter)
around.register(DimensionOrderRouter, FaultyDimensionOrderRouter)
around.register(AdaptiveRouter, FaultyAdaptiveRouter)
around.register(PlanningRouter, FaultyPlanningRouter)
around.register(MinimalRouter, FaultyMinimalRouter)
around.register(ValiantRouter, FaultyValiantRouter)

__all__ = [
    "Adaptive",
    "AnyRouting",
    "ClexRouting",
    "CongestionAware",
    "DimensionOrder",
    "FaultyRouter",
    "Minimal",
    "PercsDirect",
    "PercsIndirect",
    "PlanNote",
    "Route",
    "Router",
    "RoutingSpec",
    "ShortDimension",
    "Valiant",
    "around",
    "sound",
]
