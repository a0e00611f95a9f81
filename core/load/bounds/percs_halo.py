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
from core.job.halo_sets import edges_of_groups
from core.job.measure import Measure
from core.load.bounds.bound import Bound, room_text
from core.load.scenario import Case
from core.network.families.percs import Percs
from core.routing.percs.scheme import DirectRouter
from core.text import plural

LEAST_INNER = 24
"""Minimum number of nodes of a supernode without edges to others if two of them are in one drawer, by exhaustion."""
MOST_LEAVING = 120
"""Maximum number of edges that leave the drawers of a supernode if no LR link carries two messages."""


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
            yield from _many_supernodes(case, spec, halo)


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


def _many_supernodes(case: Case, spec: Percs, halo: Halo) -> Iterator[Bound]:
    """Yield the bound for full supernodes of a Power 775 with four D links per pair.

    Let e(u, x) be the edges of the grid from node u to supernodes with ports at position x of their drawers. Such a
    supernode has a port in each drawer. Let B be the edges from a supernode to others, X the edges between its
    drawers. In eighths of a message, the LR link from u to v carries 2 for each of the e(u, x(v)) + e(v, x(u)) edges,
    and 1 for each edge between v and the drawer of u. The LL link from a to b carries 1 for each edge from a to other
    nodes of the supernode, 1 for each edge from b to other nodes of the drawer, and 2 for each of the
    e(a, x(b)) + e(b, x(a)) edges. Suppose that LR links carry at most 2, LL links at most 12, and that two supernodes
    share at most two edges.

    1. A node u with e(u, x) > 0 for some x has no edges to other drawers: its links to and from the port in another
       drawer carry 2. Call the other nodes, without edges to other supernodes, inner nodes.
    2. At least 8 edges leave a node. Let a be an inner node: it sends 8 to other nodes of the supernode, so all other
       nodes of its drawer have at most 4 edges inside the drawer. Of these, inner nodes have at least 4 edges to other
       drawers, and the others at least 4 to other supernodes.
    3. A drawer has at most one inner node. Let drawer D have z(D) inner nodes, and b(D) edges to other supernodes.
       Then b(D) >= 4 (8 - z(D)) unless z(D) = 0. Let m be the smaller number of nodes of drawers D and d with edges to
       each other: between the two are at most 2 m edges, and b(D) + b(d) <= (8 - m)^2, as each edge to other
       supernodes needs the LR links between two nodes. If z(D) > 1, the sum of m over the other drawers is at least
       2 z(D). Of all z, only sets with a sum of `LEAST_INNER` or more satisfy these conditions. But all edges that
       leave the tasks of inner nodes are to other nodes, at most 4 each, and these are too few.
    4. So at most two edges join two drawers of a supernode. For any two nodes u, v in different drawers,
       e(u, x(v)) + e(v, x(u)) <= 1. There are 56 such pairs with different positions between two drawers, and each edge
       to another supernode uses the pairs of three ports. For each position, nodes with this position have at most one
       edge to a port with this position. So B <= 6 * 56 / 3 + 8 = 120. Two inner nodes with edges to each other exclude
       13 pairs, so B + 2 X <= 120 in any case.
    5. So any two drawers of the machine share at most two edges, and at most 30 edges leave a drawer, on average. Such
       small pieces have more edges (`edges_of_groups`).
    """
    shape = spec.d_links, spec.drawers, spec.nodes_per_drawer, spec.slots_per_node
    if shape != (4, 4, 8, 4):
        return
    inner = np.arange(LEAST_INNER, 32)
    leaving = halo.min_leaving_volume(4 * np.append(1, inner)) / halo.size.volume
    mean = edges_of_groups(32, halo.rows, halo.cols, 2, halo.periodic)
    if leaving[0] < 8 or (leaving[1:] <= 4 * (32 - inner)).any() or mean <= MOST_LEAVING / 4:
        return
    measure, part = case.job.measure, halo.size.volume / 8
    times = 6 * part / spec.d_gbs, 3 * part / spec.lr_gbs, 13 * part / spec.ll_gbs
    d, lr, ll = (measure.amount(count * part) for count in (6, 3, 13))
    yield Bound(
        min(times),
        None,
        f"at least {d} must cross some D link, {lr} some LR link, or {ll} some LL link, as drawers have few ports",
        (
            f"Suppose that every D link carries less than {d}, every LR link less than {lr}, and every LL link less "
            f"than {ll}. Call a pair of neighbouring tasks an edge. Then any two supernodes share at most two edges.",
            "An LR link that carries a part of a message between supernodes carries nothing else. So a node with edges "
            "to other supernodes has none to other drawers. By the loads of LL links, at most one node of each drawer "
            "has edges to other drawers.",
            "Each edge to another supernode uses the LR links to three ports, so at most "
            f"{MOST_LEAVING} edges leave the drawers of a supernode, {MOST_LEAVING // 4} per drawer on average.",
            "Any two drawers of the machine share at most two edges, so the 32 tasks of a drawer lie in small pieces. "
            f"On average at least {mean:.4g} edges leave a drawer, a contradiction.",
        ),
    )
