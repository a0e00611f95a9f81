"""Scotch's mapping file: the number of tasks, then ``task target`` in any order, tasks from the graph's base on.

Targets are slots or, if repeated, nodes. Source: F. Pellegrini, Scotch and libScotch 7.0 User's Guide, "Mapping
files".
"""

from core.exported import Exported
from core.mapping.formats.permutation import at_targets, slots_of, target_in
from core.mapping.formats.placed import NAMES, Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, number_in, shown, wrong


def read_scotch_map(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a mapping file.

    Raises SpecError: naming the invalid line.
    """
    (first, words), *rest = [*lines_of(text)] or [(1, "")]
    count = number_in(words)
    if count is None:
        raise at_line(first, f'"{shown(words)}" is no number of tasks')
    if len(rest) != count:
        raise wrong(f"says {count:,} lines, has {len(rest):,}")
    targets_by_task: dict[int, tuple[int, int]] = {}
    for line, words in rest:
        task, target = _pair(line, words, machine)
        if task in targets_by_task:
            raise at_line(line, f"task {task} is on line {targets_by_task[task][0]} already")
        targets_by_task[task] = line, target
    base = min(targets_by_task, default=0)
    outside = next((task for task in targets_by_task if task >= base + count), None)
    if base > 1 or outside is not None:
        task = base if outside is None else outside
        raise at_line(targets_by_task[task][0], f"task {task:,}; {count:,} tasks are numbered from 0 or 1 on")
    lines, targets = zip(*(targets_by_task[base + task] for task in range(count)), strict=True) if count else ((), ())
    return at_targets(list(targets), list(lines), machine)


def _pair(line: int, words: str, machine: LaunchNodes) -> tuple[int, int]:
    task, *more = words.split()
    if len(more) != 1 or number_in(task) is None:
        raise at_line(line, f'"{shown(words)}" is no task and its target')
    return int(task), target_in(line, more[0], machine)


def write_scotch_map(placed: Placed) -> Exported:
    """Return the number of ranks, and the slot of each."""
    pairs = [f"{rank}\t{slot}" for rank, slot in enumerate(slots_of(placed))]
    return Exported(lines([str(placed.ranks), *pairs]), (NAMES,))
