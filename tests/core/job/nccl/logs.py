"""Logs of NCCL as several versions print them, for any rings and trees."""

from random import Random

STYLES = "2.4", "2.6", "2.12", "2.28", "rccl", "bare"
"""Versions; ``bare`` is 2.12 without anything before NCCL INFO and without lines about communicators."""
ARITY = 3


class Made:
    """Rings and trees, and the host and the NIC of every rank."""

    def __init__(self, ranks, channels, seed=0, per_host=4, nics=2):
        random = Random(seed)
        self._next, self._before, self._children = [], [], {}
        self.ranks, self.channels, self.per_host, self.nics = ranks, channels, per_host, nics
        self.rings = [_ring(ranks, random) for _ in range(channels)]
        self.up = [_tree(ranks, random) for _ in range(channels)]
        self.down = [_tree(ranks, random) for _ in range(channels)]

    def host(self, rank):
        """Name of a rank's host."""
        return f"node{rank // self.per_host:02d}"

    def nic(self, channel, rank):
        """NIC of its host that a rank uses in a channel."""
        return (rank % self.per_host + channel) % self.nics

    def is_local(self, a, b):
        """Whether two ranks are on one host."""
        return self.host(a) == self.host(b)

    def next_ranks(self):
        """The next rank of every rank, by channel."""
        if not self._next:
            for ring in self.rings:
                after = dict(zip(ring, [*ring[1:], ring[0]], strict=True))
                self._next.append([after[rank] for rank in range(self.ranks)])
        return self._next

    def ranks_before(self):
        """The rank before every rank, by channel."""
        if not self._before:
            self._before = [[after.index(rank) for rank in range(self.ranks)] for after in self.next_ranks()]
        return self._before

    def children(self, parents):
        """The children of every rank in a tree."""
        if id(parents) not in self._children:
            self._children[id(parents)] = below = [[] for _ in range(self.ranks)]
            for child, parent in enumerate(parents):
                if parent >= 0:
                    below[parent].append(child)
        return self._children[id(parents)]

    def parents(self, style):
        """The parents of every rank by channel, for reducing and for broadcasting."""
        return (self.up, self.down) if style == "2.6" else (self.up, self.up)


def _ring(ranks, random):
    rest = list(range(1, ranks))
    random.shuffle(rest)
    return [0, *rest]


def _tree(ranks, random):
    order, parent, children = _ring(ranks, random), [-1] * ranks, [0] * ranks
    random.shuffle(order)
    free = order[:1]
    for rank in order[1:]:
        parent[rank] = above = random.choice(free)
        children[above] += 1
        free.append(rank)
        if children[above] == ARITY:
            free.remove(above)
    return parent


def lines(made, style, number=0):
    """The lines of a communicator, rank by rank; `number` makes its addresses differ from others."""
    out = []
    for rank in range(made.ranks):
        out += [f"{_before(made, style, rank)}NCCL INFO {words}{_after(made, style, rank, number, words)}"
                for words in _of_rank(made, style, rank, number)]  # fmt: skip
    return out


def text(made, style, shuffled=None):
    """A log, with other lines of a program; ranks print in turn, or their lines are mixed with the seed `shuffled`."""
    own = lines(made, style)
    if shuffled is not None:
        queues = [[line for line in own if line.startswith(_before(made, style, rank))] for rank in range(made.ranks)]
        order = [rank for rank, queue in enumerate(queues) for _ in queue]
        Random(shuffled).shuffle(order)
        own = [queues[rank].pop(0) for rank in order]
    return "\n".join(["# nThread 1 nGpus 1", "NCCL version 2.12.12+cuda11.7", *own, "step 1: loss 2.5 \x1b[0m", ""])


def _before(made, style, rank):
    if style == "bare":
        return ""
    first = {"2.6": f"[1,{rank}]<stdout>:", "2.28": "[2026-01-05 10:11:12] ", "rccl": f"{rank}: "}.get(style, "")
    return f"{first}{made.host(rank)}:{1000 + rank}:{2000 + rank} [{rank % made.per_host}] "


def _after(made, style, rank, number, words):
    if style != "rccl" or not words.startswith(("Trees", "Channel", "Ring")) or "->" not in words:
        return ""
    return f" comm {_pointer(rank, number)} nRanks {made.ranks:02d}"


def _pointer(rank, number):
    return f"0x7f{number:02x}{rank:06x}"


def _of_rank(made, style, rank, number):
    member = f"comm {_pointer(rank, number)} rank {rank}"
    rest = f"cudaDev {rank % made.per_host} busId {rank % made.per_host + 1:x}000"
    if style == "2.28":
        yield f"ncclCommInitRank {member} nranks {made.ranks} {rest} commId 0x9ca{number:x} - Init START"
        hosts = f"nNodes {made.ranks // made.per_host} localRanks {made.per_host} localRank {rank % made.per_host}"
        yield f"{member} nRanks {made.ranks} {hosts} MNNVL 0"
    if rank == 0:
        for channel, ring in enumerate(made.rings):
            yield _listed(channel, made.channels, ring, style)
    if style == "rccl":
        for channel, ring in enumerate(made.rings):
            place = ring.index(rank)
            yield f"Ring {channel} : {ring[place - 1]} -> {rank} -> {ring[(place + 1) % made.ranks]}"
    yield "Trees" + "".join(f" [{channel}] {_node(made, channel, rank, style)}" for channel in range(made.channels))
    yield "P2P Chunksize set to 131072"
    yield from _connections(made, style, rank)
    yield f"{made.channels} coll channels, 8 p2p channels, 1 p2p channels per peer"
    if style != "bare":
        identity = f" commId 0x9ca{number:x}" if style == "2.28" else ""
        yield f"{member} nranks {made.ranks} {rest}{identity} - Init COMPLETE"
        yield f"{member} nranks {made.ranks} {rest} - Destroy COMPLETE"


def _listed(channel, channels, ring, style):
    if style == "2.28":
        width = len(str(len(ring) - 1))
        line = f"Channel {channel:02d}/{channels:02d} :" + "".join(f" {rank:{width}}" for rank in ring)
        return line if len(line) < 128 else f"{line[:124]}..."
    head = f"Channel {channel:02d}" if style == "2.4" else f"Channel {channel:02d}/{channels:02d}"
    return f"{head} :  " + "".join(f" {rank:3d}" for rank in ring[:20])


def _node(made, channel, rank, style):
    up, down = ((parents[channel], parents[channel][rank]) for parents in made.parents(style))
    left, right = ("/".join(map(str, _three(made.children(parents)[rank]))) for parents, _ in (up, down))
    if style == "2.4":
        return f"{up[1]}->{rank}->{left}"
    return f"{left}->{rank}->{up[1]}" + (f"|{down[1]}->{rank}->{right}" if style == "2.6" else "")


def _three(children):
    return children + [-1] * (ARITY - len(children))


def _connections(made, style, rank):
    word = "Ring" if style in ("2.4", "2.6") else "Channel"
    index = "/0" if style in ("2.12", "2.28", "rccl") else ""
    before = made.ranks_before()
    for channel, after in enumerate(made.next_ranks()):
        ends = [(before[channel][rank], rank), (rank, after[rank])]
        near = [*made.children(made.up[channel])[rank], *[made.up[channel][rank]] * (made.up[channel][rank] >= 0)]
        ends += [end for other in near for end in ((rank, other), (other, rank))]
        for src, dst in ends:
            side = "send" if src == rank else "receive"
            what = f"{word} {channel:02d}{index} : {src}[{src + 1:x}000] -> {dst}[{dst + 1:x}000]"
            if not made.is_local(src, dst):
                yield f"{what} [{side}] via NET/IB/{made.nic(channel, rank)}/GDRDMA"
            elif side == "send":
                yield f"{what} via P2P/IPC/read"
    if index:
        yield f"Channel 00/1 : {rank}[1000] -> {(rank + 1) % made.ranks}[2000] [send] via NET/IB/9"
