"""Nodes, slots and other small areas as upright rectangles, coloured by load."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from vispy.scene.visuals import create_visual_node

from app.visuals.base import Floats, LoadVisual

Unit = Literal["scene", "pixels"]

_VERTEX = """
attribute vec3 a_centre;
attribute vec2 a_size;
attribute float a_outlined;

uniform float u_in_pixels;
uniform float u_snap;
uniform float u_gap;
uniform float u_radius;
uniform float u_outline_width;

varying vec2 v_offset;
varying vec2 v_half;
varying float v_ring;
varying float v_round;

// Pixels in one scene unit, across and up, for a rectangle that faces the viewer: of the three axes together,
// so that it stays the same while the scene turns.
vec2 pixels_per_unit(vec4 at) {
    vec4 x = $to_framebuffer(vec4(1.0, 0.0, 0.0, 0.0));
    vec4 y = $to_framebuffer(vec4(0.0, 1.0, 0.0, 0.0));
    vec4 z = $to_framebuffer(vec4(0.0, 0.0, 1.0, 0.0));
    vec2 dx = x.xy * at.w - at.xy * x.w;
    vec2 dy = y.xy * at.w - at.xy * y.w;
    vec2 dz = z.xy * at.w - at.xy * z.w;
    return vec2(length(vec3(dx.x, dy.x, dz.x)), length(vec3(dx.y, dy.y, dz.y))) / (at.w * at.w);
}

void main() {
    if (is_filtered()) {
        gl_Position = outside();
        return;
    }
    vec4 at = $to_framebuffer(vec4(a_centre, 1.0));
    vec2 size = a_size * (u_in_pixels > 0.5 ? vec2(u_pixel_scale) : pixels_per_unit(at));
    size = max(size, vec2(u_pixel_scale));
    vec2 low = at.xy / at.w - 0.5 * size;
    vec2 high = low + size;

    // The gap goes first when cells get small; edges on whole pixels keep gaps alike and crisp.
    float least = min(size.x, size.y) / u_pixel_scale;
    float gap = u_gap * u_pixel_scale * clamp((least - 3.0) / 3.0, 0.0, 1.0);
    if (u_snap > 0.5 && least >= 3.0) {
        low = floor(low + 0.5);
        high = floor(high + 0.5);
        gap = floor(gap + 0.5);
        low += floor(0.5 * gap);
        high -= gap - floor(0.5 * gap);
    } else {
        low += 0.5 * gap;
        high -= 0.5 * gap;
    }

    v_half = 0.5 * (high - low);
    v_ring = a_outlined * u_outline_width * u_pixel_scale;
    v_round = min(u_radius * u_pixel_scale, min(v_half.x, v_half.y));
    v_offset = a_corner * (v_half + v_ring + 1.0);
    vec2 place = 0.5 * (low + high) + v_offset;
    set_colour(1.0);
    gl_Position = ranked($to_render(vec4(place * at.w, at.z, at.w)), a_outlined);
}
"""

_FRAGMENT = """
uniform vec4 u_outline;

varying vec2 v_offset;
varying vec2 v_half;
varying float v_ring;
varying float v_round;

void main() {
    vec2 beyond = abs(v_offset) - v_half + v_round;
    float edge = length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - v_round;
    float fill = clamp(0.5 - edge, 0.0, 1.0);
    float ring = v_ring > 0.0 ? clamp(0.5 - edge + v_ring, 0.0, 1.0) - fill : 0.0;
    float alpha = fill * v_colour.a + ring * u_outline.a;
    if (alpha < 0.002)
        discard;
    vec3 rgb = fill * v_colour.a * v_colour.rgb + ring * u_outline.a * u_outline.rgb;
    gl_FragColor = vec4(rgb / alpha, alpha);
    write_depth(fill + ring);
}
"""


class CellVisual(LoadVisual):
    """Upright rectangles drawn at once, each with a load; in space they face the viewer.

    Parameters
    ----------
    instanced
        See `LoadVisual`; None takes what the driver can.
    """

    def __init__(self, instanced: bool | None = None) -> None:
        template = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], dtype=np.float32)
        LoadVisual.__init__(self, _VERTEX, _FRAGMENT, template, instanced)
        self._in_pixels = False
        self.set_geometry(np.empty((0, 3)), 1.0)
        self.set_style()
        self.set_outline(None)
        self.freeze()

    def set_geometry(self, centres: ArrayLike, size: ArrayLike, unit: Unit = "scene") -> None:
        """Set where cells lie; if their number changes, their loads, emphasis and outlines are forgotten.

        Parameters
        ----------
        centres
            Centre of each cell in scene units, shape ``(n, 3)``; ``n`` may be 0.
        size
            Width and height: one number for all, one pair for all, or shape ``(n, 2)``.
        unit
            Whether sizes are scene units, which grow with zoom, or logical pixels, which do not. No cell gets
            smaller than one logical pixel.

        Raises
        ------
        ValueError
            If the arrays have other shapes.
        """
        points = np.array(centres, dtype=np.float32)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"expected centres in 3 dimensions, got an array of shape {points.shape}")
        sizes = np.broadcast_to(np.asarray(size, dtype=np.float32), (len(points), 2)).copy()
        if len(points) != self._count or "a_outlined" not in self._items:
            self._set_items(a_outlined=np.zeros(len(points), dtype=np.float32))
        self._in_pixels = unit == "pixels"
        self._set_uniforms(u_in_pixels=float(self._in_pixels))
        self._set_shape(len(points), a_centre=points, a_size=sizes)

    def set_style(self, gap: float = 1.0, radius: float = 0.0) -> None:
        """Set the gap between neighbours, which closes on small cells, and the corner radius, in pixels."""
        self._set_uniforms(u_gap=gap, u_radius=radius)

    def set_outline(
        self,
        chosen: ArrayLike | None,
        rgba: tuple[float, float, float, float] = (0.3, 0.75, 1.0, 1.0),
        width: float = 2.0,
    ) -> None:
        """Draw a border around some cells, and these over the others.

        Parameters
        ----------
        chosen
            A mask of shape ``(n,)``, or the indices of the cells; None for no border.
        rgba
            Colour of the border, each channel from 0 to 1.
        width
            Width in logical pixels, outside the cell, whose load stays visible.
        """
        self._set_items(a_outlined=self._mask([] if chosen is None else chosen))
        self._set_uniforms(u_outline=rgba, u_outline_width=width)

    def _rank(self) -> NDArray[np.intp]:
        items = self._items
        return np.lexsort((items["a_load"], items["a_emphasis"], items["a_outlined"]))

    def _prepare_draw(self, view: object) -> bool:
        # In space cells move by parts of a pixel while the scene turns: on whole pixels they would jitter.
        self.shared_program["u_snap"] = float(self._overlap == "load" and not self._in_pixels)
        return LoadVisual._prepare_draw(self, view)

    def _corners(self) -> tuple[Floats, Floats]:
        centres = self._items["a_centre"]
        reach = np.zeros_like(centres)
        if not self._in_pixels:
            reach[:, :2] = 0.5 * self._items["a_size"]
        return (centres - reach).min(axis=0), (centres + reach).max(axis=0)


Cells = create_visual_node(CellVisual)
