"""Which way data goes: one file per scheme."""

from core.routing.adaptive import Adaptive, AdaptiveRouter
from core.routing.adaptive_faults import FaultyAdaptiveRouter
from core.routing.dimension_order import DimensionOrder, DimensionOrderRouter
from core.routing.faulty import FaultyRouter, around, sound
from core.routing.lattice_faults import FaultyDimensionOrderRouter
from core.routing.percs import PercsDirect, PercsIndirect, PercsRouter
from core.routing.percs_faults import FaultyPercsRouter
from core.routing.routing import Route, Router, RoutingSpec

AnyRouting = PercsDirect | PercsIndirect | DimensionOrder | Adaptive

around.register(PercsRouter, FaultyPercsRouter)
around.register(DimensionOrderRouter, FaultyDimensionOrderRouter)
around.register(AdaptiveRouter, FaultyAdaptiveRouter)

__all__ = [
    "Adaptive",
    "AnyRouting",
    "DimensionOrder",
    "FaultyRouter",
    "PercsDirect",
    "PercsIndirect",
    "Route",
    "Router",
    "RoutingSpec",
    "around",
    "sound",
]
