"""A number per line, as partitioners write it (METIS .part, KaHIP, VieM): the slot of task 0, of task 1, ...

If numbers are repeated they are nodes, and the tasks of a node take its cores in order.
"""

from core.exported import Exported
from core.mapping.formats.placed import NAMES, Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, number_in, shown, span, wrong


def read_permutation(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a permutation.

    Raises SpecError: naming the invalid line.
    """
    targets: list[int] = []
    lines: list[int] = []
    for line, words in lines_of(text, "%", "#"):
        targets.append(target_in(line, words, machine))
        lines.append(line)
    if not targets:
        raise wrong("names no slot")
    return at_targets(targets, lines, machine)


def target_in(line: int, word: str, machine: LaunchNodes) -> int:
    """Parse the number of a slot or node.

    Raises SpecError: if it does not exist.
    """
    target = number_in(word)
    if target is None:
        raise at_line(line, f'"{shown(word)}" is no slot')
    if target >= machine.network.slots:
        raise at_line(line, f"slot {target:,}; the network has {span(machine.network.slots)}")
    return target


def at_targets(targets: list[int], lines: list[int], machine: LaunchNodes) -> RankPlacement:
    """Return the ranks in numbered slots or, if numbers are repeated, on numbered nodes."""
    if len(set(targets)) < len(targets) and max(targets) < machine.network.nodes:
        return RankPlacement(targets, line=lines)
    places = machine.network.slots_per_node
    nodes, cores = zip(*(divmod(target, places) for target in targets), strict=True)
    return RankPlacement(nodes, cores, lines, lambda rank: f"slot {targets[rank]}")


def write_permutation(placed: Placed) -> Exported:
    """Return the slot of each rank, a line each."""
    return Exported(lines(slots_of(placed)), (NAMES,))


def slots_of(placed: Placed) -> list[int]:
    """Return the slot of each rank."""
    slots: list[int] = (placed.node * placed.network.slots_per_node + placed.core).tolist()
    return slots
