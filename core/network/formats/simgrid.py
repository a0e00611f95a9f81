"""SimGrid platforms of one cluster: TORUS, FAT_TREE, DRAGONFLY, or a crossbar.

Attributes read of the <cluster>: `topology`, `topo_parameters`, `bw`, `radical`, `prefix`, `suffix` and
`sharing_policy`; loopbacks and limiters are ignored. Hosts are numbered in the order of `radical`.
Source: SimGrid's manual, "Platform examples" and "XML reference".
"""

import re
from dataclasses import replace
from pathlib import Path

from core.network.formats.clusters import MAX_HOSTS, READERS
from core.network.formats.parsed_graph import ParsedGraph, checked_xml, shown, wrong
from core.network.formats.simgrid_zone import gbs_of, read_zone

TOPOLOGIES = "TORUS, FAT_TREE, DRAGONFLY or FLAT"
RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?")
AROUND_CLUSTER = ("platform", "zone", "AS", "cluster", "config", "prop")
"""Elements that add no hosts and no links to a cluster."""
POLICIES = ("SPLITDUPLEX", "SHARED", "FATPIPE")


def read_simgrid(path: Path) -> ParsedGraph:
    """Return the graph of a SimGrid platform file.

    Raises SpecError: if it is not one, or does not have exactly one cluster of a known topology.
    """
    import xml.etree.ElementTree as ET  # slow to import, rarely needed

    try:
        platform = ET.fromstring(checked_xml(path))
    except ET.ParseError as error:
        raise wrong(f"cannot be read as XML: {error}") from error
    clusters = list(platform.iter("cluster"))
    zones = [zone for zone in platform.iter("zone") if zone.find("route") is not None]
    if not clusters and len(zones) == 1:
        hosts = sum(1 for _ in platform.iter("host"))
        if hosts != len(zones[0].findall("host")):
            raise wrong(
                f"has {hosts:,} hosts, some of them outside the zone with the routes; give a platform with one zone"
            )
        return read_zone(zones[0])
    if len(clusters) != 1:
        advice = "give a SimGrid platform with one cluster, or with a zone that has a route for each link"
        raise wrong(f"has {len(clusters)} <cluster> elements; {advice}")
    other = next((element.tag for element in platform.iter() if element.tag not in AROUND_CLUSTER), None)
    if other is not None:
        raise wrong(f"has a <{other}> in addition to its <cluster>; give a platform with a single cluster only")
    return _read_cluster(clusters[0].attrib)


def _read_cluster(given: dict[str, str]) -> ParsedGraph:
    topology = given.get("topology", "FLAT").upper()
    if topology not in READERS:
        raise wrong(f"has topology {shown(topology)}; give {TOPOLOGIES}")
    if topology == "FLAT" and ("bb_bw" in given or "bb_lat" in given):
        raise wrong("has a shared backbone, which is not a link between two vertices; remove bb_bw and bb_lat")
    for needed in ("bw", "radical"):
        if needed not in given:
            raise wrong(f"has a <cluster> without {needed}")
    names = _names(given["radical"], given.get("prefix", ""), given.get("suffix", ""))
    graph = READERS[topology](names, given.get("topo_parameters", ""), gbs_of(given["bw"]))
    return replace(graph, warnings=_warnings(given.get("sharing_policy", "SPLITDUPLEX").upper()))


def _names(radical: str, prefix: str, suffix: str) -> list[str]:
    ranges = []
    for part in re.split("[,;]", radical):
        match = RANGE.fullmatch(part)
        if match is None:
            raise wrong(f"radical has {shown(part)}; give ranges such as 0-15 or 0-7,12")
        first = int(match.group(1))
        ranges.append(range(first, int(match.group(2) or first) + 1))
    count = sum(map(len, ranges))
    if count > MAX_HOSTS:
        raise wrong(f"radical lists {count:,} hosts; at most {MAX_HOSTS:,} are supported")
    return [f"{prefix}{number}{suffix}" for numbers in ranges for number in numbers]


def _warnings(policy: str) -> tuple[str, ...]:
    if policy not in POLICIES:
        raise wrong(f"has sharing_policy {shown(policy)}; give {', '.join(POLICIES)}")
    if policy == "SPLITDUPLEX":
        return ()
    meaning = {"SHARED": "in both directions share one link", "FATPIPE": "do not share the bandwidth"}[policy]
    return (f"sharing_policy {policy}: in SimGrid messages {meaning}, here each direction has the full bandwidth",)
