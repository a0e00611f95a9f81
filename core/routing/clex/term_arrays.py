"""Terms of CLEX routes as arrays, for the links of every term and the terms of every pair."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.clex.terms import ANY, NONE, Term
from core.routing.flows import FixedPoint, Nodes, Volumes


class TermArrays(NamedTuple):
    """Terms in arrays, for kernels."""

    k: int
    levels: int
    lowest: int
    """The first coordinate of nodes: 1 if they are whole cliques, else 0."""
    first: FixedPoint
    """(terms,) the first link of each term's level."""
    cliques: NDArray[np.bool_]
    """(terms,) whether its links are inside cliques, where no link leads from a node to itself."""
    weight: FixedPoint
    """(terms, 2t) weight of each coordinate of source and destination in the label of a link."""
    avoid: FixedPoint
    """(terms,) code of the place a term avoids; negative if none."""
    start: FixedPoint
    """(terms + 1,) where the entries of each term begin."""
    offset: FixedPoint
    """Contribution of the other coordinates of each link to its label."""
    parts: FixedPoint
    """(terms,)"""
    role: FixedPoint
    """(terms,)"""


def term_arrays(terms: Sequence[Term], k: int, lowest: int, first: FixedPoint) -> TermArrays:
    """Convert terms; `first` is the first link of each level.

    A link's label is its coordinates as a number, as far as it has them: j, then v1, v2 ...
    """
    strides = [_strides(term, k) for term in terms]
    weight = np.zeros((len(terms), 2 * first.size), np.int64)
    for row, term, stride in zip(weight, terms, strides, strict=True):
        for code, step in zip(term.where, stride, strict=True):
            if code >= 0:
                row[code] = step
    offsets = [_offsets(term, stride, k) for term, stride in zip(terms, strides, strict=True)]
    return TermArrays(
        k=k,
        levels=first.size,
        lowest=lowest,
        first=np.array([first[term.level - 1] for term in terms], np.int64),
        cliques=np.array([term.level == 1 and term.where[0] != NONE for term in terms]),
        weight=weight,
        avoid=np.array([term.avoid for term in terms], np.int64),
        start=np.cumsum([0, *(offset.size for offset in offsets)]).astype(np.int64),
        offset=np.concatenate([np.zeros(0, np.int64), *offsets]),
        parts=np.array([term.parts for term in terms], np.int64),
        role=np.array([term.role for term in terms], np.int64),
    )


def _strides(term: Term, k: int) -> list[int]:
    return [k ** (place - term.where[:place].count(NONE)) for place in range(len(term.where))]


def _offsets(term: Term, stride: list[int], k: int) -> FixedPoint:
    offset = np.zeros(1, np.int64)
    for place in reversed(range(len(stride))):
        if term.where[place] == ANY:
            offset = (offset[:, None] + stride[place] * np.arange(k)).ravel()
    return offset


@kernel
def _coordinates(node: int, k: int, code: FixedPoint) -> None:
    for place in range(code.size):
        code[place] = node % k
        node //= k


@kernel
def entries(src: Nodes, dst: Nodes, lists: TermArrays) -> tuple[FixedPoint, Nodes, Nodes]:
    """Return the start of the entries of every flow, shape ``(flows + 1,)``, their links and their terms.

    Flows from a node to itself are included; callers leave them out if needed.
    """
    k, levels, terms = lists.k, lists.levels, lists.parts.size
    start = np.zeros(src.size + 1, np.int64)
    room = src.size * lists.offset.size
    links, which = np.empty(room, np.int32), np.empty(room, np.int32)
    code, at = np.zeros(2 * levels, np.int64), 0
    for i in range(src.size):
        _coordinates(int(src[i]), k, code[lists.lowest : levels])
        _coordinates(int(dst[i]), k, code[levels + lists.lowest :])
        for t in range(terms):
            base = np.int64(0)
            for c in range(2 * levels):
                base += lists.weight[t, c] * code[c]
            avoid = code[lists.avoid[t]] if lists.avoid[t] >= 0 else np.int64(-1)
            for e in range(lists.start[t], lists.start[t + 1]):
                label = base + lists.offset[e]
                if lists.cliques[t]:
                    node, j = label // k, label % k
                    place = node % k
                    if place in (j, avoid) or j == avoid:
                        continue
                    label = node * (k - 1) + j - (1 if j > place else 0)
                links[at], which[at] = lists.first[t] + label, t
                at += 1
        start[i + 1] = at
    return start, links[:at], which[:at]


@kernel
def add_entries(
    start: FixedPoint, links: Nodes, which: Nodes, volume: Volumes, shares: Volumes, loads: Volumes
) -> None:
    """Add the loads of flows, given their entries from `entries` and the `shares` of terms."""
    for i in range(volume.size):
        for e in range(start[i], start[i + 1]):
            loads[links[e]] += volume[i] * shares[which[e]]
