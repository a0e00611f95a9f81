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

uniform float u_halo_width;

varying float v_across;
varying float v_half;
varying float v_soft;

void main() {
    if (is_filtered()) {
        gl_Position = outside();
        return;
    }
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
    v_across = a_corner.y * (v_half + u_halo_width * u_pixel_scale + 0.5 * v_soft);
    position.xy += normal * v_across * position.w;
    set_colour(min(width, 1.0));
    gl_Position = ranked($to_render(position), 0.0);
}
"""

_FRAGMENT = """
uniform vec4 u_halo;
uniform float u_halo_width;
uniform float u_pixel_scale;

varying float v_across;
varying float v_half;
varying float v_soft;

void main() {
    float inside = v_half - abs(v_across);
    float core = clamp(inside / v_soft + 0.5, 0.0, 1.0);
    float halo = u_halo.a * (clamp((inside + u_halo_width * u_pixel_scale) / v_soft + 0.5, 0.0, 1.0) - core);
    float coverage = core + halo;
    if (coverage * v_colour.a < 0.002)
        discard;
    gl_FragColor = vec4(mix(u_halo.rgb, v_colour.rgb, core / coverage), v_colour.a * coverage);
    write_depth(coverage);
}
"""


class LinkLoadVisual(LoadVisual):
    """Links drawn at once, each a quadratic Bezier curve with a load.

    Parameters
    ----------
    segments
        Straight pieces of each curve; 1 for straight links.
    instanced
        See `LoadVisual`; None takes what the driver can.
    """

    def __init__(self, segments: int = 24, instanced: bool | None = None) -> None:
        t = np.linspace(0.0, 1.0, segments + 1, dtype=np.float32)
        side = np.array([-1, 1], dtype=np.float32)
        template = np.stack([np.repeat(t, 2), np.tile(side, segments + 1)], axis=1)
        LoadVisual.__init__(self, _VERTEX, _FRAGMENT, template, instanced)
        self.set_geometry(np.empty((0, 3, 3)), 1.0)
        self.set_halo((0.0, 0.0, 0.0, 0.0), 0.0)
        self.freeze()

    def set_geometry(self, curves: ArrayLike, width: ArrayLike) -> None:
        """Set where links run; if their number changes, their loads and emphasis are forgotten.

        Parameters
        ----------
        curves
            Start, control and end point of each link in scene units, shape ``(n, 3, 3)``; ``n`` may be 0.
        width
            Width in logical pixels, one for all or shape ``(n,)``.

        Raises
        ------
        ValueError
            If the arrays have other shapes.
        """
        points = np.asarray(curves, dtype=np.float32)
        if points.ndim != 3 or points.shape[1:] != (3, 3):
            raise ValueError(f"expected curves of 3 points in space, got an array of shape {points.shape}")
        widths = np.broadcast_to(np.asarray(width, dtype=np.float32), len(points)).copy()
        start, control, end = (np.array(points[:, i]) for i in range(3))
        self._set_shape(len(points), a_start=start, a_control=control, a_end=end, a_width=widths)

    def set_halo(self, rgba: tuple[float, float, float, float], width: float) -> None:
        """Surround each link by a rim that sets it off against the links it crosses.

        Parameters
        ----------
        rgba
            Colour of the rim, each channel from 0 to 1: usually the background's. It fades with the link.
        width
            Width on either side in logical pixels; 0 for none.
        """
        self._set_uniforms(u_halo=rgba, u_halo_width=width)

    def _corners(self) -> tuple[Floats, Floats]:
        start, control, end = (self._items[name] for name in ("a_start", "a_control", "a_end"))
        # The middle of the curve stands for its bulge; the control point itself lies far outside.
        points = np.concatenate([start, end, 0.25 * start + 0.5 * control + 0.25 * end])
        return points.min(axis=0), points.max(axis=0)


LinkLoad = create_visual_node(LinkLoadVisual)
