"""Nodes, slots and other small areas as upright rectangles, coloured by load."""

import numpy as np
from numpy.typing import ArrayLike
from vispy.scene.visuals import create_visual_node

from app.visuals.base import LoadVisual

_VERTEX = """
attribute vec3 a_centre;
attribute vec2 a_size;

uniform float u_gap;
uniform float u_radius;

varying vec2 v_offset;
varying vec2 v_half;
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
    vec4 at = $to_framebuffer(vec4(a_centre, 1.0));
    vec2 size = max(a_size * pixels_per_unit(at), vec2(u_pixel_scale));
    vec2 low = at.xy / at.w - 0.5 * size;
    vec2 high = low + size;

    // The gap goes first when cells get small; edges on whole pixels keep gaps alike and crisp. But in space cells
    // move by parts of a pixel while the scene turns: on whole pixels they would jitter.
    float least = min(size.x, size.y) / u_pixel_scale;
    float gap = u_gap * u_pixel_scale * clamp((least - 3.0) / 3.0, 0.0, 1.0);
    if (u_depth_by_load > 0.5 && least >= 3.0) {
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
    v_round = min(u_radius * u_pixel_scale, min(v_half.x, v_half.y));
    v_offset = a_corner * (v_half + 1.0);
    vec2 place = 0.5 * (low + high) + v_offset;
    set_colour(1.0);
    gl_Position = ranked($to_render(vec4(place * at.w, at.z, at.w)));
}
"""

_FRAGMENT = """
varying vec2 v_offset;
varying vec2 v_half;
varying float v_round;

void main() {
    vec2 beyond = abs(v_offset) - v_half + v_round;
    float edge = length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - v_round;
    float fill = clamp(0.5 - edge, 0.0, 1.0);
    if (fill * v_colour.a < 0.002)
        discard;
    gl_FragColor = vec4(v_colour.rgb, fill * v_colour.a);
    write_depth(fill);
}
"""


class CellVisual(LoadVisual):
    """Upright rectangles drawn at once, each with a load; in space they face the viewer."""

    def __init__(self, instanced: bool | None = None) -> None:
        template = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], dtype=np.float32)
        LoadVisual.__init__(self, _VERTEX, _FRAGMENT, template, instanced)
        self.set_geometry(np.empty((0, 3)), 1.0)
        self.set_style()
        self.freeze()

    def set_geometry(self, centres: ArrayLike, size: ArrayLike) -> None:
        """Set centres, ``(n, 3)``, and widths and heights, ``(n, 2)`` or the same for all, in scene units.

        If the number of cells changes, their loads are dropped. No cell is smaller than one logical pixel.
        """
        points = np.array(centres, dtype=np.float32)
        sizes = np.broadcast_to(np.asarray(size, dtype=np.float32), (len(points), 2)).copy()
        self._set_shape(len(points), a_centre=points, a_size=sizes)

    def set_style(self, gap: float = 1.0, radius: float = 0.0) -> None:
        """Set the gap between adjacent cells, which shrinks for small cells, and the corner radius, in pixels."""
        self._set_uniforms(u_gap=gap, u_radius=radius)


Cells = create_visual_node(CellVisual)
