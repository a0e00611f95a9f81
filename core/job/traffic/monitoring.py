"""Open MPI's monitoring: ``mon.R.prof``, one file per rank. The scenario may name any of them; all are read.

A line is ``E 0 1 3072 bytes 3 msgs sent``: what rank 0 sent to rank 1. E counts messages of the program, I messages
that MPI sent on its behalf (swapped in some releases). Both count, as do one-sided S and R. Collectives are part of I.
Source: Open MPI, ompi/mca/common/monitoring.
"""

import re
from pathlib import Path

from core.job.traffic.pairs import FIELD, OtherFile, ParsedTraffic, TaskPairVolumes, at_line, is_whole, text_of, wrong
from core.spec import errors_naming

NAME = re.compile(r"(.*?)(\d+)(\.prof)")
COUNTED = ("E", "I", "S", "R")
SENT = re.compile(r"\d{1,18} msgs sent")
MAX_FILES = 1 << 17
UNUSED = "has no E, I, S or R line; run with pml_monitoring_enable"


def read_monitoring(path: Path, other_file: OtherFile) -> ParsedTraffic:
    """Read the bytes that all ranks sent, and the number of ranks.

    Raises SpecError: naming the invalid line, or a file of another rank that may not be read.
    """
    pairs, named = TaskPairVolumes(), NAME.fullmatch(path.name)
    own = int(named[2]) if named is not None else 0
    some, rank = _read(path, own, pairs), 0
    if named is None:
        what = f"{path.name!r} has no rank in its name; choose one of the files mon.0.prof, mon.1.prof, ..."
        raise wrong(what if some else UNUSED)
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
        for number, line in enumerate(text_of(file).splitlines(), 1):
            words = line.split("\t")
            if words[0] in COUNTED:
                some = True
                _add(number, words, rank, pairs)
    return some


def _add(number: int, words: list[str], rank: int, pairs: TaskPairVolumes) -> None:
    if len(words) < 5 or not SENT.fullmatch(words[4]):
        raise at_line(number, 'missing "N msgs sent"')
    volume = words[3].removesuffix(" bytes")
    if not (is_whole(words[1]) and is_whole(words[2]) and is_whole(volume, 1 << 62)):
        raise at_line(number, "give sender, receiver and bytes as whole numbers")
    sender, receiver = int(words[1]), int(words[2])
    if sender != rank:
        raise at_line(number, f"sender {sender} in the file of rank {rank}")
    # R counts data received by get operations.
    src, dst = (receiver, sender) if words[0] == "R" else (sender, receiver)
    pairs.add(src, dst, float(volume))
