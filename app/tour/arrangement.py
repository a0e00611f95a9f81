"""Layout of a scene's views: the first on the left, the others in a column on the right, with areas by their shares."""

from collections.abc import Sequence

Rectangle = tuple[float, float, float, float]
"""Left, top, width and height, as fractions of the stage."""


def arranged(shares: Sequence[float]) -> list[Rectangle]:
    """Return the rectangle of each view on a stage of width and height 1."""
    first, *others = shares
    rest = sum(others)
    width = first / (first + rest)
    rectangles, top = [(0.0, 0.0, width, 1.0)], 0.0
    for share in others:
        rectangles.append((width, top, 1 - width, share / rest))
        top += share / rest
    return rectangles
