"""Lower bounds on the time of a halo exchange on PERCS under direct routing, from the ports that messages need.

A neighbour outside the supernode is reached over the nd ports ``s(j, b) = j W + (b mod W)`` of its supernode b (see
`core.network.families.percs`). A task cannot be near all of them, or near the ports of several supernodes.
"""

from bisect import bisect_left
from collections.abc import Iterator
from math import ceil, inf, lcm
from typing import NamedTuple

import numpy as np

from core.job import Halo, HaloNd
from core.job.measure import Measure
from core.load.bounds.bound import Bound, room_text
from core.load.scenario import Case
from core.network.families.percs import Percs
from core.routing.percs.scheme import DirectRouter
from core.text import plural


def percs_halo_bounds(case: Case) -> Iterator[Bound]:
    """Yield the bounds of a 5-point halo exchange on PERCS under direct routing; nothing for other cases."""
    halo, spec = _five_point(case.job.spec), case.network.spec
    if halo is None or not isinstance(spec, Percs) or not isinstance(case.router, DirectRouter):
        return
    if case.job.tasks > case.room("supernode", spec.nodes_per_supernode):
        yield from _two_drawers(case, spec, halo.size.volume)
        yield from _single_port(case, spec, halo)
        if case.router.striped and case.allocation is None and case.job.tasks == case.network.slots:
            yield from _full_supernodes(case, spec, halo)


def _five_point(job: object) -> Halo | None:
    # The job as a 5-point halo exchange, or None.
    if isinstance(job, HaloNd) and len(job.dims) == 2 and job.stencil == "faces":
        return Halo(*job.dims, job.periodic, job.message_bytes)
    return job if isinstance(job, Halo) else None


def _two_drawers(case: Case, spec: Percs, volume: float) -> Iterator[Bound]:
    # Ports are W nodes apart: with W at least the nodes of a drawer, any two are in different drawers, otherwise the
    # first port is in the first drawer and the last port in the last.
    if spec.d_links < 2 or spec.drawers < 2:
        return
    measure, part = case.job.measure, volume / spec.d_links
    ports, amount = plural(spec.d_links, "port"), measure.amount(part)
    yield Bound(
        part / spec.lr_gbs,
        "LR",
        f"at least {amount} of some message must cross an LR link to a D link in another drawer",
        (
            f"{room_text(case, 'supernode', spec.nodes_per_supernode)}, so some task has a neighbour in another "
            f"supernode.",
            f"Its message to this neighbour, {measure.amount(volume)}, leaves in equal parts by {ports} that lie in "
            "at least two drawers. So at least one of them is outside the drawer of the task.",
            f"The LR link to this port, of {spec.lr_gbs:g} GB/s, carries at least {amount}.",
        ),
    )


def _single_port(case: Case, spec: Percs, halo: Halo) -> Iterator[Bound]:
    """Yield the bound for one D link per pair, if the used supernodes have ports in three or more drawers.

    Suppose that t is lower. Then two supernodes share at most one edge of the grid, and no edge between supernodes
    uses an LR link: each task of such an edge is in the drawer of the port to the other supernode. Call the drawer of
    the port to a supernode its place.

    1. Let three consecutive tasks x, y, z of a 2 x 2 square have labels (supernodes) with x != y != z. The drawer of y
       is the place of both other labels, so both edges join labels with the same two places. Two opposite edges of a
       square that alone change the label would be two edges between two supernodes. So all edges of a square that
       change the label join the same two places; hence all edges of a connected border do. (A border consists of the
       lines that cross these edges, and joins them at the centres of squares.)
    2. If the border is not connected, some region of equal labels touches two of its components. Draw a line along
       each, inside the region. If either line encloses a part of the grid, perhaps with a part of a side or with a
       corner of an open grid, then one of the two encloses a part without the region. An extreme task of this part has
       two neighbours in the region, which are two edges between two supernodes. Otherwise both lines wind around the
       grid, or join opposite sides. At least min(P, Q) edges cross each, from the region to different supernodes, all
       with the same place.
    3. So if fewer than min(P, Q) supernodes have the same place, the border is connected, all used supernodes have one
       of two places, and these have too few slots.
    """
    if spec.d_links > 1:
        return
    place = np.arange(spec.supernodes) % spec.nodes_per_supernode // spec.nodes_per_drawer
    count = np.sort(np.bincount(place))[::-1]
    shorter, room = min(halo.rows, halo.cols), case.room("supernode", spec.nodes_per_supernode) * int(count[:2].sum())
    if shorter <= count[0] or case.job.tasks <= room or (halo.periodic and shorter < 3):
        return
    measure, volume = case.job.measure, halo.size.volume
    lr, d = measure.amount(volume), measure.amount(2 * volume)
    yield Bound(
        min(volume / spec.lr_gbs, 2 * volume / spec.d_gbs),
        None,
        f"at least {lr} must cross some LR link, or {d} some D link, as the ports lie in at least three drawers",
        (
            f"Suppose that every LR link carries less than {lr} and every D link less than {d}. Then two supernodes "
            "share at most one pair of neighbouring tasks, and a task with a neighbour in another supernode is in the "
            "drawer of the port to this supernode.",
            "So around any square of four tasks, all pairs in different supernodes belong to supernodes with ports in "
            "the same two drawers. This holds along every connected border between supernodes.",
            "The border is connected. Otherwise one supernode would surround other tasks, and two pairs at a corner "
            "would be between the same supernodes; or a border would extend across the grid, and one supernode would "
            f"have pairs with {shorter:,} others, all with ports in one drawer, but there are at most {count[0]:,}.",
            f"So all supernodes with tasks have ports in the same two drawers. These supernodes have room for "
            f"{room:,} of the {plural(case.job.tasks, 'task')}, a contradiction.",
        ),
    )


class FullSupernode(NamedTuple):
    """A full supernode with one port per drawer to any other supernode, and loads in parts of a message.

    A part is the largest volume that divides the 1/nd on the way to a port and the 1/m of a stripe (m nodes of a
    drawer).
    """

    drawers: int
    mates: int
    ends: int
    """Minimum number of edges from a node to other nodes, summed over the nodes."""
    outside: int
    """Minimum number of edges to other supernodes."""

    @property
    def parts(self) -> int:
        """Return the parts of a message."""
        return lcm(self.drawers, self.mates)

    @property
    def lr_links(self) -> int:
        """Return the number of LR links."""
        return self.drawers * (self.drawers - 1) * self.mates**2

    @property
    def ll_links(self) -> int:
        """Return the number of LL links."""
        return self.drawers * self.mates * (self.mates - 1)

    def at_ports(self, most: int) -> int:
        """Return how many edges to other supernodes may start at one of their own ports, if LR links carry `most`.

        The nd ports with the same position in their drawers have LR links to each other. With e and e' such edges at
        two of them, the link between the two carries (e + e') / nd.
        """
        pair = most * self.drawers // self.parts
        return self.mates * (self.drawers * (pair // 2) + pair % 2)

    def least_ll(self, most: int) -> float:
        """Return the minimum total load of the LL links, if no LR link carries more than `most`.

        Infinity if the LR links cannot carry the messages to other supernodes. An edge to another supernode loads
        2 (nd - 1) LR links and two LL links with 1/nd, or no LL link if it starts at a port. An edge between two
        drawers has a total load of 2 on LR links, and of 2 - 2/m on LL links. An edge in a drawer has a total load of
        4 - 4/m on LL links.
        """
        leg, stripe = self.parts // self.drawers, self.parts // self.mates
        outside = np.arange(self.outside, max(self.outside, self.ends) + 1)
        left = most * self.lr_links - 2 * (self.drawers - 1) * leg * outside
        outside, left = outside[left >= 0], left[left >= 0]
        # Both ends of edges inside the supernode; as many edges as possible are between drawers.
        inside = np.maximum(self.ends - outside, 0)
        between = np.minimum(left // (2 * self.parts) * 2, inside)
        off_ports = np.maximum(outside - self.at_ports(most), 0)
        load = 2 * leg * off_ports + (self.mates - 1) * stripe * (2 * inside - between)
        return int(load.min()) if load.size else inf

    def busiest_ll(self, most: int) -> float:
        """Return the minimum load of the busiest LL link, if no LR link carries more than `most`."""
        total = self.least_ll(most)
        return ceil(total / self.ll_links) if total < inf else inf


def _full_supernodes(case: Case, spec: Percs, halo: Halo) -> Iterator[Bound]:
    """Yield the bound for full supernodes with a port in every drawer: LR and LL links share all messages.

    If no LR link carries k parts, LL links carry at least L(k), which decreases with k. So some LR link carries k or
    some LL link L(k), for any k; the best k is where the two times cross.
    """
    nodes, mates = spec.nodes_per_supernode, spec.nodes_per_drawer
    if spec.d_links != spec.drawers or min(spec.drawers, mates) < 2:
        return
    slots = np.array([spec.slots_per_node, nodes * spec.slots_per_node])
    leaving = np.rint(halo.min_leaving_volume(slots) / halo.size.volume).astype(int)
    supernode = FullSupernode(spec.drawers, mates, nodes * int(leaving[0]), int(leaving[1]))
    part = halo.size.volume / supernode.parts

    def _times(k: int) -> tuple[float, float]:
        # Times of k parts on an LR link, and of the busiest LL link if LR links carry less.
        return k * part / spec.lr_gbs, supernode.busiest_ll(k - 1) * part / spec.ll_gbs

    def _crossed(k: int) -> bool:
        lr, ll = _times(k)
        return lr >= ll

    after = 1 + bisect_left(range(1, supernode.parts * supernode.ends + 1), True, key=_crossed)
    k = max(range(max(after - 1, 1), after + 1), key=lambda k: min(_times(k)))
    yield Bound(min(_times(k)), None, *_shared_words(supernode, k, part, case.job.measure))


def _shared_words(supernode: FullSupernode, k: int, part: float, measure: Measure) -> tuple[str, tuple[str, ...]]:
    # The reason and the derivation of the bound for full supernodes.
    def _amount(parts: float) -> str:
        return measure.amount(parts * part)

    message, total = supernode.parts, supernode.least_ll(k - 1)
    between, within = (_amount(count * message * (1 - 1 / supernode.mates)) for count in (2, 4))
    derivation = (
        f"Every slot has a task, so at least {supernode.ends:,} edges leave the nodes of a supernode (edges between "
        "two of its nodes are counted twice).",
        f"An edge to another supernode loads {2 * supernode.drawers - 2} LR links and 2 LL links of the supernode with "
        f"{_amount(message / supernode.drawers)} each, but no LL link if its task is at one of the ports. An edge "
        f"between two drawers loads LR links with {_amount(2 * message)} and LL links with {between} in total, an edge "
        f"in a drawer LL links with {within}.",
        f"Suppose that every LR link carries less than {_amount(k)}. Then at most "
        f"{plural(supernode.at_ports(k - 1), 'edge')} to other supernodes can start at ports, which have LR links to "
        f"each other, and the {supernode.lr_links:,} LR links carry at most {_amount((k - 1) * supernode.lr_links)}.",
    )
    must = f"at least {_amount(k)} must cross some LR link"
    if total == inf:
        return must, (*derivation, "This is too little for the messages to other supernodes.")
    ll = _amount(supernode.busiest_ll(k - 1))
    rest = (
        f"Even if as many edges as possible are between drawers, the {supernode.ll_links:,} LL links then carry at "
        f"least {_amount(total)}, and the busiest at least {ll}."
    )
    return f"{must}, or {ll} some LL link, as full supernodes use both classes", (*derivation, rest)
