"""CLEX's own routing where nodes are whole cliques: see `core.network.families.clex`.

Traffic is taken to treat the nodes of a clique alike: what one clique sends another is spread evenly over all pairs of
their nodes, and what it sends itself too, so that one part in k stays on the node it came from. For such traffic the
load of a link is exactly the mean of those of the links that it stands for. If traffic is uniform these are alike but
for what nodes send themselves: some of them lack some n-ths of a unit that others would not have carried anyway.
For other traffic it is what is to be expected if each end of a flow is any node of its clique.

Proof. A link stands for the links that differ in the coordinates left out of its label: v1 and j of level 1, j of
level 2, v1 above. No other coordinate of a link is ever the v1 of a source or a destination, so the label of what a
flow crosses here does not depend on where in their cliques its ends are. A term that puts a share on any value of a
coordinate left out puts it on all the links that one stands for, a term that puts it on one value on the k-th part. Of
the two places that a hop of level 1 leads between at least one is even, so that one hop in k is not needed: all others
are for k (k - 1) links, for each a k-th of a k-th, and those that are relayed count twice. What a node sends itself is
spread as evenly as the rest, so to leave it out is to scale what a clique sends itself.
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
    """Spreads flows between cliques: what a term looks at is summed, then every term is one addition of arrays."""

    traceable = False
    read_share = 0.9

    def __init__(self, network: Network, plain: list[Term], unit: int, relayed: float = 0.0) -> None:
        k = network.aggregation
        folded = [_folded(term, k, unit) for term in plain]
        roles = [part for term, share in folded for part in _by_role(term, share, relayed)]
        super().__init__(network, k, 1, [term for term, _ in roles], [share for _, share in roles])
        self.sent_itself = 1 - 1 / k
        self._plain = [(term, share * (1 + relayed if term.level == 1 else 1)) for term, share in folded]
        """Terms and their shares, relays included."""

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link: of each of those that it stands for."""
        k, t = self.k, self.levels
        out, into = (np.zeros((self.network.nodes, k)) for _ in range(2))
        for block in flows:
            _sum(*block, self.network.nodes // k, self.sent_itself, out, into)
        # The place in the clique, which is summed over already, is kept as an axis of one.
        cube = ((k,) * (t - 1)) + (1, k)
        loads = np.zeros(self.network.links)
        for done, (term, share) in enumerate(self._plain):
            found = loads[self.network.classes[term.level - 1].links]
            sums = (into if term.role == AFTER else out).reshape(cube)
            add_term(term, share, sums, found.reshape((k,) * (t + 1 - term.where.count(NONE))))
            progress(done / len(self._plain))
        return loads

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the hops of a unit to be expected, those to and from relays included: they are always as many."""
        return np.where(src == dst, self.sent_itself, 1.0) * sum(self._crossings().values())

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the cliques: what goes from one to another crosses every level as often as the scheme says."""
        return ((Partition("clique", 1, self.network.nodes, self._crossings()),),)

    def _crossings(self) -> dict[str, float]:
        # How often a unit crosses the links of each class.
        found = {c.name: 0.0 for c in self.network.classes}
        for term, share in self._plain:
            link_class = self.network.classes[term.level - 1]
            found[link_class.name] += share * link_class.multiplicity * self.k ** term.where.count(ANY)
        return found


class FoldedOrdered(FoldedRouter):
    """One link of each level for every pair of cliques, followed link by link: which one, both ends say together."""

    loads = TermRouter.loads


def _folded(term: Term, k: int, unit: int) -> tuple[Term, float]:
    # A term without the coordinates that links do not have here, and its share on each link that a link stands for.
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
