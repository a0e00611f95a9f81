"""GOAL, the text form of LogGOPSim's schedules: what each rank sends, receives and computes.

``num_ranks 2 / rank 0 { / l1: send 8b to 1 tag 0 / l2 requires l1 / }``. Only sends count; a warning
reports receives that do not match them. Source: T. Hoefler, T. Schneider and A. Lumsdaine, "LogGOPSim", 2010; its
reader txt2bin.re.
"""

import re
from collections import Counter
from pathlib import Path

from core.job.job import MAX_TASKS, FlowBlock
from core.job.traffic.pairs import ParsedTraffic, TaskPairVolumes, at_line, is_whole, text_of, wrong

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
RANKS, RANK = re.compile(r"num_ranks\s+(\d{1,9})"), re.compile(r"rank\s+(\d{1,9})\s*\{")
STATEMENT = re.compile(r"(?:(\w+)\s*:\s*)?(send|recv)\s+(\S+)\s+(?:to|from)\s+(-?\d{1,9})(?:\s+(?:tag|cpu|nic)\s+\d+)*")
CALC = re.compile(r"(?:(\w+)\s*:\s*)?calc\s+\d+(?:\s+(?:cpu|nic)\s+\d+)*")
AFTER = re.compile(r"(\w+)\s+i?requires\s+(\w+)")
BYTES = re.compile(r"(\d{1,18})b")


def read_goal(path: Path) -> ParsedTraffic:
    """Read the bytes that ranks send, and the number of ranks.

    Raises SpecError: naming the invalid line.
    """
    text = re.sub(COMMENT, lambda hidden: "\n" * hidden[0].count("\n"), text_of(path))
    schedule = _Schedule()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if words:
            schedule.take(number, words)
    return ParsedTraffic(schedule.end(text.count("\n") + 1), schedule.ranks, schedule.messages.unmatched())


class _Messages:
    """Counts messages sent and received, in any order and with any tags."""

    def __init__(self) -> None:
        self._count: dict[str, Counter[tuple[int, int, int]]] = {"send": Counter(), "recv": Counter()}
        """By receiver, sender (-1: any) and bytes."""
        self._line: dict[tuple[str, int, int, int], int] = {}
        """The last line of each, with the same key after send or recv."""

    def add(self, kind: str, rank: int, peer: int, size: int, line: int) -> None:
        key = (peer, rank, size) if kind == "send" else (rank, peer, size)
        self._count[kind][key] += 1
        self._line[kind, *key] = line

    def unmatched(self) -> tuple[str, ...]:
        """Return a warning on the first message that is not both sent and received, if the file has receives."""
        if not self._count["recv"]:
            return ()
        left = Counter(self._count["send"])
        left.subtract(self._count["recv"])
        from_any: Counter[tuple[int, int]] = Counter()
        for (to, sender, size), count in left.items():
            if sender >= 0 > count:
                return self._warning("recv", to, sender, size)
            from_any[to, size] += count
        for (to, sender, size), count in left.items():
            if from_any[to, size] > 0 < count:
                return self._warning("send", to, sender, size)
            if from_any[to, size] < 0 and sender < 0:
                return self._warning("recv", to, sender, size)
        return ()

    def _warning(self, kind: str, to: int, sender: int, size: int) -> tuple[str, ...]:
        what = f"rank {to} receives {size}b from {sender if sender >= 0 else 'any rank'} more often than sent"
        if kind == "send":
            what = f"rank {sender} sends {size}b to {to} more often than received"
        return (f"line {self._line[kind, to, sender, size]:,}: {what}; only sends are counted",)


class _Schedule:
    """Parser state."""

    def __init__(self) -> None:
        self.ranks = 0
        self._rank: int | None = None
        self._labels: set[str] = set()
        self._pairs = TaskPairVolumes()
        self.messages = _Messages()

    def take(self, line: int, words: str) -> None:
        if match := RANKS.fullmatch(words):
            self.ranks = int(match[1])
            if not 1 <= self.ranks <= MAX_TASKS:
                raise at_line(line, f"{self.ranks:,} ranks; give 1 to {MAX_TASKS:,}")
        elif match := RANK.fullmatch(words):
            self._begin(line, int(match[1]))
        elif words == "}" and self._rank is not None:
            self._rank = None
        elif self._rank is None:
            raise at_line(line, f"{words[:40]!r} is outside a rank; write rank N {{ before it")
        else:
            self._statement(line, self._rank, words)

    def _begin(self, line: int, rank: int) -> None:
        if self._rank is not None:
            raise at_line(line, f"rank {self._rank} is not closed with }}")
        self._check(line, rank)
        self._rank, self._labels = rank, set()

    def _statement(self, line: int, rank: int, words: str) -> None:
        if match := STATEMENT.fullmatch(words):
            label, kind, size, peer = match.groups()
            volume = BYTES.fullmatch(size)
            if volume is None:
                raise at_line(
                    line,
                    f"write the size as {size}b"
                    if is_whole(size, 1 << 62)
                    else f"{size[:40]!r} is not a size such as 8b",
                )
            if not (kind == "recv" and peer == "-1"):
                self._check(line, int(peer))
            if kind == "send":
                self._pairs.add(rank, int(peer), float(volume[1]))
            self.messages.add(kind, rank, int(peer), int(volume[1]), line)
            self._labels.add(label or "")
        elif match := CALC.fullmatch(words):
            self._labels.add(match[1] or "")
        elif match := AFTER.fullmatch(words):
            missing = next((name for name in reversed(match.groups()) if name not in self._labels), None)
            if missing is not None:
                raise at_line(line, f"unknown label {missing}")
        else:
            raise at_line(line, f"unknown statement {words[:40]!r}; statements: send, recv, calc, requires")

    def _check(self, line: int, rank: int) -> None:
        if not 0 <= rank < self.ranks:
            raise at_line(line, f"no rank {rank}; ranks are 0 to {self.ranks - 1}")

    def end(self, line: int) -> FlowBlock:
        if self._rank is not None:
            raise at_line(line, f"rank {self._rank} is not closed with }}")
        if not self.ranks:
            raise wrong("has no num_ranks")
        return self._pairs.flows()
