"""Cray's MPICH_RANK_ORDER: ranks separated by commas; the k-th rank is in slot k, on node k // p with p ranks per node.

Used with ``MPICH_RANK_REORDER_METHOD=3`` and its name in ``MPICH_RANK_REORDER_FILE``. Ranges such as ``0-3`` are read.
Source: the documentation of ARCHER2 and LUMI.
"""

from core.export_result import Exported
from core.mapping.formats.placement import Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, rank_range, wrong
from core.spec import SpecError
from core.text import plural


def read_rank_order(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a rank order.

    Raises SpecError: naming the invalid line or the rank.
    """
    turn: dict[int, int] = {}
    for line, words in lines_of(text, "#"):
        for item in filter(None, (part.strip() for part in words.replace(",", " ").split())):
            for rank in rank_range(line, item):
                if rank in turn:
                    raise at_line(line, f"rank {rank} is listed twice")
                turn[rank] = len(turn)
    if not turn:
        raise wrong("has no ranks")
    missing = next((rank for rank in range(len(turn)) if rank not in turn), None)
    if missing is not None:
        raise wrong(f"rank {missing:,} is missing; {plural(len(turn), 'rank')} listed, up to {max(turn):,}")
    room = machine.hosts.size * machine.per_host
    if len(turn) > room:
        of = f"the job's {plural(machine.hosts.size, 'node')} can hold {room:,}, {machine.per_host} per node"
        raise wrong(f"lists {plural(len(turn), 'rank')}; {of}")
    places = [divmod(turn[rank], machine.per_host) for rank in range(len(turn))]
    return RankPlacement([int(machine.hosts[node]) for node, _ in places], [core for _, core in places])


def write_rank_order(placed: Placed) -> Exported:
    """Return the ranks node by node, with a line per node.

    Raises SpecError: unless all nodes with ranks, except the last, have the same number.
    """
    groups, lost = placed.groups()
    counts = [group.size for group in groups]
    odd = next((k for k, count in enumerate(counts) if count != counts[0] and k + 1 < len(counts)), None)
    if odd is not None or counts[-1] > counts[0]:
        first, other = (int(placed.host[groups[k][0]]) for k in (0, -1 if odd is None else odd))
        names, many = placed.network.host_names, counts[-1 if odd is None else odd]
        words = f"{names[first]} has {plural(counts[0], 'rank')}, {names[other]} {many}"
        raise SpecError("mapping", f"{words}; MPICH_RANK_ORDER needs the same number on every node except the last")
    each = (f"the ranks per node (run with {counts[0]})",) if counts[0] < placed.network.host_slots.room.max() else ()
    text = lines([",".join(map(str, group.tolist())) for group in groups])
    return Exported(text, (*lost, *placed.lost_cores, *each))
