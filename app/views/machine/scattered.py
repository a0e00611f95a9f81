"""Names of vertices that stand in no order, as in graphs from files: few from far, more the nearer, evenly spread."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from app.views.legend import FONT_PX, legend_rect
from app.views.machine.geometry import Ids
from app.views.machine.label_space import LabelSpace, write
from app.views.machine.picture import Picture

TILE_PX = 110.0
"""Side of the squares in each of which one name stands at most."""
WIDER = 1.5
"""Side of these squares at least, relative to the widest name."""
NEAREST = 0.6
"""Distance of two named vertices at least, relative to the side of a square."""
BESIDE_PX = 3.0
"""Distance of a name from the mark of its vertex."""
SAMPLED = 200
"""Names whose width is measured."""
CROWD = 2000
"""Marks in sight up to which names avoid them; where more stand, names lie on what they cover."""


def paint_scattered_names(picture: Picture, taken: list[QRectF]) -> None:
    """Name some vertices beside their marks, where nothing is `taken`."""
    network, metrics = picture.geometry.network, picture.use_font(FONT_PX)
    some = np.unique(np.linspace(0, network.vertices - 1, SAMPLED).astype(np.intp)).tolist()
    widest = max(metrics.horizontalAdvance(network.label(vertex)) for vertex in some)
    side = max(TILE_PX, WIDER * widest) / picture.camera.step
    chosen = spread_over(picture.geometry.layout.positions[:, :2], side)
    chosen = chosen[picture.seen(picture.cells[chosen])]
    room = LabelSpace(picture) if picture.in_sight.size <= CROWD else None
    written = [*taken, legend_rect(picture.size)]
    for vertex in chosen.tolist():
        name = network.label(vertex)
        places = [place for place in _beside(picture, vertex, name, metrics) if not _covers(place, written)]
        free = next((place for place in places if room is not None and room.free(place)), None)
        place = free or next(iter(places), None)
        if place is not None:
            written.append(place)
            write(picture, name, place, picture.theme.dim, metrics, veiled=True)


def spread_over(places: NDArray[np.floating], side: float) -> Ids:
    """Return which of some places, ``(n, 2)``, to name, so that one stands in each square of this side at most.

    Of each square the place nearest to its middle, unless that is too near to one of another square: then the one that
    is nearer to its own middle. Which they are does not depend on what is in sight, so that names stay while the
    picture moves.
    """
    from scipy.spatial import cKDTree  # 0.1 s of imports, which laying out such a graph has paid

    tile = np.floor(places / side)
    away = np.hypot(*(places / side - tile - 0.5).T)
    order = np.lexsort((away, tile[:, 1], tile[:, 0]))
    first = np.append(True, (np.diff(tile[order], axis=0) != 0).any(axis=1))
    chosen = order[first]
    chosen = chosen[np.argsort(away[chosen], kind="stable")]
    close = cKDTree(places[chosen]).query_pairs(NEAREST * side, output_type="ndarray")
    kept = np.ones(chosen.size, np.bool_)
    for i, j in close[np.lexsort((close[:, 1], close[:, 0]))].tolist():
        kept[j] &= not kept[i]
    return np.asarray(chosen[kept], np.intp)


def _beside(picture: Picture, vertex: int, name: str, metrics: QFontMetricsF) -> Iterator[QRectF]:
    """Yield where a name may stand in the picture: right, left, above or below the mark of its vertex."""
    left, top, wide, high = picture.cells[vertex].tolist()
    width, height = metrics.horizontalAdvance(name), metrics.height() - 2
    x, y = left + wide / 2 - width / 2, top + high / 2 - height / 2
    for place in (
        QRectF(left + wide + BESIDE_PX, y, width, height),
        QRectF(left - BESIDE_PX - width, y, width, height),
        QRectF(x, top - height - BESIDE_PX / 2, width, height),
        QRectF(x, top + high + BESIDE_PX / 2, width, height),
    ):
        if QRectF(0, 0, *picture.size).contains(place):
            yield place


def _covers(place: QRectF, others: list[QRectF]) -> bool:
    return any(place.intersects(other) for other in others)
