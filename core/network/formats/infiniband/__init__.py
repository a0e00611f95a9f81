"""Discovered InfiniBand fabrics: the output of ibnetdiscover and iblinkinfo, and the networks of ibsim.

A reader for each dialect gives a `Dump`: devices and the cables between their ports. `graph_of` turns it into vertices
and links: the adapters of a host become one vertex.
"""

from pathlib import Path

from core.network.formats.infiniband.blocks import read_blocks
from core.network.formats.infiniband.graph import graph_of
from core.network.formats.infiniband.hosts import LEAVE_OUT, NODE_OF
from core.network.formats.infiniband.link_lines import read_links
from core.network.formats.infiniband.port_lines import is_port_list, read_ports
from core.network.formats.parsed_graph import ParsedGraph, text_of


def read_ibnetdiscover(
    path: Path, node_of: str = NODE_OF, leave_out: str = LEAVE_OUT, unknown_gbs: float | None = None
) -> ParsedGraph:
    """Return the network in the output of ibnetdiscover, with or without -p, or in a network file of ibsim.

    Raises SpecError: naming the line, or the two ends of a cable that disagree; or an invalid pattern.
    """
    text = text_of(path)
    dump = read_ports(text) if is_port_list(text) else read_blocks(text)
    return graph_of(dump, node_of, leave_out, unknown_gbs)


def read_iblinkinfo(
    path: Path, node_of: str = NODE_OF, leave_out: str = LEAVE_OUT, unknown_gbs: float | None = None
) -> ParsedGraph:
    """Return the network in the output of iblinkinfo, with or without -l.

    Raises SpecError: naming the line, or the two ends of a cable that disagree; or an invalid pattern.
    """
    return graph_of(read_links(text_of(path)), node_of, leave_out, unknown_gbs)
