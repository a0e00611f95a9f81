"""The OpenGL canvas of the machine view: the scene's arrays on vispy visuals, one for each kind of mark."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.model.state import State
from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import MachineGeometry
from app.views.machine.picture import bundle_table, cell_table, fading, link_colour_table
from app.views.machine.scene import CurveBatch, MachineScene

SEGMENTS = 24
"""Segments of a bundle's curve."""
LINK_SEGMENTS = 48
"""Segments of a link's curve, which appears larger."""
MANY_LINKS, MANY_LINKS_SEGMENTS = 1500, 16
"""Number of links beyond which curves have fewer segments, to limit the frame time."""
ROUND = 1e4
"""Corner radius of switches, in pixels: larger than any switch, for circles."""


class MachineCanvas:
    """Draws scenes; each call uploads only the differences."""

    def __init__(self, parent: QWidget) -> None:
        from app.visuals import Cells, LinkLoad, use_best_gl

        use_best_gl()
        from vispy.scene import Node, SceneCanvas
        from vispy.visuals.transforms import MatrixTransform

        self._canvas = SceneCanvas(keys=None, parent=parent, show=False)
        self.native: QWidget = self._canvas.native
        # The view handles the pointer itself; vispy would drop moves.
        self.native.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.native.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        root = Node(parent=self._canvas.scene)
        self._transform = root.transform = MatrixTransform()
        self.boxes = Cells(parent=root)
        self.bundles = LinkLoad(segments=SEGMENTS, parent=root)
        self.links = LinkLoad(segments=LINK_SEGMENTS, parent=root)
        self.cells = Cells(parent=root)
        self.switches = Cells(parent=root)
        self.switches.set_style(radius=ROUND)
        self._items = (self.bundles, self.links, self.cells, self.switches)
        for order, node in enumerate((self.boxes, *self._items)):
            node.order = order
        self._scene: MachineScene | None = None
        self._shown: dict[Any, CurveBatch] = {}
        self._seen: tuple[object, ...] = ()
        self._style: tuple[object, ...] = ()

    def set_camera(self, camera: Camera, size: Size, geometry: MachineGeometry, zoom: float = 1.0) -> None:
        """Set the camera, whose pixels are `zoom` logical ones wide."""
        seen = (camera, size, geometry, zoom)
        if seen == self._seen:
            return
        self._seen = seen
        self._transform.matrix = camera.matrix(size) * (zoom, zoom, 1.0, 1.0)
        for node in (self.boxes, *self._items):
            node.set_zoom(zoom)
        # Gaps shrink with the cells, but stay visible, so that a group of nodes does not look like a bar.
        width = geometry.layout.cell[0] * camera.scale
        self.cells.set_style(gap=1.5 / (width - 3) if 3.3 <= width < 4.5 else 1.0)

    def set_scene(self, scene: MachineScene, state: State) -> None:
        """Show a scene in the colours of a state's theme and scale."""
        old, self._scene = self._scene, scene
        if old is None or old.geometry is not scene.geometry:
            self._set_geometry(scene)
        links, nodes = scene.links, scene.geometry.network.nodes
        self._set_batch(self.bundles, scene.bundles)
        self._set_batch(self.links, links)
        self.links.set_segments(
            1 if links.straight else MANY_LINKS_SEGMENTS if links.count > MANY_LINKS else LINK_SEGMENTS
        )
        if old is None or old.geometry is not scene.geometry or not np.array_equal(old.cell_scale, scene.cell_scale):
            self.cells.set_geometry(scene.geometry.layout.positions[:nodes], scene.cell_sizes[:nodes])
            self.switches.set_geometry(scene.geometry.layout.positions[nodes:], scene.cell_sizes[nodes:])
        self.cells.set_load(scene.shading.node[:nodes])
        self.switches.set_load(scene.shading.node[nodes:])
        self._set_style(scene, state)
        self.set_fading(scene, state)

    def _set_style(self, scene: MachineScene, state: State) -> None:
        shading, solid, seen = state.shading, scene.geometry.layout.solid, scene.least_opacity
        if (state.style.theme, state.style.scale, shading, solid, seen) == self._style:
            return
        self._style = (state.style.theme, state.style.scale, shading, solid, seen)
        self._canvas.bgcolor = state.style.theme.panel
        self.bundles.set_lut(bundle_table(state))
        self.links.set_lut(link_colour_table(state, solid, seen))
        for node in (self.cells, self.switches):
            node.set_lut(cell_table(state, solid))
        beyond, missing = QColor(state.style.theme.beyond), QColor(state.style.theme.missing)
        for node in self._items:
            node.set_missing_colour((missing.redF(), missing.greenF(), missing.blueF(), 1.0))
            node.set_scale(shading.relative(0.0), shading.relative(1.0), log=shading.log, signed=shading.signed)
            node.set_beyond_colour((beyond.redF(), beyond.greenF(), beyond.blueF(), 1.0))
        field = QColor(state.style.theme.field)
        self.boxes.set_missing_colour((field.redF(), field.greenF(), field.blueF(), 1.0))

    def set_fading(self, scene: MachineScene, state: State) -> None:
        """Fade everything while something is selected, which the overlay highlights."""
        links, cells = fading(scene, state)
        self.bundles.set_opacity(links * scene.bundle_opacity)
        self.links.set_opacity(links)
        for node in (self.cells, self.switches):
            node.set_opacity(cells)

    def redraw(self) -> None:
        """Redraw, even if a request is pending since the canvas was hidden."""
        self.native.update()

    def picture(self) -> NDArray[np.uint8]:
        """Return the pixels of the canvas, shape ``(height, width, 3)``."""
        return np.asarray(self._canvas.render(alpha=False))

    def close(self) -> None:
        """Free the canvas."""
        self._canvas.close()

    def _set_geometry(self, scene: MachineScene) -> None:
        layout = scene.geometry.layout
        self.boxes.set_geometry(scene.geometry.box_centres, layout.boxes[:, 2:])
        for node in self._items:
            node.set_overlap("depth" if layout.solid else "load")

    def _set_batch(self, node: Any, batch: CurveBatch) -> None:
        old = self._shown.get(node)
        self._shown[node] = batch
        if not (old is not None and _same_geometry(old, batch)):
            node.set_geometry(batch.curves, batch.width)
        node.set_load(batch.heat)


def _same_geometry(old: CurveBatch, new: CurveBatch) -> bool:
    # Link ids identify curves within one network only, so the curves themselves are compared.
    return np.array_equal(old.curves, new.curves) and np.array_equal(old.width, new.width)
