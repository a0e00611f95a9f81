"""CLEX's own routing on networks whose nodes are whole cliques: see `core.network.families.clex`.

The nodes of a clique are assumed to have equal traffic: traffic from one clique to another is spread evenly over all
pairs of their nodes, and so is traffic inside a clique, of which one part in k stays on its node. For such traffic the
load of an aggregated link is exactly the mean over the links it represents. Under uniform traffic these are equal,
except for traffic of nodes to themselves: some links lack some n-ths of a unit. For other traffic it is the expectation
if the ends of each flow are random nodes of their cliques.

Proof. An aggregated link represents the links that differ in the coordinates missing from its label: v1 and j on level
1, j on level 2, v1 above. No other coordinate of a link equals v1 of a source or a destination, so the labels of the
links that a flow crosses do not depend on the places of its ends in their cliques. A term with any value of a missing
coordinate covers all the represented links, a term with one value the k-th part. A hop of level 1 leads between two
places at least one of which is uniformly distributed, so one hop in k is not needed: the others are on k (k - 1) links,
each with a k-th of a k-th, and relayed hops count twice. Traffic of a node to itself is spread as evenly as the rest,
so leaving it out scales the traffic inside a clique.
"""

from collections.abc import Iterable

import numpy as np

from core.kernels import kernel
from core.network.network import Network
from core.routing.clex.term_router import TermRouter
from core.routing.clex.terms import AFTER, ANY, FROM_RELAY, NONE, TO_RELAY, Term, add_term
from core.routing.flows import NodeFlows, Nodes, Volumes
from core.routing.router import Partition
from core.spec import Progress, no_progress


class FoldedRouter(TermRouter):
    """Sums flows between cliques; each term then is one operation on arrays."""

    traceable = False
    read_share = 0.9

    def __init__(self, network: Network, plain: list[Term], unit: int, relayed: float = 0.0) -> None:
        k = network.aggregation
        folded = [_folded(term, k, unit) for term in plain]
        roles = [part for term, share in folded for part in _by_role(term, share, relayed)]
        super().__init__(network, k, 1, [term for term, _ in roles], [share for _, share in roles])
        self.sent_itself = 1 - 1 / k
        self._plain = [(term, share * (1 + relayed if term.level == 1 else 1)) for term, share in folded]
        """Terms and their shares, including relays."""

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; for an aggregated link, the load of each link that it represents."""
        k, t = self.k, self.levels
        out, into = (np.zeros((self.network.nodes, k)) for _ in range(2))
        for block in flows:
            _sum(*block, self.network.nodes // k, self.sent_itself, out, into)
        # The place in the clique, already summed over, is kept as an axis of length 1.
        cube = ((k,) * (t - 1)) + (1, k)
        loads = np.zeros(self.network.links)
        for done, (term, share) in enumerate(self._plain):
            level_loads = loads[self.network.classes[term.level - 1].links]
            sums = (into if term.role == AFTER else out).reshape(cube)
            add_term(term, share, sums, level_loads.reshape((k,) * (t + 1 - term.where.count(NONE))))
            progress(done / len(self._plain))
        return loads

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the expected hops of a unit, including relays; equal for all pairs."""
        return np.where(src == dst, self.sent_itself, 1.0) * sum(self._crossings().values())

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the cliques: each unit between two of them crosses every level as often as the scheme prescribes."""
        return ((Partition("clique", 1, self.network.nodes, self._crossings()),),)

    def _crossings(self) -> dict[str, float]:
        # The number of times a unit crosses the links of each class.
        crossings = {c.name: 0.0 for c in self.network.classes}
        for term, share in self._plain:
            link_class = self.network.classes[term.level - 1]
            crossings[link_class.name] += share * link_class.multiplicity * self.k ** term.where.count(ANY)
        return crossings


class FoldedOrdered(FoldedRouter):
    """The ordered flood: one link of each level for every pair of cliques, determined by both."""

    loads = TermRouter.loads


def _folded(term: Term, k: int, unit: int) -> tuple[Term, float]:
    # Drop the coordinates that aggregated links do not have; also return the share on each represented link.
    left_out = {1: (0, 1), 2: (0,)}.get(term.level, (1,))
    where = tuple(NONE if place in left_out else code for place, code in enumerate(term.where))
    return term._replace(where=where), term.parts / unit / k ** sum(term.where[place] >= 0 for place in left_out)


def _by_role(term: Term, share: float, relayed: float) -> list[tuple[Term, float]]:
    if term.level > 1:
        return [(term, share)]
    parts = {term.role: 1 - relayed, TO_RELAY: relayed, FROM_RELAY: relayed}
    return [(term._replace(role=role), share * part) for role, part in parts.items() if part > 0]


@kernel
def _sum(src: Nodes, dst: Nodes, volume: Volumes, copy: int, own: float, out: Volumes, into: Volumes) -> None:
    for i in range(src.size):
        u, v = src[i], dst[i]
        sent = volume[i] * own if u == v else volume[i]
        out[u, v // copy] += sent
        into[v, u // copy] += sent
