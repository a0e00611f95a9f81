"""The camera: projection of world units to logical pixels, the same for OpenGL and QPainter."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Size = tuple[float, float]
Floats = NDArray[np.float64]
Margins = tuple[int, int, int, int]
"""Pixels to keep free on the left, at the top, on the right and at the bottom."""

AZIMUTH, ELEVATION = -32.0, 24.0
"""Default angles of a solid in degrees: three faces are visible, and no two axes coincide."""
EYE = 5.0
"""Distance of the eye, in radii of the solid: a slight perspective distinguishes front from back."""
ZOOM_LIMITS = (0.4, 400.0)
"""Smallest and largest scale, relative to the scale that fits the whole machine."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A view of the plane or of a solid. World y points up, pixel y down."""

    pivot: tuple[float, float, float]
    """Smallest and largest scale, relative to the scale that fits the entire machine."""
    scale: float
    """Pixels per world unit (for a solid: at the pivot)."""
    fitted: float
    """The scale at which everything fits."""
    shift: tuple[float, float] = (0.0, 0.0)
    """Offset of the middle of the picture from the pivot, in world units right and up in the view plane."""
    radius: float = 0.0
    """Radius of a solid around its pivot; 0 in the plane."""
    azimuth: float = 0.0
    elevation: float = 0.0

    @property
    def solid(self) -> bool:
        """Return whether the camera shows a solid."""
        return self.radius > 0

    @property
    def step(self) -> float:
        """Return the scale rounded to steps, so that slight zooming does not change what depends on it."""
        return float(2 ** (np.round(2 * np.log2(self.scale)) / 2))

    def matrix(self, size: Size) -> Floats:
        """Return the 4 x 4 matrix that maps world row vectors to homogeneous pixels and depth.

        Pixels are logical, from the top left corner; depth is from -1 (near) to 1 (far).
        """
        view = np.eye(4)
        view[:3, :3] = self._rotation()
        view[3, :3] = -np.array(self.pivot) @ view[:3, :3]
        # In the plane z = 0; the factor only keeps the matrix invertible.
        depth = 0.5 / self.radius if self.solid else 1.0
        vanish = 1 / (EYE * self.radius) if self.solid else 0.0
        middle = (size[0] / 2 - self.scale * self.shift[0], size[1] / 2 + self.scale * self.shift[1])
        project = np.array(
            [
                [self.scale, 0, 0, 0],
                [0, -self.scale, 0, 0],
                [-vanish * middle[0], -vanish * middle[1], -depth, -vanish],
                [middle[0], middle[1], 0, 1],
            ]
        )
        return np.asarray(view @ project)

    def _rotation(self) -> Floats:
        # For multiplication from the right: about the vertical axis, then towards the viewer.
        a, e = np.radians([self.azimuth, self.elevation])
        turn = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
        tilt = np.array([[1, 0, 0], [0, np.cos(e), np.sin(e)], [0, -np.sin(e), np.cos(e)]])
        return np.asarray(turn @ tilt)

    def project(self, points: ArrayLike, size: Size) -> Floats:
        """Return x, y in pixels and depth (less is nearer) of world points, shape ``(..., 3)``."""
        at = np.asarray(points, float)
        matrix = self.matrix(size)
        homogeneous = at @ matrix[:3] + matrix[3]
        return np.asarray(homogeneous[..., :3] / homogeneous[..., 3:])

    def world(self, x: float, y: float, size: Size) -> tuple[float, float]:
        """Return the point under a pixel, in world units right and up of the pivot in the view plane."""
        return (
            self.shift[0] + (x - size[0] / 2) / self.scale,
            self.shift[1] - (y - size[1] / 2) / self.scale,
        )

    def zoomed(self, factor: float, x: float, y: float, size: Size) -> "Camera":
        """Return the view magnified about a pixel."""
        low, high = (self.fitted * limit for limit in ZOOM_LIMITS)
        scale = min(max(self.scale * factor, low), high)
        fixed = self.world(x, y, size)
        kept = self.scale / scale
        shift = (fixed[0] - (fixed[0] - self.shift[0]) * kept, fixed[1] - (fixed[1] - self.shift[1]) * kept)
        return replace(self, scale=scale, shift=shift)

    def panned(self, dx: float, dy: float) -> "Camera":
        """Return the view panned by `dx`, `dy` pixels."""
        return replace(self, shift=(self.shift[0] - dx / self.scale, self.shift[1] + dy / self.scale))

    def turned(self, dx: float, dy: float) -> "Camera":
        """Return the view of a solid rotated by a drag of `dx`, `dy` pixels."""
        elevation = min(max(self.elevation + 0.4 * dy, -90.0), 90.0)
        return replace(self, azimuth=(self.azimuth + 0.4 * dx + 180) % 360 - 180, elevation=elevation)

    def resized(self, old: Size, new: Size) -> "Camera":
        """Return the view for a picture of another size that shows at least as much."""
        ratio = min(new[0] / max(old[0], 1), new[1] / max(old[1], 1))
        return replace(self, scale=self.scale * ratio, fitted=self.fitted * ratio)

    def onto(self, box: ArrayLike, size: Size, share: float = 0.82) -> "Camera":
        """Return the view of the plane in which a box (centre x, y, width, height) takes a fraction of the picture."""
        x, y, width, height = np.asarray(box, float).tolist()  # a scene cannot be saved with numbers of numpy
        low, high = (self.fitted * limit for limit in ZOOM_LIMITS)
        scale = min(max(share * min(size[0] / width, size[1] / height), low), high)
        return replace(self, scale=scale, shift=(x - self.pivot[0], y - self.pivot[1]))

    def framing(self, points: ArrayLike, size: Size, margins: Margins, limit: float = np.inf) -> "Camera":
        """Return the view moved and scaled, up to the scale `limit`, such that points ``(n, 3)`` fill a picture."""
        seen = replace(self, scale=1.0, shift=(0.0, 0.0)).project(points, (0, 0))[:, :2]
        width, height = np.maximum(np.ptp(seen, axis=0), 1e-6)
        left, top, right, bottom = margins
        scale = min((size[0] - left - right) / width, (size[1] - top - bottom) / height, limit)
        scale = max(float(scale), 1e-3)
        middle = (seen.min(0) + seen.max(0)) / 2
        # The middle of the free part differs from the picture's middle by half the difference of the margins.
        shift = (float(middle[0] - (left - right) / 2 / scale), float(-middle[1] + (top - bottom) / 2 / scale))
        return replace(self, scale=scale, shift=shift)

    def between(self, other: "Camera", part: float) -> "Camera":
        """Return an intermediate view on the way to another, with uniform zoom speed, about a fixed point."""
        scale = self.scale ** (1 - part) * other.scale**part
        # The pan fraction for the scale, such that the point where both views agree stays fixed.
        ends = 1 / self.scale, 1 / other.scale
        done = part if np.isclose(*ends, rtol=1e-3) else (1 / scale - ends[0]) / (ends[1] - ends[0])
        shift = tuple(a + (b - a) * done for a, b in zip(self.shift, other.shift, strict=True))
        return replace(
            other,
            scale=scale,
            shift=(shift[0], shift[1]),
            azimuth=self.azimuth + (other.azimuth - self.azimuth) * part,
            elevation=self.elevation + (other.elevation - self.elevation) * part,
        )


def fitting_camera(low: ArrayLike, high: ArrayLike, solid: bool, size: Size, margins: Margins) -> Camera:
    """Return the view that shows everything between two opposite corners, ``(3,)`` each."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    radius = float(np.linalg.norm(high - low) / 2) if solid else 0.0
    pivot = [float(x) for x in (low + high) / 2]
    turned = (AZIMUTH, ELEVATION) if solid else (0.0, 0.0)
    unit = Camera((pivot[0], pivot[1], pivot[2]), 1.0, 1.0, (0.0, 0.0), radius, *turned)
    corners = np.stack(np.meshgrid(*zip(low, high, strict=True)), axis=-1).reshape(-1, 3)
    seen = unit.framing(corners, size, margins)
    return replace(seen, fitted=seen.scale)
