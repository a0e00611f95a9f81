"""Names of vertices in unordered layouts, as of graphs from files: evenly spread, more of them when zoomed in."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from app.views.legend import FONT_PX
from app.views.machine.geometry import Ids
from app.views.machine.label_space import LabelSpace, write
from app.views.machine.legends import legend_areas
from app.views.machine.picture import Picture

TILE_PX = 110.0
"""Side of the squares with at most one name each."""
WIDER = 1.5
"""Minimum side of these squares, relative to the widest name."""
NEAREST = 0.6
"""Minimum distance of two named vertices, relative to the side of a square."""
BESIDE_PX = 3.0
"""Distance of a name from the mark of its vertex."""
SAMPLED = 200
"""Number of names whose width is measured."""
CROWD = 2000
"""Maximum number of visible marks that names avoid; if there are more, names may cover them."""
FEW_SWITCHES = 24
"""Switches up to which all are named."""


def paint_scattered_names(picture: Picture, taken: list[QRectF]) -> None:
    """Name some vertices beside their marks, outside rectangles `taken`; few switches come before the nodes."""
    network, metrics = picture.geometry.network, picture.use_font(FONT_PX)
    some = np.unique(np.linspace(0, network.vertices - 1, SAMPLED).astype(np.intp)).tolist()
    widest = max(metrics.horizontalAdvance(network.label(vertex)) for vertex in some)
    side = max(TILE_PX, WIDER * widest) / picture.camera.step
    chosen = spread_over(picture.geometry.layout.positions[:, :2], side)
    switches = np.arange(network.nodes, network.vertices)
    if switches.size <= FEW_SWITCHES:
        chosen = np.concatenate([switches, chosen[chosen < network.nodes]])
    chosen = chosen[picture.seen(picture.cells[chosen])]
    room = LabelSpace(picture) if picture.in_sight.size <= CROWD else None
    written = [*taken, *legend_areas(picture)]
    for vertex in chosen.tolist():
        name = network.label(vertex)
        places = [place for place in _beside(picture, vertex, name, metrics) if not _covers(place, written)]
        free = next((place for place in places if room is not None and room.free(place)), None)
        place = free or next(iter(places), None)
        if place is not None:
            written.append(place)
            write(picture, name, place, picture.theme.dim, metrics, veiled=True)


def spread_over(places: NDArray[np.floating], side: float) -> Ids:
    """Return which places, ``(n, 2)``, to name, with at most one in each square of this side.

    From each square the place nearest to its centre is taken, unless it is too near to a place of another square: then
    the place nearer to its own centre. The choice does not depend on what is visible, so names do not change while the
    picture moves.
    """
    from scipy.spatial import cKDTree  # takes 0.1 s, but the layout of such a graph has imported it already

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
    """Yield places of a name inside the picture: right, left, above or below the mark of its vertex."""
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
