"""CLEX routes link by link: the links of every term, and the terms of every pair."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.clex.terms import ANY, Term
from core.routing.flows import FixedPoint, Nodes


class Shape(NamedTuple):
    """What links of a network are numbered by."""

    k: int
    levels: int
    fat: bool
    first: FixedPoint
    """(levels,) the first link of each level."""


class Lists(NamedTuple):
    """Terms as arrays, for kernels."""

    k: int
    levels: int
    first: FixedPoint
    """(terms,) the first link of each term's level."""
    cliques: NDArray[np.bool_]
    """(terms,) whether that is level 1."""
    weight: FixedPoint
    """(terms, 2t) what each coordinate of the source and of the destination adds to the label of a link."""
    avoid: FixedPoint
    """(terms,) code of what a term avoids; negative: nothing."""
    start: FixedPoint
    """(terms + 1,) where the entries of each term begin."""
    offset: FixedPoint
    """What the other coordinates of each link add to its label."""
    parts: FixedPoint
    """(terms,)"""
    role: FixedPoint
    """(terms,)"""


def listed(terms: Sequence[Term], shape: Shape) -> Lists:
    """Return terms as arrays. A link's label counts up its coordinates: j, then v1, v2 ...; a fat one has no j."""
    strides = [_strides(term, shape) for term in terms]
    weight = np.zeros((len(terms), 2 * shape.levels), np.int64)
    for i, (term, stride) in enumerate(zip(terms, strides, strict=True)):
        for place, code in enumerate(term.where):
            if code >= 0:
                weight[i, code] = stride[place]
    offsets = [_offsets(term, stride, shape.k) for term, stride in zip(terms, strides, strict=True)]
    return Lists(
        k=shape.k,
        levels=shape.levels,
        first=np.array([shape.first[term.level - 1] for term in terms], np.int64),
        cliques=np.array([term.level == 1 for term in terms]),
        weight=weight,
        avoid=np.array([term.avoid for term in terms], np.int64),
        start=np.cumsum([0, *(offset.size for offset in offsets)]).astype(np.int64),
        offset=np.concatenate([np.zeros(0, np.int64), *offsets]),
        parts=np.array([term.parts for term in terms], np.int64),
        role=np.array([term.role for term in terms], np.int64),
    )


def _strides(term: Term, shape: Shape) -> list[int]:
    per_node = 1 if shape.fat and term.level > 1 else shape.k
    return [1, *(per_node * shape.k**place for place in range(shape.levels))]


def _offsets(term: Term, stride: list[int], k: int) -> FixedPoint:
    offset = np.zeros(1, np.int64)
    for place in reversed(range(len(stride))):
        if term.where[place] == ANY:
            offset = (offset[:, None] + stride[place] * np.arange(k)).ravel()
    return offset


@kernel
def _coordinates(node: int, k: int, levels: int, first: int, into: FixedPoint) -> None:
    for place in range(levels):
        into[first + place] = node % k
        node //= k


@kernel
def entries(src: Nodes, dst: Nodes, lists: Lists) -> tuple[FixedPoint, Nodes, Nodes]:
    """Return where the entries of every flow begin, shape ``(flows + 1,)``, their links and their terms.

    Flows of a node to itself are followed like others: who does not want them leaves them out.
    """
    k, levels, terms = lists.k, lists.levels, lists.parts.size
    start = np.zeros(src.size + 1, np.int64)
    room = src.size * lists.offset.size
    links, which = np.empty(room, np.int32), np.empty(room, np.int32)
    code, at = np.zeros(2 * levels, np.int64), 0
    for i in range(src.size):
        _coordinates(int(src[i]), k, levels, 0, code)
        _coordinates(int(dst[i]), k, levels, levels, code)
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
