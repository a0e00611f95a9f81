"""The camera that looks at a part of a machine."""

import numpy as np
from numpy.typing import NDArray

from app.model.parts import Part
from app.views.machine.camera import ZOOM_LIMITS, Camera, Margins, Size
from app.views.machine.geometry import MachineGeometry

CELLS = 7.0
"""Cells that would fit the shorter side of a picture at least: so the surroundings of a node are seen too."""


def camera_onto(part: Part, geometry: MachineGeometry, home: Camera, size: Size, margins: Margins) -> Camera:
    """Return the camera in which a part fills the picture but for its margins; `home` shows the whole machine."""
    limit = min(home.fitted * ZOOM_LIMITS[1], min(size) / (CELLS * max(geometry.layout.cell)))
    return home.framing(_corners(part, geometry), size, margins, limit)


def _corners(part: Part, geometry: MachineGeometry) -> NDArray[np.float64]:
    """Return points that must be seen, shape ``(n, 3)``."""
    if geometry.boxed and part.item is not None and part.item.kind in ("group", "bundle"):
        groups = np.unique(geometry.network.group_of[part.vertices])
        boxes = geometry.layout.boxes[groups[groups < len(geometry.layout.boxes)]]
        corners = np.concatenate([boxes[:, :2] + sign * boxes[:, 2:] / 2 for sign in (-1, 1)])
        return np.column_stack([corners, np.zeros(len(corners))])
    vertices = part.vertices
    if geometry.layout.scattered and vertices.size == 1:
        # What stands in no order may be far from the next: then its neighbours are its surroundings.
        links = geometry.links_at(int(vertices[0]))
        vertices = np.union1d(geometry.network.src[links], geometry.network.dst[links]).astype(np.intp)
        vertices = np.union1d(vertices, part.vertices)
    at = geometry.layout.positions[vertices].astype(np.float64)
    half = np.append(np.array(geometry.layout.cell) / 2, 0.0)
    return np.concatenate([at - half, at + half])
