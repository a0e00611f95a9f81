"""The inside of GPU servers: topology files of NCCL and RCCL, as NCCL_TOPO_DUMP_FILE writes them.

GPUs are nodes; CPUs (NUMA nodes), PCI bridges, NICs and the NVSwitches of a server are switches. Source: NCCL's source,
graph/topo.cc and graph/xml.cc.
"""

from pathlib import Path

from core.network.formats.nccl.elements import read_elements
from core.network.formats.nccl.graph import Fabric, graph_of
from core.network.formats.nccl.pci_tree import read_servers
from core.network.formats.nccl.server import Rates
from core.network.formats.parsed_graph import ParsedGraph, checked_xml
from core.spec import SpecError


def read_nccl_topology(
    path: Path,
    servers: int = 1,
    fabric: Fabric = "none",
    nvlink_gbs: float | None = None,
    numa_gbs: float | None = None,
) -> ParsedGraph:
    """Return `servers` copies of the servers in a topology file, joined at their NICs.

    Raises SpecError: naming the invalid line, or if the fabric does not join the servers.
    """
    if servers > 1 and fabric == "none":
        raise SpecError("network.fabric", f"is none; {servers:,} servers need rail or single")
    read = read_servers(read_elements(checked_xml(path)), Rates(nvlink_gbs, numa_gbs))
    return graph_of(read, servers, fabric)
