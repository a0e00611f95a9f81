"""Lines of logs that NCCL and RCCL print with NCCL_DEBUG=INFO.

``HOST:PID:THREAD [GPU] NCCL INFO MESSAGE``, with anything before. These messages matter:

- ``Channel 00/02 :    0   1   2   3``: the ring of channel 0 of 2 (2.4: ``Channel 00 :``). Versions before 2.23
  list at most 20 ranks, later ones as many as fit in 128 characters, followed by ``...``.
- ``Ring 00 : 3 -> 0 -> 1``: the rank before and the rank after rank 0 (from 2.12, with NCCL_DEBUG_SUBSYS=GRAPH).
- ``Trees [0] 1/-1/-1->0->-1 [1] ...``: the children and the parent of rank 0 in the tree of each channel; 2.4 has
  ``parent->rank->children``, and 2.5 to 2.7 have both forms, joined by ``|``, for reducing and for broadcasting.
- ``Channel 00/0 : 3[3] -> 4[0] [send] via NET/IB/1/GDRDMA``: a connection and its NIC. The second number is 1 for
  messages outside collectives. Up to 2.6, such lines begin with ``Ring``.
- ``comm 0x... rank 0 nranks 4 ... commId 0x... - Init COMPLETE``: the rank of this process in a communicator.

Source: the formats in NCCL's init.cc, rings.cc, net.cc and p2p.cc from 2.4.2 to 2.30.7, and in RCCL.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

INFO = re.compile(r"[NR]CCL INFO (?=Channel|Ring|Trees|.*\bcomm 0x)")
"""The beginning of the messages above."""
SENDER = re.compile(r"([A-Za-z0-9][\w.-]*):(\d+)(?::(\d+))? \[(-?\d+)\]\s*$")
"""Host, process, thread and GPU, before the message."""
LIST = re.compile(r"(?:Channel|Ring) (\d{1,4})(?:/(\d{1,4}))? ?:((?:\s+\d{1,7}(?=\s|$))+)(\s*\d*\.\.\.)?(?!\s*[-\d])")
NEIGHBOURS = re.compile(r"Ring (\d{1,4}) : (\d{1,7}) -> (\d{1,7}) -> (\d{1,7})(?!\s*->)")
CONNECTION = re.compile(
    r"(?:Channel|Ring) (\d{1,4})(?:/(\d))? : (\d{1,7})(?:\[\w+\])? -> (\d{1,7})(?:\[\w+\])?"
    r"(?: \[(send|receive)\])? via (?:NET/[^/]*(?:/(\d{1,4})(?!\w))?)?"
)
TREE = re.compile(r" \[(\d{1,4})\] (\S+)")
HALF = re.compile(
    r"(?:(-?\d{1,7}(?:/-?\d{1,7})+)->(\d{1,7})->(-?\d{1,7})|(-?\d{1,7})->(\d{1,7})->(-?\d{1,7}(?:/-?\d{1,7})+))"
)
COMM = re.compile(r"\bcomm (0x[0-9a-f]+) (?:rank (\d{1,7}) )?n[rR]anks (\d{1,7})")
ID = re.compile(r"\bcommId (0x[0-9a-f]+)|\b(splitCount \d+ color -?\d+)")
ENDS = re.compile(r"Destroy|Abort|Finalize|Revoke")
NONE = -1


class Sender(NamedTuple):
    """The thread that printed a line; empty if the line does not say."""

    host: str = ""
    process: str = ""
    thread: str = ""
    gpu: str = ""


class RingList(NamedTuple):
    """The ranks of a ring, or the first ones if the line was shortened."""

    channel: int
    channels: int
    """Number of channels; 0 if not given."""
    ranks: tuple[int, ...]
    shortened: bool


class Next(NamedTuple):
    """The rank after a rank in a ring."""

    channel: int
    rank: int
    after: int


class Connection(NamedTuple):
    """A connection from one rank to another."""

    channel: int
    src: int
    dst: int
    side: str
    """``send`` or ``receive`` if only this end is described; else empty."""
    by_network: bool
    nic: int
    """NIC of the described end, or `NONE`."""


class TreeNode(NamedTuple):
    """The neighbours of a rank in a tree."""

    rank: int
    parent: int
    """`NONE` for the root."""
    children: tuple[int, ...]


class TreeNodes(NamedTuple):
    """The neighbours of a rank in the trees of all channels."""

    up: dict[int, TreeNode]
    """By channel, for reducing."""
    down: dict[int, TreeNode]
    """By channel, for broadcasting."""
    cut_off: bool
    """Whether the line ends in the middle of an entry."""


class Member(NamedTuple):
    """The rank of the printing process in a communicator, or only the number of ranks."""

    pointer: str
    rank: int
    """`NONE` if not given."""
    ranks: int
    id: str
    """Equal for all ranks of the communicator; empty if not given."""
    state: str
    """``START`` or ``COMPLETE`` of the initialisation, else empty."""


Message = RingList | Next | Connection | TreeNodes | Member


class Line(NamedTuple):
    """A line with a message."""

    number: int
    sender: Sender
    message: Message
    of: Member | None = None
    """The communicator that the line itself names, as RCCL does."""


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines that describe rings, trees, connections or communicators."""
    senders: dict[str, Sender] = {}
    for number, line in enumerate(text.split("\n"), 1):
        match = INFO.search(line) if "CCL INFO " in line else None
        if match is None:
            continue
        words = line[match.end() :]
        message = _message(words)
        if message is not None:
            before = line[: match.start()]
            sender = senders.get(before)
            if sender is None:
                printed = SENDER.search(before)
                sender = senders[before] = Sender(*printed.groups(default="")) if printed else Sender()
            of = _member(words) if "comm 0x" in words and not isinstance(message, Member) else None
            yield Line(number, sender, message, of)


def _message(words: str) -> Message | None:
    if words.startswith("Trees"):
        return _trees(words)
    if words.startswith(("Channel", "Ring")):
        return (_connection(words) or _next(words)) if " -> " in words else _list(words)
    return _member(words)


def _list(words: str) -> RingList | None:
    match = LIST.match(words)
    if match is None:
        return None
    channel, channels, ranks, dots = match.groups()
    return RingList(int(channel), int(channels or 0), tuple(map(int, ranks.split())), dots is not None)


def _next(words: str) -> Next | None:
    match = NEIGHBOURS.match(words)
    return Next(int(match[1]), int(match[3]), int(match[4])) if match else None


def _connection(words: str) -> Connection | None:
    match = CONNECTION.match(words)
    if match is None or (match[2] or "0") != "0":
        return None
    channel, _, src, dst, side, nic = match.groups()
    by_network = words.startswith("NET", match.end() - len(match[0]) + match[0].index("via ") + 4)
    return Connection(int(channel), int(src), int(dst), side or "", by_network, NONE if nic is None else int(nic))


def _trees(words: str) -> TreeNodes | None:
    up, down = dict[int, TreeNode](), dict[int, TreeNode]()
    entries = TREE.findall(words)
    for channel, entry in entries:
        halves = [HALF.fullmatch(half) for half in entry.split("|")]
        if len(halves) > 2 or None in halves:
            return TreeNodes(up, down, cut_off=True)
        nodes = [_node(*half.groups()) for half in halves if half]
        up[int(channel)], down[int(channel)] = nodes[0], nodes[-1]
    return TreeNodes(up, down, cut_off=False) if entries else None


def _node(left: str | None, rank: str, parent: str, top: str, middle: str, right: str) -> TreeNode:
    # Slashes are on the side of the children.
    children = tuple(int(child) for child in (left or right).split("/") if child != "-1")
    return TreeNode(int(rank if left else middle), int(parent if left else top), children)


def _member(words: str) -> Member | None:
    match = COMM.search(words)
    if match is None or ENDS.search(words):
        return None
    identity = ID.search(words)
    state = next((state for state in ("START", "COMPLETE") if state in words), "")
    rank = NONE if match[2] is None else int(match[2])
    return Member(match[1], rank, int(match[3]), (identity[1] or identity[2]) if identity else "", state)
