"""Cameras for a part of a machine."""

from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.model.parts import MachinePart, part_named
from app.model.scenes import Seen
from app.views.machine.camera import ZOOM_LIMITS, Camera, Margins, Size
from app.views.machine.geometry import MachineGeometry

CELLS = 7.0
"""Minimum number of cells along the shorter side of a picture, so that a node's surroundings are visible."""


def camera_seen(seen: Seen, geometry: MachineGeometry, home: Camera, size: Size, margins: Margins) -> Camera | None:
    """Return the camera of a scene, or None to use `home`, which shows the entire machine.

    Raises SpecError: if the machine has no such part.
    """
    if seen == Seen():
        return None
    azimuth = home.azimuth if seen.azimuth is None else seen.azimuth
    elevation = home.elevation if seen.elevation is None else seen.elevation
    turned = replace(home, azimuth=azimuth, elevation=elevation) if home.solid else home
    if seen.focus:
        part = part_named(seen.focus, geometry.network, "camera.focus")
        return camera_onto(part, geometry, turned, size, margins)
    shift = seen.shift if seen.zoom != 1 or any(seen.shift) else home.shift
    return replace(turned, scale=home.fitted * seen.zoom, shift=shift)


def seen_by(camera: Camera, fits_all: bool) -> Seen:
    """Return a camera as a scene stores it."""
    if fits_all:
        return Seen()
    seen = Seen(
        zoom=round(camera.scale / camera.fitted, 4), shift=(round(camera.shift[0], 4), round(camera.shift[1], 4))
    )
    if not camera.solid:
        return seen
    return msgspec.structs.replace(seen, azimuth=round(camera.azimuth, 1), elevation=round(camera.elevation, 1))


def camera_onto(part: MachinePart, geometry: MachineGeometry, home: Camera, size: Size, margins: Margins) -> Camera:
    """Return the camera in which a part fills the picture inside the margins; `home` shows the entire machine."""
    limit = min(home.fitted * ZOOM_LIMITS[1], min(size) / (CELLS * max(geometry.layout.cell)))
    return home.framing(corners_of(part, geometry), size, margins, limit)


def corners_of(part: MachinePart, geometry: MachineGeometry) -> NDArray[np.float64]:
    """Return points that must be visible, shape ``(n, 3)``."""
    if geometry.boxed and part.item is not None and part.item.kind in ("group", "bundle"):
        groups = np.unique(geometry.network.group_of[part.vertices])
        boxes = geometry.layout.boxes[groups[groups < len(geometry.layout.boxes)]]
        corners = np.concatenate([boxes[:, :2] + sign * boxes[:, 2:] / 2 for sign in (-1, 1)])
        return np.column_stack([corners, np.zeros(len(corners))])
    vertices = part.vertices
    if geometry.layout.scattered and vertices.size == 1:
        # In unordered layouts neighbours may be far away: then they are the surroundings.
        links = geometry.links_at(int(vertices[0]))
        vertices = np.union1d(geometry.network.src[links], geometry.network.dst[links]).astype(np.intp)
        vertices = np.union1d(vertices, part.vertices)
    at = geometry.layout.positions[vertices].astype(np.float64)
    half = np.append(np.array(geometry.layout.cell) / 2, 0.0)
    return np.concatenate([at - half, at + half])
