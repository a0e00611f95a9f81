"""The default routing of a network."""

from core.network.network import Network
from core.routing.group_minimal.scheme import GroupMinimal
from core.routing.minimal.scheme import Minimal
from core.routing.router import RoutingSpec
from core.spec import SpecError


def default_routing(network: Network) -> RoutingSpec:
    """Return minimal routing in equal shares: `group-minimal` if it routes the network, else `minimal`."""
    try:
        GroupMinimal().check(network)
    except SpecError:
        return Minimal(spread="equal")
    return GroupMinimal()
