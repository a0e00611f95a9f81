"""Routers whose routes are the same list of terms (`core.routing.clex.terms`) for all pairs."""

from collections.abc import Iterable, Sequence

import numpy as np

from core.network.network import Network
from core.routing.clex.term_arrays import add_entries, entries, term_arrays
from core.routing.clex.terms import ANY, NONE, ROLES, Term
from core.routing.flows import NodeFlows, Nodes, Volumes
from core.routing.router import Route, Router
from core.spec import Progress, no_progress

AT_ONCE = 1 << 21
"""Approximate number of entries listed at once: 16 MB."""


class TermRouter(Router):
    """Common parts of all schemes on CLEX: flows can be traced link by link."""

    roles = ROLES
    sent_itself = 0.0
    """Fraction of a node's traffic to itself that crosses links."""

    def __init__(self, network: Network, k: int, lowest: int, terms: Sequence[Term], shares: Sequence[float]) -> None:
        super().__init__(network)
        self.k, self.levels = k, len(network.classes)
        self.terms, self.shares = terms, np.array(shares, np.float64)
        self.first = np.array([network.link_class(f"level {level + 1}").links.start for level in range(self.levels)])
        self.lists = term_arrays(terms, k, lowest, self.first)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        loads, step = np.zeros(self.network.links), max(AT_ONCE // self.lists.offset.size, 1)
        for block in flows:
            for first in range(0, block.src.size, step):
                src, dst, volume = block.some(slice(first, first + step))
                sent = np.where(src == dst, self.sent_itself * volume, volume)
                add_entries(*entries(src, dst, self.lists), sent, self.shares, loads)
        progress(1.0)
        return loads

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair; one entry per link and role."""
        sent = self.sent_itself if u == v else 1.0
        if not sent:
            return Route.of([], [], [])
        _, links, which = entries(np.array([u], np.int32), np.array([v], np.int32), self.lists)
        names, place = np.unique(self.lists.role[which] * self.network.links + links, return_inverse=True)
        shares = np.bincount(place.ravel(), self.shares[which], names.size)
        return Route.of(names % self.network.links, shares * sent, names // self.network.links)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`: the sum over terms that include it."""
        level = int(self.network.class_of[link]) + 1
        codes, shares = self.codes(src, dst), np.zeros((len(ROLES), src.size))
        for term, share in zip(self.terms, self.shares.tolist(), strict=True):
            if term.level == level:
                label, held = self._label(link, term), np.ones(src.size, np.bool_)
                for code, value in zip(term.where, label, strict=True):
                    if code not in (ANY, NONE):
                        held &= codes[code] == value
                if term.avoid != NONE:
                    held &= (codes[term.avoid] != label[0]) & (codes[term.avoid] != label[1])
                shares[term.role] += held * share
        return np.asarray(shares * np.where(src == dst, self.sent_itself, 1.0))

    def _label(self, link: int, term: Term) -> list[int]:
        # Coordinates 0 .. t of a link of the term's level; missing ones are ignored.
        rest = link - int(self.first[term.level - 1])
        if term.level == 1 and term.where[0] != NONE:
            node, j = divmod(rest, self.k - 1)
            rest = node * self.k + j + (j >= node % self.k)
        label = []
        for code in term.where:
            rest, value = (rest, NONE) if code == NONE else divmod(rest, self.k)
            label.append(value)
        return label

    def codes(self, src: Nodes, dst: Nodes) -> list[Nodes]:
        """Return coordinates by code; arbitrary values for coordinates that nodes lack."""
        places = [max(place - self.lists.lowest, 0) for place in range(self.levels)]
        return [end // self.k**place % self.k for end in (src, dst) for place in places]
