"""Selection by arrow keys: the next box or node in a direction on the screen."""

import numpy as np
from PySide6.QtCore import Qt

from app.model.pointing import Item, vertex_item
from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import Ids
from app.views.machine.scene import MachineScene

DIRECTIONS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}
VERTICES = ("node", "switch")
SIDEWAYS_WEIGHT = 2.0
"""Weight of the sideways distance relative to the distance in the direction."""


def next_item(
    item: Item | None, direction: tuple[float, float], scene: MachineScene, camera: Camera, size: Size, nodes: bool
) -> Item | None:
    """Return the box, node or switch next to another in a direction; the same item if there is none.

    From no item, or another kind of item, the item nearest to the middle. Nodes and switches are used if one is
    selected, if there are no boxes, or if `nodes` is set.
    """
    geometry = scene.geometry
    among = VERTICES if nodes or not geometry.boxed or (item is not None and item.kind in VERTICES) else ("group",)
    points = geometry.layout.positions if among is VERTICES else geometry.box_centres
    at = camera.project(points, size)[:, :2]

    def thing(index: int) -> Item:
        return vertex_item(index, geometry.network) if among is VERTICES else Item("group", index)

    if item is None or item.kind not in among or not 0 <= item.index < len(at):
        return thing(int(np.argmin(((at - np.array(size) / 2) ** 2).sum(axis=1))))
    steps = at - at[item.index]
    onwards = steps @ np.array(direction)
    aside = np.abs(steps @ np.array([direction[1], -direction[0]]))
    ahead: Ids = np.flatnonzero((onwards > 0.5) & (aside <= SIDEWAYS_WEIGHT * onwards))
    if not ahead.size:
        return item
    return thing(int(ahead[np.argmin(onwards[ahead] + SIDEWAYS_WEIGHT * aside[ahead])]))
