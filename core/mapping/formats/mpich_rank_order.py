"""Cray's MPICH_RANK_ORDER: ranks by comma; the k-th of all sits in slot k, so on node k // p of p ranks a node.

``MPICH_RANK_REORDER_METHOD=3``, the name in ``MPICH_RANK_REORDER_FILE``. Ranges ``0-3`` are read. Source: the documents
of ARCHER2 and LUMI.
"""

from collections.abc import Iterator

from core.job.job import MAX_TASKS
from core.mapping.formats.ranks import Machine, Ranks, at_line, lines_of, number_in, shown, wrong


def read_rank_order(text: str, machine: Machine) -> Ranks:
    """Return the ranks of a rank order.

    Raises SpecError: naming the line or the rank that is not right.
    """
    turn: dict[int, int] = {}
    for line, words in lines_of(text, "#"):
        for item in filter(None, (part.strip() for part in words.replace(",", " ").split())):
            for rank in _range(line, item):
                if rank in turn:
                    raise at_line(line, f"rank {rank} is named twice")
                turn[rank] = len(turn)
    if not turn:
        raise wrong("names no rank")
    missing = next((rank for rank in range(len(turn)) if rank not in turn), None)
    if missing is not None:
        raise wrong(f"rank {missing} is missing; {len(turn):,} ranks are named, the highest is {max(turn)}")
    room = machine.nodes.size * machine.per_node
    if len(turn) > room:
        of = f"{machine.nodes.size:,} nodes take {room:,}, {machine.per_node} each"
        raise wrong(f"names {len(turn):,} ranks; {of}")
    places = [divmod(turn[rank], machine.per_node) for rank in range(len(turn))]
    return Ranks([int(machine.nodes[node]) for node, _ in places], [core for _, core in places])


def _range(line: int, item: str) -> Iterator[int]:
    first, dash, last = item.partition("-")
    low, high = number_in(first), number_in(last if dash else first)
    if low is None or high is None or max(low, high) >= MAX_TASKS:
        raise at_line(line, f'"{shown(item)}" is no rank')
    if high < low:
        raise at_line(line, f"{item} runs backwards; write {last}-{first}")
    return iter(range(low, high + 1))
