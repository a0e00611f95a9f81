"""Random dragonflies and Dragonfly+, with their group-minimal routers and the oracle."""

import numpy as np
from hypothesis import strategies as st

from core.network import Dragonfly, DragonflyPlus
from core.routing import GroupMinimal
from tests.core.strategies import built
from tests.oracle.groups import Groups

ROLES = {
    "inside": "within the group",
    "to": "to a global link",
    "across": "global link",
    "from": "from the global link",
    "around": "around failed global links",
}
"""The routers' names for the roles of the oracle."""
arrangements = st.sampled_from(["absolute", "relative", "cyclic"])


@st.composite
def group_specs(draw):
    """A dragonfly or Dragonfly+ with one or several links between two groups."""
    doors, ports = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    groups = draw(st.integers(2, min(doors * ports + 1, 5)))
    most = doors * ports // (groups - 1)
    fields = {
        "global_links": ports,
        "groups": groups,
        "arrangement": draw(arrangements),
        "links_per_pair": draw(st.integers(0, most)),
    }
    each = draw(st.integers(1, 3))
    if draw(st.booleans()):
        return DragonflyPlus(leaves=draw(st.integers(1, 3)), spines=doors, nodes_per_leaf=each, **fields)
    return Dragonfly(routers=doors, nodes_per_router=each, links_per_node=draw(st.integers(1, 2)), **fields)


specs, spreads = group_specs(), st.sampled_from(["equal", "single"])


@st.composite
def routed_groups(draw):
    """A network of joined groups, its router, and the oracle of both."""
    network, spread = built(draw(specs)), draw(spreads)
    return network, GroupMinimal(spread=spread).router(network), groups_of(network, spread)


def groups_of(network, spread, failed=()):
    """The oracle of a network."""
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    return Groups(links, network.nodes, network.group_of.tolist(), spread, set(failed))


def by_role(network, router, oracle, u, v):
    """The shares of a unit on links by the oracle, shape (roles, links)."""
    loads = np.zeros((len(router.roles), network.links))
    for share, hops in oracle.paths(u, v):
        for role, link in hops:
            loads[router.roles.index(ROLES[role]), link] += share
    return loads
