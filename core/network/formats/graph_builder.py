"""Builds a graph vertex by vertex and link by link."""

from collections.abc import Iterable

import numpy as np

from core.network.formats.directed import LinkEnds, links_of_directed, links_of_list
from core.network.formats.parsed_graph import ParsedGraph, check_edges, shown, wrong

UNKNOWN = float("nan")
"""Bandwidth of a link if the file gives none."""


class GraphBuilder:
    """Named vertices, in the order of addition, and links between them; of directed graphs edges of one direction."""

    def __init__(self, *, directed: bool | None = False) -> None:
        self.directed = directed
        """None: the format does not say."""
        self.hosts: dict[str, bool | None] = {}
        """Whether each vertex hosts tasks, by name; None: unknown."""
        self._ends: tuple[list[str], list[str]] = ([], [])
        self._gbs: list[float] = []

    @property
    def edges(self) -> int:
        """Return the number of links."""
        return len(self._gbs)

    def add(self, name: str, *, host: bool | None = None) -> None:
        """Add a vertex."""
        self.hosts[name] = host

    def join(self, one: str, other: str, gbs: float = UNKNOWN) -> None:
        """Add a link between two vertices.

        Raises SpecError: if they are the same.
        """
        if one == other:
            raise wrong(f"joins {shown(one)} to itself; leave such links out")
        for ends, name in zip(self._ends, (one, other), strict=True):
            ends.append(name)
        self._gbs.append(gbs)

    def join_all(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Add a link between the vertices of each pair."""
        for one, other in pairs:
            self.join(one, other)

    def graph(self, warnings: tuple[str, ...] = ()) -> ParsedGraph:
        """Return the graph.

        Where some vertices have a role, the others host tasks if they have a single link. Where none has, the file does
        not say which host tasks.

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
        # One-way links do not end in a vertex with a single one.
        single = (np.bincount(np.concatenate([links.src, links.dst]), minlength=len(number)) == 1).tolist()
        hosts = [alone if role is None else role for role, alone in zip(roles, single, strict=True)]
        named = any(role is not None for role in roles)
        return ParsedGraph(
            list(number),
            links.src,
            links.dst,
            links.gbs,
            hosts=np.array(hosts, np.bool_) if named else None,
            directed=links.directed,
            warnings=warnings + links.warnings,
        )
