"""Links as ribbons of constant width on the screen, coloured by load."""

import numpy as np
from numpy.typing import ArrayLike
from vispy.scene.visuals import create_visual_node

from app.visuals.base import Floats, LoadVisual

_VERTEX = """
attribute vec3 a_start;
attribute vec3 a_control;
attribute vec3 a_end;
attribute float a_width;

varying float v_across;
varying float v_half;
varying float v_soft;

void main() {
    float t = a_corner.x;
    vec3 first = mix(a_start, a_control, t);
    vec3 second = mix(a_control, a_end, t);
    vec3 tangent = second - first;
    if (dot(tangent, tangent) == 0.0)
        tangent = a_end - a_start;

    // Derivative of the projected point, to a positive factor: exact in perspective.
    vec4 position = $to_framebuffer(vec4(mix(first, second, t), 1.0));
    vec4 change = $to_framebuffer(vec4(tangent, 0.0));
    vec2 along = change.xy * position.w - position.xy * change.w;
    float speed = length(along);
    vec2 normal = speed > 0.0 ? vec2(-along.y, along.x) / speed : vec2(0.0);

    // Narrower than a pixel, a ribbon keeps its pixel and grows faint instead. Its border is as soft as a pixel is
    // wide across it, which on the diagonal is more than one.
    float width = a_width * u_pixel_scale;
    v_half = 0.5 * max(width, 1.0);
    v_soft = abs(normal.x) + abs(normal.y);
    v_across = a_corner.y * (v_half + 0.5 * v_soft);
    position.xy += normal * v_across * position.w;
    set_colour(min(width, 1.0));
    gl_Position = ranked($to_render(position));
}
"""

_FRAGMENT = """
varying float v_across;
varying float v_half;
varying float v_soft;

void main() {
    float coverage = clamp((v_half - abs(v_across)) / v_soft + 0.5, 0.0, 1.0);
    if (coverage * v_colour.a < 0.002)
        discard;
    gl_FragColor = vec4(v_colour.rgb, v_colour.a * coverage);
    write_depth(coverage);
}
"""


class LinkLoadVisual(LoadVisual):
    """Links as quadratic Bezier curves of straight segments, each with a load, in one draw call."""

    def __init__(self, segments: int = 24, instanced: bool | None = None) -> None:
        LoadVisual.__init__(self, _VERTEX, _FRAGMENT, _ribbon(segments), instanced)
        self.set_geometry(np.empty((0, 3, 3)), 1.0)
        self.freeze()

    def set_segments(self, segments: int) -> None:
        """Set the number of straight segments of each curve."""
        if len(self._template) != 2 * (segments + 1):
            self._set_template(_ribbon(segments))

    def set_geometry(self, curves: ArrayLike, width: ArrayLike) -> None:
        """Set start, control and end points, ``(n, 3, 3)``, scene units, and widths, ``(n,)`` or one for all, pixels.

        If the number of links changes, their loads are dropped.
        """
        points = np.asarray(curves, dtype=np.float32)
        widths = np.broadcast_to(np.asarray(width, dtype=np.float32), len(points)).copy()
        start, control, end = (np.array(points[:, i]) for i in range(3))
        self._set_shape(len(points), a_start=start, a_control=control, a_end=end, a_width=widths)


def _ribbon(segments: int) -> Floats:
    """Return the position along the curve and the side of each vertex, ``(2 * (segments + 1), 2)``."""
    t = np.linspace(0.0, 1.0, segments + 1, dtype=np.float32)
    side = np.array([-1, 1], dtype=np.float32)
    return np.stack([np.repeat(t, 2), np.tile(side, segments + 1)], axis=1)


LinkLoad = create_visual_node(LinkLoadVisual)
