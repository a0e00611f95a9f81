"""Checks the rings and trees of NCCL's channels: each ring leads through every rank, each tree has one root."""

from collections.abc import Mapping, Sequence
from functools import partial

from core.job.nccl.lines import NONE, RingList, TreeNode
from core.spec import SpecError, error_at_line

FIELD = "job.log"
wrong = partial(SpecError, FIELD)
at_line = partial(error_at_line, FIELD)

SHORTENED = 20
"""Maximum length of lists that end without a sign, before NCCL 2.23."""
ALL_RANKS = "give the output of all ranks"

Links = Mapping[int, tuple[int, int]]
"""By rank: the next rank of a ring, and the number of the line."""


def ring_of(
    channel: int, ranks: int, listed: tuple[RingList, int] | None, sources: Sequence[Links], last: int
) -> list[int]:
    """Return the rank after each rank in the ring of a channel.

    Parameters
    ----------
    listed
        The list of ranks, and the number of its line.
    sources
        Next ranks as the ranks print them, used if the list is missing or shortened; the first complete source counts.
    last
        Number of the communicator's last line.

    Raises SpecError: naming the line that is not part of a ring.
    """
    if listed is not None and not (listed[0].shortened or SHORTENED == len(listed[0].ranks) < ranks):
        return _after(_distinct(*listed, ranks))
    complete = next((source for source in sources if len(source) == ranks), None)
    if complete is not None:
        return _after(_followed(channel, complete))
    if listed is None:
        ends = f"is the last of the communicator, and channel {channel} has no ring"
        raise at_line(last, f"{ends}; the output of rank 0 must be complete")
    ring, line = listed
    raise at_line(line, f"lists only {len(ring.ranks):,} of {ranks:,} ranks, as NCCL shortens long rings; {ALL_RANKS}")


def _distinct(ring: RingList, line: int, ranks: int) -> list[int]:
    seen = set[int]()
    for rank in ring.ranks:
        if rank >= ranks:
            raise at_line(line, f"channel {ring.channel} names rank {rank}; ranks are 0 to {ranks - 1}")
        if rank in seen:
            raise at_line(line, f"channel {ring.channel} names rank {rank} twice; a ring names each rank once")
        seen.add(rank)
    if len(seen) < ranks:
        missing = next(rank for rank in range(ranks) if rank not in seen)
        raise at_line(line, f"channel {ring.channel} has no rank {missing}; a ring names each of {ranks:,} ranks")
    return list(ring.ranks)


def _after(order: list[int]) -> list[int]:
    after = [0] * len(order)
    for rank, following in zip(order, order[1:] + order[:1], strict=True):
        after[rank] = following
    return after


def _followed(channel: int, after: Links) -> list[int]:
    order, seen = [0], {0}
    for _ in range(len(after) - 1):
        rank, line = after[order[-1]]
        if rank in seen or rank not in after:
            length = f"{len(order):,} of {len(after):,} ranks"
            what = f"the ring of channel {channel} leads from rank {order[-1]} to rank {rank} after {length}"
            raise at_line(line, f"{what}; it must lead to each rank once")
        order.append(rank)
        seen.add(rank)
    rank, line = after[order[-1]]
    if rank != 0:
        raise at_line(line, f"the ring of channel {channel} leads from its last rank to rank {rank}, not to rank 0")
    return order


def tree_of(channel: int, ranks: int, nodes: Mapping[int, tuple[TreeNode, int]], last: int, cut_off: int) -> list[int]:
    """Return the parent of each rank in the tree of a channel; `NONE` for the root.

    Parameters
    ----------
    nodes
        The neighbours of each rank, and the number of the line.
    last
        Number of the communicator's last line.
    cut_off
        Number of a line that ends in the middle of a tree; 0 if there is none.

    Raises SpecError: naming the line that is not part of a tree.
    """
    for rank in range(ranks):
        if rank not in nodes:
            cure = f"{ALL_RANKS}, or choose the algorithm ring"
            if cut_off:
                raise at_line(cut_off, f"is cut off, and rank {rank} has no tree in channel {channel}; {cure}")
            ends = f"is the last of the communicator, and rank {rank} has no line Trees with channel {channel}"
            raise at_line(last, f"{ends}; {cure}")
    owner = _owners(channel, ranks, nodes)
    roots = []
    for rank in range(ranks):
        node, line = nodes[rank]
        if node.parent == NONE:
            roots.append(rank)
        if node.parent != owner.get(rank, NONE):
            raise at_line(line, _disagreement(channel, node, owner.get(rank, NONE), nodes))
    if len(roots) > 1:
        what = f"ranks {roots[0]} and {roots[1]} are roots of channel {channel}"
        raise at_line(nodes[roots[1]][1], f"{what}; a tree has one root, with the parent -1")
    _check_ancestors(channel, roots, nodes)
    return [nodes[rank][0].parent for rank in range(ranks)]


def _owners(channel: int, ranks: int, nodes: Mapping[int, tuple[TreeNode, int]]) -> dict[int, int]:
    # The rank that names each rank as its child.
    owner = dict[int, int]()
    for rank in range(ranks):
        node, line = nodes[rank]
        for child in node.children:
            if not 0 <= child < ranks:
                raise at_line(line, f"channel {channel} names rank {child}; ranks are 0 to {ranks - 1}")
            if child in owner:
                other = f"a child of rank {owner[child]} on line {nodes[owner[child]][1]:,}"
                what = f"in channel {channel}, rank {child} is a child of rank {rank}, and {other}"
                raise at_line(line, f"{what}; a rank has one parent")
            owner[child] = rank
    return owner


def _disagreement(channel: int, node: TreeNode, owner: int, nodes: Mapping[int, tuple[TreeNode, int]]) -> str:
    named = f"rank {node.rank} has the parent {node.parent} in channel {channel}"
    if owner != NONE:
        return f"{named}, but is a child of rank {owner} on line {nodes[owner][1]:,}"
    if node.parent not in nodes:
        return f"{named}; ranks are 0 to {len(nodes) - 1}"
    return f"{named}, which does not have this child on line {nodes[node.parent][1]:,}"


def _check_ancestors(channel: int, roots: list[int], nodes: Mapping[int, tuple[TreeNode, int]]) -> None:
    reached = list(roots)
    for rank in reached:
        reached += nodes[rank][0].children
    if len(reached) == len(nodes):
        return
    below = set(reached)
    rank = next(rank for rank in sorted(nodes) if rank not in below)
    path = [rank]
    while path[-1] not in path[:-1]:
        path.append(nodes[path[-1]][0].parent)
    circle = " -> ".join(map(str, path[path.index(path[-1]) :][:6]))
    cure = "a tree has one root, with the parent -1"
    raise at_line(nodes[path[-1]][1], f"channel {channel} has a cycle of parents, {circle}; {cure}")
