"""Flux's taskmap: ``[[0,4,1,4]]``, blocks of first node, nodes, tasks per node and repeats.

Each repeat places the next ranks on each of the nodes in turn. Used by ``flux run --taskmap=manual:MAP``. Also read are
``(vector,(0,4,4))``, the process mapping of PMI, with blocks of first node, nodes and tasks per node, and Flux's raw
form ``0-3;4-7``, the tasks of each node. Source: Flux RFC 34, "Task Map", and taskmap.c of flux-core.
"""

import re
from itertools import groupby
from typing import Any

import msgspec

from core.export_result import Exported
from core.mapping.formats.placement import NAMES, Placed
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, check_all, number_in, rank_range, shown, wrong
from core.text import plural

PARTS = ("first node", "nodes", "tasks per node", "repeat")
VECTOR = re.compile(r"""(?:PMI_process_mapping\s*=\s*)?["']?\s*\(\s*vector\s*,(.*)\)\s*["']?""", re.DOTALL)
BLOCK = re.compile(r"\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)\s*")
RAW = re.compile(r"[\d\s,;-]+")


def read_taskmap(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a taskmap.

    Raises SpecError: naming the invalid block.
    """
    if RAW.fullmatch(text):
        return _raw(text, machine)
    node: list[int] = []
    for number, block in enumerate(_blocks(text.strip()), 1):
        first, nodes, each, repeat = _block(number, block)
        if first + nodes > machine.hosts.size:
            raise wrong(
                f"block {number}: no node {first + nodes - 1}; the job's nodes are 0 to {machine.hosts.size - 1}"
            )
        if len(node) + nodes * each * repeat > machine.network.slots:
            raise wrong(f"block {number}: more ranks than the network's {plural(machine.network.slots, 'slot')}")
        turn = [int(host) for host in machine.hosts[first : first + nodes] for _ in range(each)]
        node += turn * repeat
    if not node:
        raise wrong("has no blocks")
    return RankPlacement(node)


def _raw(text: str, machine: LaunchNodes) -> RankPlacement:
    groups = [group.strip() for group in text.strip().split(";")]
    if len(groups) > machine.hosts.size:
        raise wrong(f"lists the tasks of {plural(len(groups), 'node')}; the job has {machine.hosts.size:,}")
    node: dict[int, int] = {}
    for place, group in zip(machine.hosts.tolist(), groups, strict=False):
        for item in filter(None, group.split(",")):
            for task in rank_range(1, item.strip()):
                if task in node:
                    raise wrong(f"task {task:,} is listed twice")
                node[task] = place
    check_all(node)
    return RankPlacement([node[task] for task in range(len(node))])


def _vector(blocks: str) -> list[Any]:
    # The blocks of PMI's process mapping, in the form of Flux.
    matches = [BLOCK.fullmatch(block) for block in re.split(r",(?=\s*\()", blocks)]
    bad = next((k for k, block in enumerate(matches, 1) if block is None), None)
    if bad is not None:
        raise wrong(f"block {bad} is not ({', '.join(PARTS[:3])}); write (vector,(0,4,4))")
    return [[*map(int, block.groups()), 1] for block in matches if block is not None]


def _blocks(text: str) -> list[Any]:
    vector = VECTOR.fullmatch(text)
    if vector is not None:
        return _vector(vector[1])
    try:
        content = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise wrong(f"is not JSON: {shown(str(error).splitlines()[0])}") from error
    if isinstance(content, dict):
        if content.get("version") != 1:
            raise wrong(f"has version {shown(str(content.get('version')))}; only version 1 is supported")
        content = content.get("map")
    if not isinstance(content, list):
        raise wrong("has no list of blocks; write [[0,4,1,4]]")
    return content


def _block(number: int, block: Any) -> list[int]:
    if not isinstance(block, list):
        raise wrong(f"block {number} is not a list; give [{', '.join(PARTS)}]")
    if len(block) != len(PARTS):
        raise wrong(f"block {number} has {len(block)} numbers; give [{', '.join(PARTS)}]")
    for part, value in zip(PARTS, block, strict=True):
        if not isinstance(value, int) or isinstance(value, bool) or number_in(str(value)) is None:
            raise wrong(f"block {number}: {shown(str(value))} is not a number ({part})")
        if value < 1 and part != "first node":
            raise wrong(f"block {number}: {part} is {value}; give at least 1")
    return block


def write_taskmap(placed: Placed) -> Exported:
    """Return a block for each run of ranks on one node, in JSON."""
    runs = ((node, len(list(same))) for node, same in groupby(placed.turn.tolist()))
    blocks = ",".join(f"[{node},1,{count},1]" for node, count in runs)
    return Exported(f"[{blocks}]\n", (NAMES, *placed.lost_cores))
