"""The base of visuals of links and cells: many items in one draw call, with one float each and colours from a texture.

Geometry rarely changes, whereas loads change with every edit. So each property of an item is a separate array on the
GPU, and a new load uploads four bytes per item; scale, colour map and opacity are uniforms or a texture and upload no
item. Setting an array only marks it as changed; it is uploaded once, just before the next frame, however often it was
set.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from vispy import gloo
from vispy.visuals import Visual

from app.visuals.gl import instancing_available

Overlap = Literal["load", "depth"]
Floats = NDArray[np.float32]

# Up to this number of items, sorting (3 ms) and uploading all arrays in the new order (1 MB) take less than a frame.
SORT_LIMIT = 20_000

# GLSL 1.20 has no isnan, and v != v may be optimised away, so "no data" is encoded as a value that no load has.
MISSING = np.float32(-3e38)
WHITE = np.full((1, 256, 4), 255, np.uint8)

ITEM_GLSL = """
attribute vec2 a_corner;
attribute float a_load;

uniform sampler2D u_lut;
uniform vec4 u_missing;
uniform vec4 u_beyond;
uniform float u_scale_origin;
uniform float u_scale_factor;
uniform float u_scale_log;
uniform float u_scale_signed;
uniform float u_opacity;
uniform float u_depth_by_load;
uniform float u_pixel_scale;

varying vec4 v_colour;
varying float v_solid;

bool is_missing() { return a_load < -1e38; }

// Place of the load on the scale, 0 (cold) to 1 (hot); above 1 beyond it.
float place() {
    float x = u_scale_log > 0.5 ? log(max(a_load, 1e-30)) : a_load;
    return (x - u_scale_origin) * u_scale_factor;
}

float heat() { return clamp(place(), 0.0, 1.0); }

// Distance from zero, which on a scale of differences is in the middle.
float strength(float x) { return u_scale_signed > 0.5 ? abs(2.0 * x - 1.0) : x; }

bool is_beyond() { return u_beyond.a >= 0.0 && strength(place()) > 1.00001; }

void set_colour(float faint) {
    vec4 scaled = is_beyond() ? u_beyond : texture2D(u_lut, vec2((heat() * 255.0 + 0.5) / 256.0, 0.5));
    v_colour = is_missing() ? u_missing : scaled;
    v_colour.a *= u_opacity * faint;
    v_solid = u_depth_by_load > 0.5 ? 1.0 : v_colour.a;
}

// In the plane, where depth has no meaning, it may stand for the load: hot lies over cold.
vec4 ranked(vec4 position) {
    if (u_depth_by_load > 0.5) {
        float rank = is_missing() ? 0.0 : 0.002 + 0.99 * strength(heat());
        position.z = (1.0 - rank) * position.w;
    }
    return position;
}
"""

# A mostly transparent pixel must not hide objects drawn behind it later, so its depth is the far plane.
DEPTH_GLSL = """
varying vec4 v_colour;
varying float v_solid;

void write_depth(float coverage) {
    gl_FragDepth = coverage * v_solid < 0.5 ? 1.0 : gl_FragCoord.z;
}
"""


class LoadVisual(Visual):
    """Many items of one kind, each with a load; subclasses define the look of one item.

    Their shader sources follow ``ITEM_GLSL`` and ``DEPTH_GLSL``; `template` has the vertices of one item as a triangle
    strip, shape ``(k, 2)``. It is drawn in copies (`instanced`), or all data are repeated for each vertex (not), or
    depending on the driver (None).
    """

    def __init__(self, vertex: str, fragment: str, template: Floats, instanced: bool | None) -> None:
        Visual.__init__(self, ITEM_GLSL + vertex, DEPTH_GLSL + fragment)
        self._instanced = instancing_available() if instanced is None else instanced
        self._items: dict[str, Floats] = {}
        self._buffers: dict[str, gloo.VertexBuffer] = {}
        self._changed: set[str] = set()
        self._count = 0
        self._overlap: Overlap = "load"
        self._sorting: NDArray[np.intp] | None = None
        self._signed = False
        self._draw_mode = "triangle_strip" if self._instanced else "triangles"
        self._lut = gloo.Texture2D(WHITE, interpolation="linear", wrapping="clamp_to_edge")
        self.set_gl_state(
            blend=True,
            # Keeps the canvas opaque under translucent items.
            blend_func=("src_alpha", "one_minus_src_alpha", "one", "one_minus_src_alpha"),
            cull_face=False,
            depth_func="lequal",
        )
        self._set_template(template)
        self._set_defaults()

    def _set_defaults(self) -> None:
        self._set_uniforms(u_lut=self._lut)
        self.set_scale(0.0, 1.0)
        self.set_missing_colour((0.5, 0.5, 0.5, 0.35))
        self.set_beyond_colour(None)
        self._zoom = 1.0
        self.set_opacity(1.0)

    @property
    def count(self) -> int:
        """Number of items."""
        return self._count

    @property
    def instanced(self) -> bool:
        """Whether items are copies of one mesh (True) or separate vertices (False)."""
        return self._instanced

    def set_load(self, values: ArrayLike) -> None:
        """Set the utilisations that colour the items, shape ``(n,)``; NaN means "no data"."""
        load = np.asarray(values, dtype=np.float32)
        self._set_items(a_load=np.where(np.isnan(load), MISSING, load))

    def set_scale(self, low: float, high: float, log: bool = False, signed: bool = False) -> None:
        """Set the loads of the first and the last colour; loads beyond are clipped to these.

        `log`: colours follow the logarithm of loads. `signed`: values are differences, with zero in the middle, and the
        larger magnitude is drawn on top.
        """
        first, last = (np.log(low), np.log(high)) if log else (low, high)
        self._set_uniforms(u_scale_origin=first, u_scale_factor=1.0 / (last - first), u_scale_log=float(log))
        self._set_signed(signed)

    def _set_signed(self, signed: bool) -> None:
        if signed != self._signed:
            self._signed = signed
            self._changed.update(self._items)  # sort order may change
        self._set_uniforms(u_scale_signed=float(signed))

    def set_lut(self, rgba: ArrayLike) -> None:
        """Set the colour map, shape ``(256, 4)``, RGBA from 0 to 255, cold first."""
        self._lut.set_data(np.asarray(rgba, np.uint8)[np.newaxis], copy=True)
        self.update()

    def set_missing_colour(self, rgba: tuple[float, float, float, float]) -> None:
        """Set the colour of items without data, each channel from 0 to 1."""
        self._set_uniforms(u_missing=rgba)

    def set_beyond_colour(self, rgba: tuple[float, float, float, float] | None) -> None:
        """Set the colour of items whose load exceeds the scale, channels from 0 to 1; None for the hottest colour."""
        self._set_uniforms(u_beyond=rgba if rgba is not None else (0.0, 0.0, 0.0, -1.0))

    def set_opacity(self, opacity: float) -> None:
        """Set the opacity of all items, from 0 to 1."""
        self._set_uniforms(u_opacity=opacity)

    def set_zoom(self, zoom: float) -> None:
        """Set the factor of widths and gaps in logical pixels."""
        if zoom != self._zoom:
            self._zoom = zoom
            self.update()

    def set_overlap(self, by: Overlap) -> None:
        """Let hotter items cover colder items (``"load"``), or nearer items farther ones (``"depth"``)."""
        self._overlap = by
        self._changed.update(self._items)
        self.update()

    def _set_uniforms(self, **values: Any) -> None:
        for name, value in values.items():
            self.shared_program[name] = value
        self.update()

    def _set_items(self, **arrays: Floats) -> None:
        """Set properties of the items by the names of their attributes, for upload with the next frame."""
        self._items.update(arrays)
        self._changed.update(arrays)
        self.update()

    def _set_template(self, template: Floats) -> None:
        """Set the vertices of one item."""
        self._template = template
        if self._instanced:
            self.shared_program["a_corner"] = gloo.VertexBuffer(template)
        else:
            self._spelt_out = 0
            self._changed.update(self._items)
        self.update()

    def _set_shape(self, count: int, **arrays: Floats) -> None:
        """Set the number of items; if it changes, the loads are dropped."""
        if count != self._count or "a_load" not in self._items:
            self._count = count
            self._set_items(a_load=np.full(count, MISSING))
        self._set_items(**arrays)

    def _sorts(self) -> bool:
        """Whether items are sorted so that hot items are drawn over cold items.

        Sorted items blend correctly, but each new load needs a sort and an upload of all arrays, so sorting is limited
        to numbers of items for which both are negligible. Beyond, the depth buffer orders them, and border pixels of
        crossing items show some background, which is invisible among that many.
        """
        return self._overlap == "load" and self._count <= SORT_LIMIT

    def _rank(self) -> NDArray[np.intp]:
        """Return the order in which items are drawn."""
        load = self._items["a_load"]
        return np.argsort(np.where(load <= MISSING, -1, np.abs(load)) if self._signed else load, kind="stable")

    def _upload(self) -> None:
        """Upload changed data to the GPU."""
        if not self._changed:
            return
        sorting = self._rank() if self._sorts() else None
        if sorting is not None or self._sorting is not None:
            self._changed.update(self._items)
        self._sorting = sorting
        for name in self._changed:
            self._upload_items(name)
        if not self._instanced:
            self._upload_template()
        self._changed.clear()

    def _upload_items(self, name: str) -> None:
        data = self._items[name]
        if self._sorting is not None:
            data = data[self._sorting]
        if not self._instanced:
            data = np.repeat(data, len(self._template), axis=0)
        if name in self._buffers:
            self._buffers[name].set_data(data)
        else:
            self._buffers[name] = gloo.VertexBuffer(data, divisor=1 if self._instanced else None)
            self.shared_program[name] = self._buffers[name]

    def _upload_template(self) -> None:
        """Repeat the template for every item, with its strip as triangles, if the number of items has changed."""
        if self._spelt_out == self._count:
            return
        vertices = len(self._template)
        strip = np.add.outer(np.arange(vertices - 2), np.arange(3)).ravel()
        triangles = np.add.outer(np.arange(self._count) * vertices, strip).ravel()
        self._index_buffer = gloo.IndexBuffer(triangles.astype(np.uint32))
        self.shared_program["a_corner"] = gloo.VertexBuffer(np.tile(self._template, (self._count, 1)))
        self._spelt_out = self._count

    def _prepare_transforms(self, view: Any) -> None:
        view.view_program.vert["to_framebuffer"] = view.get_transform("visual", "framebuffer")
        view.view_program.vert["to_render"] = view.get_transform("framebuffer", "render")

    def _prepare_draw(self, view: Any) -> bool:
        if self._count == 0:
            return False
        self._upload()
        sorts, by_load = self._sorts(), self._overlap == "load"
        self.update_gl_state(depth_test=not sorts)
        self.shared_program["u_depth_by_load"] = float(by_load)
        view.view_program["u_pixel_scale"] = view.transforms.pixel_scale * self._zoom
        if by_load and not sorts:
            # In the plane each layer covers the layer before; depth only orders the items of one layer.
            gloo.clear(color=False, depth=True, stencil=False)
        return True
