"""Up*/Down*: paths that lead up, and then down, so that links never wait for each other in a cycle.

Links are ordered by a total order of the switches. A table does not know from where a packet comes: a switch to which a
higher switch forwards for a destination must forward down. Sources: Schroeder et al., "Autonet: a high-speed,
self-configuring local area network using point-to-point links", 1991; OpenSM, osm_ucast_updn.c.
"""

import numpy as np

from core.network.adjacency import components
from core.routing.tables.engines.legal import legal_tables
from core.routing.tables.engines.ranks import ranks_by, root_distances, tree_levels
from core.routing.tables.engines.subnet import Entries, Subnet
from core.routing.tables.forwarding import NO_PORT
from core.spec import Progress, subprogress


def up_down(subnet: Subnet, progress: Progress) -> Entries:
    """Return tables with paths up and then down, short ones, with few other paths on their links.

    Up is away from the leaves in a tree, else towards the root: a switch in the centre. A switch without such a path to
    a destination, such as from one top switch to another, has no entry for it.
    """
    levels, part = tree_levels(subnet), subprogress(progress, 0.0, 0.5)
    if levels is not None:
        entries = legal_tables(subnet, ranks_by(-levels, subnet.cables), None, part)
        if _complete(subnet, entries):
            return entries
    ranks = ranks_by(root_distances(subnet.cables), subnet.cables)
    return legal_tables(subnet, ranks, None, progress if levels is None else subprogress(progress, 0.5, 1.0))


def _complete(subnet: Subnet, entries: Entries) -> bool:
    """Return whether hosts reach all hosts to which cables lead."""
    cables, hosts = subnet.cables, subnet.hosts
    component = components(cables.tail, cables.head, subnet.guids.size, directed=False)
    leaf = np.flatnonzero(subnet.host_count)
    missing = entries[np.ix_(hosts.lid, leaf)] == NO_PORT
    return not (missing & (component[hosts.switch][:, None] == component[leaf])).any()
