"""Small networks of any shape for hypothesis: with parallel links, one-way arcs, loops, hosts and switches."""

from functools import cache
from itertools import product
from typing import Any, ClassVar

import msgspec
import numpy as np
from hypothesis import strategies as st

from core.network import NetworkSpec
from core.network.layouts.ring import ring
from core.network.wiring import EdgeList, network_from_edges
from core.routing import Minimal, Valiant
from tests.core.strategies import one_of_these, orders
from tests.oracle.minimal import Wiring

ROUTINGS = {"single": Minimal(), "equal": Minimal(spread="equal"), "valiant": Valiant()}
ROLES = {
    "forced": "only next hop",
    "chosen": "lowest ID of several next hops",
    "all": "on every shortest path",
    "some": "on some shortest paths",
    "to": "to the intermediate",
    "from": "from the intermediate",
}
"""The routers' names for the roles of the oracle."""


class Drawn(NetworkSpec, frozen=True, tag="drawn"):
    """A network given link by link."""

    title: ClassVar[str] = "Drawn"

    nodes: int = 2
    switches: int = 0
    pairs: tuple[tuple[int, int], ...] = ()
    """Links in both directions."""
    arcs: tuple[tuple[int, int], ...] = ()
    """Links one way."""
    slots: int = 1
    closed: bool = False
    """Whether nodes do not forward."""

    @property
    def vertices(self) -> int:
        """Return the number of nodes and switches."""
        return self.nodes + self.switches

    def summary(self) -> str:
        """Return nothing."""
        return ""

    def build(self, folder: Any = None) -> Any:
        """Return the network."""
        ends = [np.array(links, np.int32).reshape(-1, 2).T for links in (self.pairs, self.arcs)]
        wires = [EdgeList("P", 10.0, *ends[0]), EdgeList("A", 4.0, *ends[1], one_way=True)]
        closed = self.nodes if self.closed else 0
        return network_from_edges(
            self, self.nodes, wires, ring, slots=self.slots, switches=self.switches, closed=closed
        )


@cache
def ends(first, last, most):
    """First and last vertices of links: a strategy."""
    return st.lists(st.sampled_from([*product(first, last)]), max_size=most)


@st.composite
def drawn_specs(draw, most=9):
    """Direct networks on a ring of one-way arcs or a tree, or hosts on one or more switches; with further links."""
    kind, slots = draw(one_of_these(("tree", "circle", "hosts"))), draw(one_of_these((1, 2)))
    nodes = draw(st.integers(2, most))
    switches = draw(st.integers(1, 5)) if kind == "hosts" else 0
    first, count = (nodes, switches) if kind == "hosts" else (0, nodes)
    name = draw(orders(range(count))) if kind != "hosts" else range(nodes, nodes + switches)
    arcs = [(name[i], name[(i + 1) % count]) for i in range(count)] if kind == "circle" else []
    pairs = [] if kind == "circle" else [(name[i], name[draw(st.integers(0, i - 1))]) for i in range(1, count)]
    pairs += [(node, draw(st.integers(first, first + count - 1))) for node in range(first)]
    if kind == "hosts":
        pairs += draw(ends(range(nodes), range(nodes + switches), 2))
    joined = range(first, first + count)
    pairs += draw(ends(joined, joined, 2 * count))
    arcs += draw(ends(joined, joined, count))
    return Drawn(nodes, switches, tuple(pairs), tuple(arcs), slots)


kept_specs = cache(drawn_specs)


@st.composite
def split_specs(draw, **limits):
    """A disconnected network: two of `drawn_specs` without links between them."""
    first, second = draw(kept_specs(**limits)), draw(kept_specs(**limits))
    nodes = first.nodes + second.nodes
    pairs, arcs = (
        (*_renumbered(a, first.nodes, 0, second.nodes), *_renumbered(b, second.nodes, first.nodes, first.vertices))
        for a, b in ((first.pairs, second.pairs), (first.arcs, second.arcs))
    )
    return Drawn(nodes, first.switches + second.switches, pairs, arcs, first.slots)


def _renumbered(links, nodes, more_nodes, more_switches):
    # The links of a network in the union of two.
    return [tuple(end + (more_nodes if end < nodes else more_switches) for end in link) for link in links]


def wiring(network, model, failed=()):
    """The oracle of a network."""
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    return Wiring(links, network.nodes, network.vertices, model, set(failed), network.closed)


@st.composite
def routed_graphs(draw, models=tuple(ROUTINGS), split=False, **limits):
    """A network of any shape, perhaps disconnected if `split`, its router, and the oracle of both."""
    split = split and draw(st.booleans())
    spec, model = draw((split_specs if split else kept_specs)(**limits)), draw(one_of_these(models))
    closed = spec.switches > 0 and not split and model != "valiant" and draw(st.booleans())
    network = msgspec.structs.replace(spec, closed=closed).build()
    return network, ROUTINGS[model].router(network), wiring(network, model)


def by_role(network, router, oracle, u, v):
    """The shares of a unit on links by the oracle, shape (roles, links)."""
    loads = np.zeros((len(router.roles), network.links))
    for share, hops in oracle.paths(u, v):
        for role, link in hops:
            loads[router.roles.index(ROLES[role]), link] += share
    return loads
