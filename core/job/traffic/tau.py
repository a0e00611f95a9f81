"""TAU's profiles, ``profile.R.0.0``, one per rank. The scenario may name any of them; all are read.

``"Message size sent to node D" events max min mean sumsqr``: events times mean bytes were sent to rank D. Names with
`` : `` or ``=>`` are parts of these totals. Source: TAU, src/Profile; TAU_COMM_MATRIX=1.
"""

import re
from pathlib import Path

from core.job.traffic.pairs import FIELD, OtherFile, ParsedTraffic, TaskPairVolumes, at_line, is_whole, text_of, wrong
from core.spec import errors_naming

NAME = re.compile(r"profile\.(\d+)\.0\.0")
EVENT = re.compile(r'"Message size sent to node (\d{1,9})"\s*(.*)')
FIGURES = 5
MAX_FILES = 1 << 17


def read_tau(path: Path, other_file: OtherFile) -> ParsedTraffic:
    """Read the bytes that all ranks sent, and the number of ranks.

    Raises SpecError: naming the invalid line, or a file of another rank that may not be read.
    """
    if NAME.fullmatch(path.name) is None:
        raise wrong(f"{path.name!r} has no rank in its name; choose one of the files profile.0.0.0, profile.1.0.0, ...")
    pairs, rank, highest = TaskPairVolumes(), 0, -1
    while rank < MAX_FILES and (file := other_file(f"profile.{rank}.0.0")):
        with errors_naming(FIELD, file):
            reached = _read(file, rank, pairs)
        highest, rank = max(highest, reached), rank + 1
    if highest < 0:
        raise wrong('has no "Message size sent to node" event; run with TAU_COMM_MATRIX=1')
    return ParsedTraffic(pairs.flows(), max(rank, highest + 1))


def _read(file: Path, rank: int, pairs: TaskPairVolumes) -> int:
    # Return the highest rank that the file's rank sent to, or -1.
    highest = -1
    for number, line in enumerate(text_of(file).splitlines(), 1):
        match = EVENT.match(line)
        if match is None or " : " in line or "=>" in line:
            continue
        figures = match[2].split()
        if len(figures) != FIGURES:
            raise at_line(number, f"{len(figures)} numbers after the event; give {FIGURES}")
        highest = max(highest, int(match[1]))
        pairs.add(rank, int(match[1]), _number(number, figures[0]) * _number(number, figures[3]))
    return highest


def _number(line: int, word: str) -> float:
    if not re.fullmatch(r"\d+(\.\d*)?([eE][+-]?\d{1,2})?", word) and not is_whole(word):
        raise at_line(line, f"{word[:40]!r} is not a number from 0")
    return float(word)
