"""Loads as dictionaries, from lists of paths."""

from collections import defaultdict


def percs_loads(machine, flows):
    """Load of each link a PERCS machine uses; flows are (source node, target node, volume)."""
    loads = defaultdict(float)
    for source, target, volume in flows:
        for share, hops in machine.paths(source, target):
            for _, link in hops:
                loads[link] += volume * share
    return dict(loads)


def lattice_loads(lattice, flows):
    """Load of each link a torus or mesh uses; flows are (source node, target node, volume)."""
    loads = defaultdict(float)
    for source, target, volume in flows:
        for share, path in lattice.paths(source, target):
            for link in path:
                loads[link] += volume * share
    return dict(loads)
