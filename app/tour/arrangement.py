"""Where the views of a scene stand: the first on the left, the others in a column beside it, areas as their shares."""

from collections.abc import Sequence

Rectangle = tuple[float, float, float, float]
"""Left, top, width and height, of the whole."""


def arranged(shares: Sequence[float]) -> list[Rectangle]:
    """Return the rectangles of views, parts of a stage whose width and height are 1."""
    first, *others = shares
    rest = sum(others)
    width = first / (first + rest)
    found, top = [(0.0, 0.0, width, 1.0)], 0.0
    for share in others:
        found.append((width, top, 1 - width, share / rest))
        top += share / rest
    return found
