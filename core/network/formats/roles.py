"""Roles of vertices and bandwidths of edges from the attributes in graph files."""

from typing import Any

from core.network.formats.parsed_graph import bandwidth, shown, wrong

ROLES = {"host": True, "node": True, "switch": False, "router": False}
ROLE_KEYS = ("role", "type")
WIDTH_KEYS = ("gbs", "bandwidth", "bw", "weight")
"""Attributes for GB/s in one direction; the first that an edge has counts."""


def host_of(role: Any, place: str) -> bool | None:
    """Return whether a vertex with this role hosts tasks; None: no role given.

    Raises SpecError: naming the place, if the role is unknown.
    """
    if role is None:
        return None
    name = str(role).strip('"').lower()
    if name not in ROLES:
        raise wrong(f"{place} has the role {shown(str(role))}; it is host or switch")
    return ROLES[name]


def width_of(data: dict[str, Any], place: str) -> float:
    """Return the bandwidth of an edge, GB/s; NaN: none given.

    Raises SpecError: naming the place, if it is invalid.
    """
    given = next((data[key] for key in WIDTH_KEYS if key in data), None)
    if given is None:
        return float("nan")
    value = bandwidth(str(given).strip('"'))
    if value is None:
        raise wrong(f"{place} has the bandwidth {shown(str(given))}; give GB/s from 1e-06 to 1e+06")
    return value
