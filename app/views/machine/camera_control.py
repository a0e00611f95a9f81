"""The camera of a machine view: what the user has chosen, kept through every change of the view's size."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QWidget

from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import fit

ANIMATION_MS = 160
"""Time to move to a chosen box."""


class CameraController(QObject):
    """Keeps the camera as last moved, and the size the view then had: cameras for other sizes are made from these.

    So a view made narrow and wide again has the very camera it had, and two views of the same size that follow each
    other have the same one.
    """

    changed = Signal()
    """There is another camera."""
    moved = Signal()
    """The user has moved it: not emitted when it follows a new size or another view."""

    def __init__(self, view: QWidget, size: Callable[[], Size]) -> None:
        super().__init__(view)
        self._view, self._camera_size = view, size
        self._geometry: MachineGeometry | None = None
        self._camera: Camera | None = None
        self._fits_all = True
        self._chosen: tuple[Camera, Size] | None = None
        self._course: tuple[Camera, Camera] | None = None
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setDuration(ANIMATION_MS)
        self._animation.valueChanged.connect(self._on_animation_moved)

    @property
    def camera(self) -> Camera | None:
        """Return where it is looked from; None before there is a machine."""
        return self._camera

    @property
    def fits_all(self) -> bool:
        """Return whether the whole machine is seen, or soon will be."""
        return self._fits_all

    @property
    def animating(self) -> bool:
        """Return whether it moves to another view."""
        return self._animation.state() == QVariantAnimation.State.Running

    def begin(self, geometry: MachineGeometry) -> None:
        """See all of another machine."""
        self._geometry, self._fits_all, self._chosen = geometry, True, None
        self.place()

    def place(self) -> None:
        """Fit the camera to the size of now."""
        if self._geometry is None:
            return
        self.stop()
        if self._fits_all or self._chosen is None:
            self._show(fit(self._geometry, self._camera_size()))
        else:
            camera, size = self._chosen
            self._show(camera.resized(size, self._camera_size()))

    def animate_to_fit(self) -> None:
        """Move to where the whole machine is seen."""
        if self._geometry is not None:
            self._fits_all = True
            self._animate_to(fit(self._geometry, self._camera_size()))

    def animate_to(self, target: Camera) -> None:
        """Move to another view."""
        self._fits_all = False
        self._animate_to(target)

    def move(self, camera: Camera) -> None:
        """Look where the pointer leads."""
        self.stop()
        self._fits_all = False
        self._choose(camera)

    def follow(self, other: "CameraController") -> None:
        """Look from where another looks at a like machine; those who follow this one are not told."""
        if self._geometry is None or other.camera is None:
            return
        self.stop()
        self._fits_all, self._chosen = other._fits_all, other._chosen
        if other.animating and self._chosen is not None:
            camera, size = self._chosen
            self._show(camera.resized(size, self._camera_size()))
        else:
            self.place()

    def stop(self) -> None:
        """Stop where the animation has come to."""
        self._animation.stop()

    def _show(self, camera: Camera) -> None:
        self._camera = camera
        self.changed.emit()

    def _choose(self, camera: Camera) -> None:
        self._chosen = camera, self._camera_size()
        self._show(camera)
        self.moved.emit()

    def _animate_to(self, target: Camera) -> None:
        self.stop()
        if self._camera is None or not self._view.isVisible():
            self._choose(target)
            return
        self._course = (self._camera, target)
        self._animation.start()

    def _on_animation_moved(self, part: float) -> None:
        if self._course is not None:
            start, target = self._course
            self._choose(target if part >= 1 else start.between(target, part))
