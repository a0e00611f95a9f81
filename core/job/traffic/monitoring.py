"""Open MPI's monitoring: ``mon.R.prof``, one file per rank. The scenario may name any of them; all are read.

A line is ``E 0 1 3072 bytes 3 msgs sent``: what rank 0 sent to rank 1. E counts messages of the program, I messages
that MPI sent on its behalf (swapped in some releases). Both count, as do one-sided S and R. Collectives are part of I.
Written to standard output or standard error, the lines of all ranks are in one file, among the program's own output.
Source: Open MPI, ompi/mca/common/monitoring.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from core.job.traffic.pairs import FIELD, OtherFile, ParsedTraffic, TaskPairVolumes, at_line, is_whole, text_of, wrong
from core.spec import errors_naming
from core.text import examples, plural

NAME = re.compile(r"(.*?)(\d+)(\.prof)")
COUNTED = ("E", "I", "S", "R")
UNCOUNTED = ("C", "D", "O2A", "A2O", "A2A")
"""Collectives, whose messages are part of I."""
SENT = re.compile(r"\d{1,18} msgs sent")
TAG = re.compile(r"\[[\d,]+\]<std(out|err)>:\s*")
"""Beginning of a line written by ``mpirun --tag-output``."""
MAX_FILES = 1 << 17
UNUSED = "has no E, I, S or R line; run with pml_monitoring_enable"
LONGEST = 40
"""Length to which lines in a note are shortened."""


def read_monitoring(path: Path, other_file: OtherFile) -> ParsedTraffic:
    """Read the bytes that all ranks sent, and the number of ranks.

    Raises SpecError: naming the invalid line, or a file of another rank that may not be read.
    """
    pairs, named = TaskPairVolumes(), NAME.fullmatch(path.name)
    if named is None:
        return _read_stream(path, pairs)
    own, rank, some = int(named[2]), 0, _read(path, int(named[2]), pairs)
    while rank < MAX_FILES and (file := path if rank == own else other_file(f"{named[1]}{rank}{named[3]}")):
        if rank != own:
            some |= _read(file, rank, pairs)
        rank += 1
    if not some:
        raise wrong(UNUSED)
    return ParsedTraffic(pairs.flows(), rank)


def _read(file: Path, rank: int, pairs: TaskPairVolumes) -> bool:
    # Return whether the file has any traffic.
    some = False
    with errors_naming(FIELD, file):
        for number, words in _lines(file):
            if words[0] in COUNTED:
                some = True
                sender, receiver, volume = _sent(number, words)
                if sender != rank:
                    raise at_line(number, f"sender {sender} in the file of rank {rank}")
                _add(pairs, words[0], sender, receiver, volume)
    return some


def _read_stream(file: Path, pairs: TaskPairVolumes) -> ParsedTraffic:
    senders, highest, others = set[int](), -1, list[str]()
    for number, words in _lines(file):
        if words[0] in COUNTED:
            sender, receiver, volume = _sent(number, words)
            senders.add(sender)
            highest = max(highest, sender, receiver)
            _add(pairs, words[0], sender, receiver, volume)
        elif words[0] not in UNCOUNTED and not words[0].startswith("#"):
            others.append(" ".join(words)[:LONGEST])
    if not senders:
        raise wrong(UNUSED)
    if len(senders) == 1:
        what = f"has only lines of rank {senders.pop()}, and no rank in its name"
        raise wrong(f"{what}; choose one of the files mon.0.prof, mon.1.prof, ..., or the output of all ranks")
    note = f"{plural(len(others), 'line')} of other output ignored: {examples([repr(line) for line in others])}"
    return ParsedTraffic(pairs.flows(), highest + 1, (note,) * bool(others))


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    # The words of lines that are not empty.
    for number, line in enumerate(text_of(file).splitlines(), 1):
        if line.strip():
            yield number, TAG.sub("", line, count=1).split("\t")


def _sent(number: int, words: list[str]) -> tuple[int, int, float]:
    if len(words) < 5 or not SENT.fullmatch(words[4]):
        raise at_line(number, 'missing "N msgs sent"')
    volume = words[3].removesuffix(" bytes")
    if not (is_whole(words[1]) and is_whole(words[2]) and is_whole(volume, 1 << 62)):
        raise at_line(number, "give sender, receiver and bytes as whole numbers")
    return int(words[1]), int(words[2]), float(volume)


def _add(pairs: TaskPairVolumes, kind: str, sender: int, receiver: int, volume: float) -> None:
    # R counts data received by get operations.
    src, dst = (receiver, sender) if kind == "R" else (sender, receiver)
    pairs.add(src, dst, volume)
