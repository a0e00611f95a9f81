"""Names of the parts of a network, the same in every view."""

import re
from collections.abc import Sequence

from core.load.scenario import Case
from core.network.network import LinkClass, Network
from core.text import enumerated, links_of

MAX_TITLE = 80
"""Maximum characters of a title."""
MAX_HEADLINE = 60
"""Maximum characters of a scenario's name in the title of the window."""
SHORTER = (
    (re.compile(r" port (\d+)(?= → |$)"), r"[\1]"),
    (re.compile(r" \(parallel (\d+)\)"), r" (\1)"),
    (re.compile(r"^(\S+) link(?= |$)"), r"\1"),
    (re.compile(" · "), "·"),
)
"""Parts of names, and what stands for them in narrow places."""
PROPER_NAMES = ("Valiant",)
"""Titles that keep their capital within a sentence."""


def top_level(network: Network) -> str:
    """Return the name of the coarsest level, "node" without levels."""
    return network.levels[0].name if network.levels else "node"


def capitalised(name: str) -> str:
    """Return a name for the start of a title: ``Switch s2``; names from the network's file are unchanged."""
    kind, blank, _ = name.partition(" ")
    return name[:1].upper() + name[1:] if blank and kind.islower() else name


def in_sentence(title: str) -> str:
    """Return a title for use within a sentence: ``coloured blocks``; proper names such as ``CLEX`` are unchanged."""
    first = title.partition(" ")[0]
    lower = first[1:2].islower() and first[1:].islower() and first not in PROPER_NAMES
    return title[:1].lower() + title[1:] if lower else title


def pair_name(network: Network, a: int, b: int, between: str = "→") -> str:
    """Return ``supernode 4 → 1``; if the two are of different kinds, both kinds are named: ``plane 1 → pod 2``."""
    return network.group_pair_name(a, b, between)


def group_labels(network: Network) -> list[str]:
    """Return short names of all groups; groups of switches are named in full."""
    return [network.group_label(group) for group in range(network.groups)]


def member_label(network: Network, level: int, group: int) -> str:
    """Return the short name of a group inside the next coarser one: ``21``, ``s2``, ``d1`` for a supernode's drawer 1.

    In a lattice the name is the dimension and the position along it: ``Y 1``.
    """
    fine = network.levels[level]
    place = group if level == 0 else group % (fine.count // network.levels[level - 1].count)
    if fine.name[0].isupper() and not fine.names:
        return f"{fine.name.split()[0]} {place}"
    if level > 0 and fine.names:
        coarse = network.levels[level - 1]
        outer = coarse.label(int(coarse.group[int((fine.group == group).argmax())]))
        return fine.label(group).removeprefix(f"{outer}-")
    return fine.label(group) if level == 0 else f"{fine.name[0].lower()}{place}"


def vertex_names(network: Network, vertices: Sequence[int]) -> str:
    """Return ``nodes 4 and 7``, or ``node 4 and switch s2`` if their kinds differ."""
    names = [network.vertex_name(vertex) for vertex in vertices]
    if len(names) > 1 and all(name.startswith("node ") for name in names):
        return f"nodes {enumerated([name.removeprefix('node ') for name in names])}"
    return enumerated(names)


def flow_name(source: int, destination: int) -> str:
    """Return ``task 1,452 → 1,516``."""
    return f"task {source:,} → {destination:,}"


def short_name(name: str) -> str:
    """Return a name for narrow places: ``switch s1[5] → s2[1]`` for ``switch link s1 port 5 → s2 port 1``."""
    for long, short in SHORTER:
        name = long.sub(short, name)
    return name


def only_text(shown: LinkClass | None) -> str:
    """Return ``only D links`` if only these are shown, or an empty text."""
    return "" if shown is None else f"only {links_of(shown.name)}"


def brief(names: list[str], limit: int = 3) -> str:
    """Return a short list: ``level 1 and 2``, or ``C1, C2 and 8 more`` for more than `limit` names."""
    heads = {name.rpartition(" ")[0] for name in names}
    if len(heads) == 1 < len(names) and "" not in heads:
        names = [names[0], *(name.rpartition(" ")[2] for name in names[1:])]
    if len(names) > limit:
        return f"{', '.join(names[: limit - 1])} and {len(names) - limit + 1} more"
    return enumerated(names)


def speed_text(case: Case, link: int) -> str:
    """Return ``failed`` or ``at 50 % of 10 GB/s``; empty for a link without a fault."""
    if case.faults is None or case.faults.speed[link] == 1:
        return ""
    speed = float(case.faults.speed[link])
    return f"at {100 * speed:.4g} % of {float(case.network.gbs[link]):.4g} GB/s" if speed else "failed"


def step_title(step: int, steps: int, name: str) -> str:
    """Return ``step 7 of 31: r <-> r XOR 7`` for a step counted from 0.

    Rounds and measured intervals have other names: ``round 5 of 12: level 1``, ``interval 2 of 6``.
    """
    number = step + 1
    if name.startswith(f"round {number:,}: "):
        return f"round {number:,} of {steps:,}: {name.partition(': ')[2]}"
    if name == f"interval {number:,}":
        return f"{name} of {steps:,}"
    rest = name.removeprefix(f"step {number}: ")
    return f"step {number:,} of {steps:,}" + (
        f": {rest}" if rest not in ("", f"step {number}", f"phase {number}") else ""
    )


def headline_of(note: str) -> str:
    """Return the beginning of a note as a title: the clauses of its first line that fit into a window's title."""
    line = note.partition("\n")[0].strip()
    for mark in (". ", ": ", "; ", ", "):
        if len(line) > MAX_HEADLINE:
            line = line.partition(mark)[0]
    return line if len(line) <= MAX_HEADLINE else f"{line[:MAX_HEADLINE].rpartition(' ')[0]} …"


def title_of(note: str) -> str:
    """Return the first line of a note, or an empty text if it is too long for a title."""
    line = note.partition("\n")[0].strip()
    return line if len(line) <= MAX_TITLE else ""
