"""Builds a graph vertex by vertex and link by link."""

from collections.abc import Iterable

import numpy as np

from core.network.formats.directed import LinkEnds, links_of_directed, links_of_list
from core.network.formats.parsed_graph import ParsedGraph, check_edges, shown, wrong

UNKNOWN = float("nan")
"""Bandwidth of links for which the file gives none."""


class GraphBuilder:
    """Named vertices, in the order of addition, and links between them; for directed graphs, one-way edges."""

    def __init__(self, *, directed: bool | None = False) -> None:
        self.directed = directed
        """None if the format does not specify it."""
        self.hosts: dict[str, bool | None] = {}
        """Whether each vertex hosts tasks, by name; None if unknown."""
        self._ends: tuple[list[str], list[str]] = ([], [])
        self._gbs: list[float] = []

    @property
    def edges(self) -> int:
        """Return the number of links."""
        return len(self._gbs)

    def add(self, name: str, *, host: bool | None = None) -> None:
        """Add a vertex."""
        self.hosts[name] = host

    def join(self, u: str, v: str, gbs: float = UNKNOWN) -> None:
        """Add a link between two vertices.

        Raises SpecError: if they are the same.
        """
        if u == v:
            raise wrong(f"links {shown(u)} to itself; remove such links")
        for ends, name in zip(self._ends, (u, v), strict=True):
            ends.append(name)
        self._gbs.append(gbs)

    def join_all(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Add a link between the vertices of each pair."""
        for u, v in pairs:
            self.join(u, v)

    def graph(self, warnings: tuple[str, ...] = ()) -> ParsedGraph:
        """Return the graph.

        If some vertices have a role, the others host tasks if they have a single link. If no vertex has a role, the
        file does not specify which of them host tasks.

        Raises SpecError: if there are no links.
        """
        if not self._gbs:
            raise wrong("has no edges")
        check_edges(len(self._gbs))
        number = {name: index for index, name in enumerate(self.hosts)}
        src, dst = (np.array([number[name] for name in ends], np.int32) for ends in self._ends)
        links = LinkEnds(src, dst, np.array(self._gbs), directed=False)
        if self.directed is not False:
            links = (links_of_directed if self.directed else links_of_list)(*links[:3], len(number))
        roles = list(self.hosts.values())
        # One-way links do not end at a vertex with a single link.
        single = (np.bincount(np.concatenate([links.src, links.dst]), minlength=len(number)) == 1).tolist()
        hosts = [alone if role is None else role for role, alone in zip(roles, single, strict=True)]
        named = any(role is not None for role in roles)
        without = roles.count(None)
        if named and without:
            few = f"{without:,} of {len(roles):,} vertices {'has' if without == 1 else 'have'} no role"
            warnings += (f"{few}: vertices with a single link are nodes, others switches",)
        return ParsedGraph(
            list(number),
            links.src,
            links.dst,
            links.gbs,
            hosts=np.array(hosts, np.bool_) if named else None,
            directed=links.directed,
            warnings=warnings + links.warnings,
        )
