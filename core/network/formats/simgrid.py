"""SimGrid platforms: a single cluster, with the levels of its topology, or zones with hosts, links and routes.

Source: SimGrid's manual, "Platform examples" and "XML reference".
"""

from pathlib import Path

from core.network.formats.parsed_graph import ParsedGraph, checked_xml, wrong
from core.network.formats.simgrid_cluster import cluster_graph
from core.network.formats.simgrid_platform import read_platform

AROUND_CLUSTER = ("platform", "zone", "AS", "cluster", "config", "prop")
"""Elements that add no hosts and no links to a cluster."""


def read_simgrid(path: Path) -> ParsedGraph:
    """Return the graph of a SimGrid platform file.

    Raises SpecError: if it is not one, naming the element that is invalid or does not define links.
    """
    import xml.etree.ElementTree as ET  # slow to import, rarely needed

    try:
        platform = ET.fromstring(checked_xml(path))
    except ET.ParseError as error:
        raise wrong(f"cannot be read as XML: {error}") from error
    clusters = [element.attrib for element in platform.iter("cluster")]
    alone = len(clusters) == 1 and all(element.tag in AROUND_CLUSTER for element in platform.iter())
    if alone and not {"bb_bw", "bb_lat"} & clusters[0].keys():
        return cluster_graph(clusters[0])
    return read_platform(platform)
