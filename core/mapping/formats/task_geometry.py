"""Task geometry of LoadLeveler and LSF: ``{(0,3)(1,4)}``, the tasks of the job's first node, of its second node, ...

Used as ``# @ task_geometry=...`` in a job script, or as ``LSB_TASK_GEOMETRY``, earlier ``LSB_PJL_TASK_GEOMETRY``. Tasks
of a node take its cores in the order listed. Source: IBM's documentation of LoadLeveler and Spectrum LSF.
"""

import re

from core.export_result import Exported
from core.mapping.formats.placement import Placed
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, check_all, number_in, shown, wrong
from core.text import plural

TOKEN = re.compile(r"\d+|[^\s\d]")


def read_task_geometry(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a task geometry.

    Raises SpecError: naming the invalid character, task or group.
    """
    groups = _groups(text)
    node: dict[int, int] = {}
    core: dict[int, int] = {}
    if len(groups) > machine.hosts.size:
        raise wrong(f"has {plural(len(groups), 'group')}; the job has {plural(machine.hosts.size, 'node')}")
    for number, (group, place) in enumerate(zip(groups, machine.hosts.tolist(), strict=False), 1):
        if not group:
            raise wrong(f"group {number} is empty; remove it")
        if len(group) > machine.room(place):
            host = machine.network.host_names[place]
            raise wrong(
                f"group {number} has {plural(len(group), 'task')}; {host} has {plural(machine.room(place), 'slot')}"
            )
        for turn, task in enumerate(group):
            if task in node:
                raise wrong(f"task {task:,} is listed twice")
            node[task], core[task] = place, turn
    check_all(node)
    return RankPlacement([node[task] for task in range(len(node))], [core[task] for task in range(len(node))])


def _groups(text: str) -> list[list[int]]:
    start = text.find("{", max(text.lower().find("task_geometry"), 0))
    if start < 0:
        raise wrong("missing {; write {(0,3)(1,4)}")
    groups: list[list[int]] = []
    inside, expected = "{", "("
    for token in TOKEN.finditer(text, start + 1):
        word = token[0]
        if inside == "{" and word == "}":
            return _some(groups)
        if inside == "{" and word == "(":
            groups.append([])
            inside, expected = "(", "number"
        elif inside == "(" and word == ")" and not (expected == "number" and groups[-1]):
            inside = "{"
        elif inside == "(" and expected == "number" and number_in(word) is not None:
            groups[-1].append(int(word))
            expected = ","
        elif inside == "(" and expected == "," and word == ",":
            expected = "number"
        elif not (inside == "{" and word == ","):
            raise wrong(f'character {token.start() + 1:,}: unexpected "{shown(word)}" after "{inside}"')
    raise wrong(f'"{inside}" is not closed')


def _some(groups: list[list[int]]) -> list[list[int]]:
    if not groups:
        raise wrong("has no groups; write {(0,3)(1,4)}")
    return groups


def write_task_geometry(placed: Placed) -> Exported:
    """Return the ranks of each node, as a line of a LoadLeveler script."""
    groups, lost = placed.groups()
    text = " ".join(f"({','.join(map(str, group.tolist()))})" for group in groups)
    return Exported(f"# @ task_geometry={{{text}}}\n", (*lost, *placed.lost_cores))
