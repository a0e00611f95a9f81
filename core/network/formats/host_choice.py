"""The vertices of a file that host tasks, by the field `hosts`.

``all`` and ``leaves`` count for files without roles. A host list such as ``h[1-16],login`` or a regular expression
between slashes, such as ``/^node/``, counts for all files.
"""

import numpy as np
from numpy.typing import NDArray

from core.hostlist import HostListError, expand
from core.network.adjacency import distinct
from core.network.formats.parsed_graph import ParsedGraph, some
from core.network.formats.patterns import compiled, searched
from core.spec import SpecError

FIELD = "network.hosts"


def hosts_by(choice: str, graph: ParsedGraph) -> NDArray[np.bool_]:
    """Return whether each vertex hosts tasks, shape ``(vertices,)``.

    Raises SpecError: if the choice is invalid, or names vertices that the file does not have.
    """
    if choice not in ("all", "leaves"):
        matching = _by_pattern(choice[1:-1], graph.names) if _is_pattern(choice) else _by_list(choice, graph.names)
        return np.array(matching, np.bool_)
    if graph.hosts is not None:
        return graph.hosts
    return np.ones(len(graph.names), np.bool_) if choice == "all" else _leaves(graph)


def _is_pattern(choice: str) -> bool:
    return len(choice) > 2 and choice.startswith("/") and choice.endswith("/")


def _by_pattern(pattern: str, names: list[str]) -> list[bool]:
    matching = [match is not None for match in searched(FIELD, compiled(FIELD, pattern), names)]
    if not any(matching):
        raise SpecError(FIELD, f"no vertex matches /{pattern}/; names are {some(names)}")
    return matching


def _by_list(text: str, names: list[str]) -> list[bool]:
    try:
        chosen = dict.fromkeys(expand(text))
    except HostListError as error:
        raise SpecError(FIELD, str(error)) from error
    missing = list(chosen.keys() - set(names))
    if missing:
        missing = [name for name in chosen if name in set(missing)]
        raise SpecError(FIELD, f"the file has no {some(missing)}; give all, leaves, a host list or /REGEX/")
    return [name in chosen for name in names]


def _leaves(graph: ParsedGraph) -> NDArray[np.bool_]:
    count = len(graph.names)
    low, high = np.minimum(graph.src, graph.dst).astype(np.int64), np.maximum(graph.src, graph.dst)
    low, high = np.divmod(distinct(low * count + high), count)
    return np.asarray(np.bincount(np.concatenate([low, high]), minlength=count) == 1)
