"""Lower bounds on the edges between sets of tasks of a grid, for halo exchange."""

from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel

Counts = NDArray[np.int64]

MAX_GROUP = 256
"""Largest group for which `edges_of_groups` considers all divisions into pieces."""
IMPOSSIBLE = np.int64(-(1 << 40))
"""Score of unreachable states."""


def edges_leaving(sizes: Counts, rows: int, cols: int, periodic: bool) -> Counts:
    """Return a lower bound on the grid edges between any set of tasks of each size and the others.

    Proof. Let A be the set. A row that A meets without filling it holds at least e edges that leave A: e = 2
    on a ring, 1 on an open line. The same holds for columns. Four cases:
    1. A fills no row and no column: it meets r rows and c columns with r c >= size, so at least e (r + c)
       edges leave.
    2. A fills a row but no column: it meets every column without filling it: at least e * cols edges.
    3. A fills a column but no row: at least e * rows.
    4. A fills a row and a column: its complement then fills none; apply case 1 to the complement.

    The bound is the least of the four. (Rings of two have two parallel edges, a neighbour met twice; rings of
    one task send to themselves, for free, and are never met without being filled.)
    """
    total, short = rows * cols, min(rows, cols)
    inside = np.clip(sizes, 0, total)
    least = np.minimum(_half_perimeter(inside, short), _half_perimeter(total - inside, short))
    least = np.minimum(least, short) * (2 if periodic else 1)
    return np.where((inside == 0) | (inside == total), 0, least)


def _half_perimeter(sizes: Counts, short: int) -> Counts:
    # Least r + c with r c >= size and r <= short. While r (r + 1) <= size, a larger r reduces c by one or more. Beyond
    # the square root a smaller r is better. So r is one of the two integers next to the root, or `short`.
    root = np.floor(np.sqrt(sizes)).astype(np.int64)
    low, high = (np.clip(r, 1, short) for r in (root, root + 1))
    return np.asarray(np.minimum(low - sizes // -low, high - sizes // -high))


@lru_cache(maxsize=256)
def edges_of_groups(size: int, rows: int, cols: int, most: int, periodic: bool = True) -> float:
    """Return a lower bound on the mean number of edges that leave a group; infinity if no division is possible.

    The grid is divided into groups of `size` tasks; no two groups have more than `most` edges between them. For groups
    beyond `MAX_GROUP`, and for a single group, there is no bound: 0.

    Proof. Call the connected parts of groups pieces. Shrink each piece to a point: what remains of the grid is a graph
    drawn on the torus, two pieces joined if they touch. Drawn on a torus, n points have at most 3 n edges, and at most
    2 n if the graph is bipartite (Euler: n - e + f >= 0, and every face has at least 3 sides, or 4). Two pieces that
    touch belong to two groups, so they share at most `most` edges of the grid. Choose any x of the pieces and let y be
    the number of the others. The borders of the x pieces, p edges around each, consist of the edges that they share
    with each other, at most 3 x pairs, counted from both sides; and of the edges that they share with the others, which
    are at most the borders of the others, and at most `most` for each of at most 2 (x + y) pairs:

        sum over the x of p  <=  6 most x + sum over the y of p,
        sum over the x of p  <=  6 most x + 2 most (x + y).

    So, with the best choice of x and y, over all pieces neither the sum of ``min(6 most - p, p)`` is negative, nor the
    sum of ``min(8 most - p, 2 most)``: large pieces need many small ones around them.

    A group with P edges around its pieces, at most ``most * (groups - 1)``, has a sum of at most S(P): a knapsack of
    pieces, for each border the largest piece, that together have `size` tasks or more. The sums of all groups add up to
    0 or more, so their mean P is at least where the upper hull of S reaches 0.
    """
    if size > MAX_GROUP or 2 * size > rows * cols:
        return 0.0
    border = edges_leaving(np.arange(1, size + 1), rows, cols, periodic)
    edges = np.arange(border.min(), border.max() + 1)
    areas = np.searchsorted(np.maximum.accumulate(border), edges, side="right")
    largest = min(most * (rows * cols // size - 1), 4 * size)
    scores = np.minimum(6 * most - edges, edges), np.minimum(8 * most - edges, 2 * most)
    return max(_crossing_of_hull(_best_scores(areas, edges, score, size, largest)) for score in scores)


@kernel
def _best_scores(areas: Counts, edges: Counts, scores: Counts, size: int, largest: int) -> Counts:
    # The best score of pieces with `size` or more tasks in total, by the edges around them, 0 .. largest.
    best = np.full((size + 1, largest + 1), IMPOSSIBLE)
    best[0, 0] = 0
    for total in range(1, size + 1):
        for piece in range(areas.size):
            before, step = best[max(total - areas[piece], 0)], edges[piece]
            for p in range(step, largest + 1):
                if before[p - step] > IMPOSSIBLE:
                    best[total, p] = max(best[total, p], before[p - step] + scores[piece])
    by_border: Counts = best[size]
    return by_border


def _crossing_of_hull(best: Counts) -> float:
    # The least mean number of edges over combinations of one or two points whose mean score is 0 or more.
    edges = np.flatnonzero(best > IMPOSSIBLE)
    score = best[edges]
    some, none = score >= 0, score < 0
    least = float(edges[some].min()) if some.any() else inf
    if not some.any() or not none.any():
        return least
    (p, s), (q, t) = (edges[some][:, None], score[some][:, None]), (edges[none], score[none])
    return min(least, float(((q * s - p * t) / (s - t)).min()))
