"""Forwarding tables with the paths of another routing, in which the next hop depends on the destination alone."""

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network
from core.routing.faulty import without_faults
from core.routing.flows import Flags, Nodes
from core.routing.paths import all_pairs, single_paths
from core.routing.router import Router
from core.routing.tables.engines import compute_tables
from core.routing.tables.engines.subnet import check_lids
from core.routing.tables.forwarding import NO_PORT, ForwardingTables
from core.routing.tables.scheme import TableRouter
from core.spec import SpecError

NO_LINK = -1
FIELD = "routing.type"


def tables_of(router: Router, failed: Flags | None = None) -> ForwardingTables:
    """Return the forwarding tables with the paths of a router, or the tables by which it routes.

    Between switches, and at switches without hosts that are not on any path, paths are minimal.

    Parameters
    ----------
    failed
        ``(links,)``, or None if all links work.

    Raises SpecError: if flows have several paths, if paths from a switch to a node differ, or if the network has no
    LIDs, or nodes with several.
    """
    base = without_faults(router)
    if isinstance(base, TableRouter) and base.tables is not None:
        return base.tables
    network = router.network
    check_lids(network)
    _check_nics(network)
    onward = _next_links(router)
    tables = compute_tables(network, "minhop", failed)
    _enter(tables, network, onward)
    return tables


def _check_nics(network: Network) -> None:
    ports = np.bincount(network.src[network.src < network.nodes], minlength=network.nodes)
    if (ports > 1).any():
        node = network.label(int(ports.argmax()))
        what = f"does not determine at which NIC of {node} flows arrive, which has {ports.max()}"
        raise SpecError(FIELD, f"{what}; choose nics=own for the network, or compute tables by an engine")


def _next_links(router: Router) -> Nodes:
    """Return the link by which each switch forwards to each node, shape ``(nodes, switches)``, or `NO_LINK`."""
    network = router.network
    onward = np.full((network.nodes, network.vertices - network.nodes), NO_LINK, np.int32)
    for src, dst in all_pairs(network.nodes):
        paths = single_paths(router, src, dst)
        target = np.repeat(dst, np.diff(paths.start))
        forwarded = network.src[paths.links] >= network.nodes
        target, link = target[forwarded], paths.links[forwarded]
        switch = network.src[link] - network.nodes
        onward[target, switch] = link
        differs = np.flatnonzero(onward[target, switch] != link)
        if differs.size:
            first = int(differs[0])
            where = f"{network.label(int(switch[first]) + network.nodes)} to {network.label(int(target[first]))}"
            why = "and the next hop in tables depends on the destination alone"
            raise SpecError(FIELD, f"paths from {where} depend on the source, {why}; choose d-mod-k or minimal")
    return onward


def _enter(tables: ForwardingTables, network: Network, onward: NDArray[np.int32]) -> None:
    """Replace the entries for the LIDs of nodes by their paths, except at switches without hosts that have none."""
    ends = network.src_ports
    assert ends is not None
    guid = np.zeros(network.vertices, np.uint64)
    guid[network.src] = ends.guid
    row = np.minimum(np.searchsorted(tables.guids, guid[network.nodes :]), tables.guids.size - 1)
    is_switch = tables.guids[row] == guid[network.nodes :]
    has_hosts = np.zeros(network.vertices, np.bool_)
    has_hosts[network.dst[network.src < network.nodes]] = True
    switch = np.arange(network.nodes, network.vertices)
    for link in np.flatnonzero(network.src < network.nodes).tolist():
        towards = onward[network.src[link]]
        port = np.where(towards == NO_LINK, NO_PORT, ends.number[towards])
        without = has_hosts[network.nodes :] & (switch != network.dst[link])
        enters = is_switch & ((towards != NO_LINK) | without)
        for lid in range(ends.lid[link], ends.lid[link] + (1 << int(ends.lmc[link]))):
            tables.ports[row[enters], lid] = port[enters]
