"""Which way data goes: one file per scheme."""

from core.routing.adaptive import Adaptive
from core.routing.dimension_order import DimensionOrder
from core.routing.percs import PercsDirect, PercsIndirect
from core.routing.routing import Route, Router, RoutingSpec

AnyRouting = PercsDirect | PercsIndirect | DimensionOrder | Adaptive

__all__ = [
    "Adaptive",
    "AnyRouting",
    "DimensionOrder",
    "PercsDirect",
    "PercsIndirect",
    "Route",
    "Router",
    "RoutingSpec",
]
