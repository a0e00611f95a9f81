"""The camera of a machine view, preserved through changes of the view's size."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QWidget

from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import fit

ANIMATION_MS = 160
"""Duration of moving to a box."""


class CameraController(QObject):
    """Keeps the camera last set and the view's size then; cameras for other sizes are derived from these.

    So a view made narrow and wide again has exactly the same camera, as do two synchronised views of the same
    size.
    """

    changed = Signal()
    """The camera has changed."""
    moved = Signal()
    """The user has moved the camera; not emitted when it follows a new size or another view."""

    def __init__(self, view: QWidget, geometry: MachineGeometry, size: Callable[[], Size]) -> None:
        super().__init__(view)
        self._view, self._geometry, self._camera_size = view, geometry, size
        self.camera = fit(geometry, size())
        """The current camera."""
        self.fits_all = True
        """Whether the entire machine is visible, or will be after the animation."""
        self._chosen = self.camera, size()
        self._course, self._course_size = (self.camera, self.camera), size()
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._on_animation_moved)

    @property
    def animating(self) -> bool:
        """Return whether an animation is running."""
        return self._animation.state() == QVariantAnimation.State.Running

    def begin(self, geometry: MachineGeometry) -> None:
        """Show all of another machine."""
        self._geometry, self.fits_all = geometry, True
        self.stop()
        self.place()

    def place(self) -> None:
        """Fit the camera to the current size; an animation continues to its goal."""
        if self.animating:
            self._go_on()
        elif self.fits_all:
            self._show(fit(self._geometry, self._camera_size()))
        else:
            self._show_chosen()

    def animate_to_fit(self, ms: int = ANIMATION_MS) -> None:
        """Animate to the view of the entire machine."""
        self.fits_all = True
        self._animate_to(fit(self._geometry, self._camera_size()), ms)

    def animate_to(self, target: Camera, ms: int = ANIMATION_MS) -> None:
        """Animate to another view."""
        self.fits_all = False
        self._animate_to(target, ms)

    def move(self, camera: Camera) -> None:
        """Set the camera by the user's drag or wheel."""
        self.stop()
        self.fits_all = False
        self._choose(camera)

    def follow(self, other: "CameraController") -> None:
        """Copy the camera of another view of an equal machine, without emitting `moved`."""
        self.stop()
        self.fits_all, self._chosen = other.fits_all, other._chosen
        if other.animating:
            self._show_chosen()
        else:
            self.place()

    def stop(self) -> None:
        """Stop the animation where it is."""
        self._animation.stop()

    def _show(self, camera: Camera) -> None:
        self.camera = camera
        self.changed.emit()

    def _show_chosen(self) -> None:
        camera, size = self._chosen
        self._show(camera.resized(size, self._camera_size()))

    def _choose(self, camera: Camera) -> None:
        self._chosen = camera, self._camera_size()
        self._show(camera)
        self.moved.emit()

    def _animate_to(self, target: Camera, ms: int) -> None:
        self.stop()
        if not (ms and self._view.isVisible()):
            self._choose(target)
            return
        self._animation.setDuration(ms)
        self._course, self._course_size = (self.camera, target), self._camera_size()
        self._animation.start()

    def _go_on(self) -> None:
        size, size_before = self._camera_size(), self._course_size
        start, target = (camera.resized(size_before, size) for camera in self._course)
        self._course = start, fit(self._geometry, size) if self.fits_all else target
        self._course_size = size
        self._on_animation_moved(self._animation.currentValue())

    def _on_animation_moved(self, part: float) -> None:
        start, target = self._course
        self._choose(target if part >= 1 else start.between(target, part))
