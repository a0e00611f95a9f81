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
NAME_GAP_PX = 3.0
"""Distance of a name from the mark of its vertex."""
SAMPLED = 200
"""Number of names whose width is measured."""
CROWD = 2000
"""Maximum number of visible marks that names avoid; if there are more, names may cover them."""
MAX_NAMED = 100
"""Maximum number of visible vertices up to which all are named if there is room."""
MAX_AVOIDED = 500
"""Maximum number of drawn links that their names avoid if possible; more would take too long."""
ROOM_OF_NAME = 6.0
"""Area of the picture per vertex, relative to the area of a name, from which there is room for all names."""
FEW_SWITCHES = 24
"""Switches, or switches of a level, up to which all are named."""


def paint_scattered_names(picture: Picture, taken: list[QRectF], vertices: Ids) -> None:
    """Name some of the vertices next to their marks, outside rectangles `taken`; few switches come before the nodes.

    Vertices spread over the picture come first, then all others that have room, if there is enough on average.
    """
    network, metrics = picture.geometry.network, picture.use_font(FONT_PX)
    some = np.unique(np.linspace(0, network.vertices - 1, SAMPLED).astype(np.intp)).tolist()
    widest = max(metrics.horizontalAdvance(network.label(vertex)) for vertex in some)
    side = max(TILE_PX, WIDER * widest) / picture.camera.step
    chosen = spread_over(picture.geometry.layout.positions[:, :2], side)
    few = _few_switches(picture)
    chosen = np.concatenate([few, chosen[~np.isin(chosen, few)]])
    chosen = chosen[np.isin(chosen, vertices)]
    roomy = vertices.size <= MAX_NAMED and _roomy(picture, widest * metrics.height())
    few_links = roomy and picture.scene.links.count <= MAX_AVOIDED
    room = LabelSpace(picture, picture.scene.links if few_links else None) if picture.in_sight.size <= CROWD else None
    written = [*taken, *legend_areas(picture)]
    rest = np.setdiff1d(vertices, chosen) if roomy else chosen[:0]
    for vertex in [*chosen.tolist(), *rest.tolist()]:
        name = network.label(vertex)
        places = [place for place in _places_around(picture, vertex, name, metrics) if not _covers(place, written)]
        free = room and (room.first_free(places) or room.first_free(places, over_links=True))
        place = free or (None if roomy else next(iter(places), None))
        if place is not None:
            written.append(place)
            write(picture, name, place, picture.theme.dim, metrics, veiled=True)


def _few_switches(picture: Picture) -> Ids:
    """Return the switches if they are few; in a picture of levels, the switches of each level that has few."""
    network, layout = picture.geometry.network, picture.geometry.layout
    switches = np.arange(network.nodes, network.vertices)
    height = layout.positions[switches, 1] if layout.captions else np.zeros(switches.size)
    _, at, count = np.unique(height, return_inverse=True, return_counts=True)
    return switches[count[at] <= FEW_SWITCHES]


def _roomy(picture: Picture, area: float) -> bool:
    """Return whether there is room for all names of this area on average; not changed by moving the picture."""
    positions = picture.geometry.layout.positions[:, :2]
    width, height = np.maximum(np.ptp(positions, axis=0), 1.0) * picture.camera.step
    return bool(width * height >= ROOM_OF_NAME * area * len(positions))


def spread_over(places: NDArray[np.floating], side: float) -> Ids:
    """Return which places, ``(n, 2)``, to name, with at most one in each square of this side.

    From each square, the place nearest to its centre is taken. Of two places of different squares that are too close to
    each other, only the place nearer to its own centre is taken. The choice is independent of the visible part, so
    names do not change while the picture moves.
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


def _places_around(picture: Picture, vertex: int, name: str, metrics: QFontMetricsF) -> Iterator[QRectF]:
    """Yield places of a name inside the picture: right, left, above or below its mark; of a tree's node only below."""
    left, top, wide, high = picture.cells[vertex].tolist()
    width, height = metrics.horizontalAdvance(name), metrics.height() - 2
    x, y = left + wide / 2 - width / 2, top + high / 2 - height / 2
    right, before = (
        QRectF(left + wide + NAME_GAP_PX, y, width, height),
        QRectF(left - NAME_GAP_PX - width, y, width, height),
    )
    above = QRectF(x, top - height - NAME_GAP_PX / 2, width, height)
    below = QRectF(x, top + high + NAME_GAP_PX / 2, width, height)
    at_foot = vertex < picture.geometry.network.nodes and picture.geometry.layout.captions
    for place in (below,) if at_foot else (right, before, above, below):
        if QRectF(0, 0, *picture.size).contains(place):
            yield place


def _covers(place: QRectF, others: list[QRectF]) -> bool:
    return any(place.intersects(other) for other in others)
