"""SimGrid's clusters, alone or in platforms: their attributes, and units of bandwidth.

Attributes read of the <cluster>: `topology`, `topo_parameters`, `bw`, `radical`, `prefix`, `suffix` and
`sharing_policy`; loopbacks are ignored. Hosts are numbered in the order of `radical`.
"""

import re
from dataclasses import replace

from core.network.formats.clusters import MAX_HOSTS, READERS
from core.network.formats.parsed_graph import ParsedGraph, shown, wrong
from core.network.formats.simgrid_zone import gbs_of

TOPOLOGIES = "TORUS, FAT_TREE, DRAGONFLY or FLAT"
RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?")
POLICIES = ("SPLITDUPLEX", "SHARED", "FATPIPE")
MEANINGS = {"SHARED": "in both directions share one link", "FATPIPE": "do not share the bandwidth"}


def cluster_graph(given: dict[str, str]) -> ParsedGraph:
    """Return the graph of a cluster without a backbone.

    Raises SpecError: naming the invalid attribute.
    """
    topology = given.get("topology", "FLAT").upper()
    if topology not in READERS:
        raise wrong(f"has topology {shown(topology)}; give {TOPOLOGIES}")
    names = cluster_names(given)
    graph = READERS[topology](names, given.get("topo_parameters", ""), gbs_of(given["bw"]))
    policy = policy_of(given.get("sharing_policy", "SPLITDUPLEX"))
    return replace(graph, warnings=sharing_notes({policy: graph.src.size}) + limiter_notes("limiter_link" in given))


def cluster_names(given: dict[str, str]) -> list[str]:
    """Return the names of the hosts of a cluster, or of a cabinet.

    Raises SpecError: if its attributes are missing or invalid.
    """
    for needed in ("bw", "radical"):
        if needed not in given:
            raise wrong(f"has a <cluster> without {needed}")
    ranges = []
    for part in re.split("[,;]", given["radical"]):
        match = RANGE.fullmatch(part)
        if match is None:
            raise wrong(f"radical has {shown(part)}; give ranges such as 0-15 or 0-7,12")
        first = int(match.group(1))
        ranges.append(range(first, int(match.group(2) or first) + 1))
    count = sum(map(len, ranges))
    if count > MAX_HOSTS:
        raise wrong(f"radical lists {count:,} hosts; at most {MAX_HOSTS:,} are supported")
    prefix, suffix = given.get("prefix", ""), given.get("suffix", "")
    return [f"{prefix}{number}{suffix}" for numbers in ranges for number in numbers]


def policy_of(text: str, place: str = "") -> str:
    """Return the sharing policy of a link.

    Raises SpecError: naming the place, if it is none that wires have.
    """
    policy = text.upper().replace("FULLDUPLEX", "SPLITDUPLEX")
    if policy not in POLICIES:
        words = f"has sharing_policy {shown(policy)}; give {', '.join(POLICIES)}"
        raise wrong(f"{place} {words}" if place else words)
    return policy


def sharing_notes(links: dict[str, int]) -> tuple[str, ...]:
    """Return warnings on policies other than links of two directions, given the number of links of each policy."""
    return tuple(
        f"sharing_policy {policy}: in SimGrid messages {meaning}, here each direction has the full bandwidth"
        for policy, meaning in MEANINGS.items()
        if links.get(policy)
    )


def limiter_notes(limited: bool) -> tuple[str, ...]:
    """Return a warning on limits of the total bandwidth of hosts."""
    return ("limiter_link: the limit of each node's total bandwidth is not read",) * limited
