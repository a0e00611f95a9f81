"""Routing engines: they compute the forwarding tables of an InfiniBand fabric, as a subnet manager does."""

from collections.abc import Callable
from dataclasses import dataclass

from core.network.network import Network
from core.routing.flows import Flags
from core.routing.tables.engines.d_mod_k import d_mod_k
from core.routing.tables.engines.shortest import minhop, sssp
from core.routing.tables.engines.subnet import Entries, Subnet, subnet_of
from core.routing.tables.engines.up_down import up_down
from core.routing.tables.forwarding import ForwardingTables
from core.spec import Progress, SpecError, no_progress
from core.text import known_names


@dataclass(frozen=True, slots=True)
class Engine:
    """A rule by which tables are computed."""

    name: str
    title: str
    summary: str
    """Half a line for the choice of an engine."""
    entries: Callable[[Subnet, Progress], Entries]
    """Computes the entries of all switches.

    Raises SpecError: if the engine does not support the fabric.
    """


ENGINES = (
    Engine("up-down", "Up*/Down*", "paths up and then down in a tree, or around a root; free of deadlock", up_down),
    Engine("d-mod-k", "D-mod-k", "port chosen by the destination's number, on trees; free of deadlock", d_mod_k),
    Engine("sssp", "SSSP", "shortest paths with few others on them, as by DFSSSP without its lanes", sssp),
    Engine("minhop", "Min hop", "shortest paths, spread at each switch by itself, as by OpenSM's default", minhop),
)
"""The first is the default: it suits every fabric."""


def engine_named(name: str) -> Engine:
    """Return an engine.

    Raises SpecError: if it is unknown.
    """
    by_name = {engine.name: engine for engine in ENGINES}
    if name not in by_name:
        raise SpecError("engine", f"unknown engine {name[:40]!r}; {known_names(name, by_name, 'engines')}")
    return by_name[name]


def compute_tables(
    network: Network, engine: str, failed: Flags | None = None, progress: Progress = no_progress
) -> ForwardingTables:
    """Return the tables that an engine computes for a discovered fabric without its failed links.

    Parameters
    ----------
    failed
        ``(links,)``, or None if all links work.

    Raises SpecError: if the engine is unknown or does not support the network, or the network has no LIDs. Raises
    Cancelled: when `progress` does.
    """
    chosen = engine_named(engine)
    subnet = subnet_of(network, failed)
    return subnet.tables(chosen.entries(subnet, progress))
