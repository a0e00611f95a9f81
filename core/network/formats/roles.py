"""Roles of vertices and bandwidths of edges from the attributes in graph files."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from core.network.formats.parsed_graph import bandwidth, shown, wrong

ROLES = {"host": True, "node": True, "switch": False, "router": False}
ROLE_KEYS = ("role", "type")
WIDTH_KEYS = ("gbs", "bandwidth", "bw", "weight")
"""Attributes for GB/s in one direction; the first that an edge has counts."""


RATE = re.compile(r"speed|rate|bandwidth|bw|capacity|throughput|gbit|gbps", re.IGNORECASE)
"""Names of attributes that look like bandwidths."""


def role_in(data: Mapping[str, Any]) -> Any:
    """Return the role of a vertex from its attributes, or None if it has none."""
    return next((data[key] for key in ROLE_KEYS if key in data), None)


def host_of(role: Any, place: str) -> bool | None:
    """Return whether a vertex with this role hosts tasks, or None without a role.

    Raises SpecError: naming the place, if the role is unknown.
    """
    if role is None:
        return None
    name = str(role).strip('"').lower()
    if name not in ROLES:
        raise wrong(f"{place} has the role {shown(str(role))}; give host or switch")
    return ROLES[name]


def width_of(data: dict[str, Any], place: str) -> float:
    """Return the bandwidth of an edge, GB/s, or NaN if it has none.

    Raises SpecError: naming the place, if it is invalid.
    """
    given = next((data[key] for key in WIDTH_KEYS if key in data), None)
    if given is None:
        return float("nan")
    value = bandwidth(str(given).strip('"'))
    if value is None:
        raise wrong(f"{place} has the bandwidth {shown(str(given))}; give GB/s from 1e-06 to 1e+06")
    return value


def unread_rates(edges: Iterable[Mapping[str, Any]], read: Collection[str] = WIDTH_KEYS) -> tuple[str, ...]:
    """Return a warning on attributes of edges that look like bandwidths but are not among those `read`."""
    names = list({key: None for data in edges for key in map(str, data) if RATE.search(key) and key not in read})
    if not names:
        return ()
    some = ", ".join(map(shown, names[:3])) + (" …" if len(names) > 3 else "")
    advice = f"give GB/s as {' or '.join(read)}" if read else "links have the network's bandwidth (gbs)"
    return (f"attributes not read as bandwidths: {some}; {advice}",)
