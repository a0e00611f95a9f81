"""Where a machine view looks from: what its user has chosen, kept through every change of the view's size."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QWidget

from app.views.machine.camera import Camera, Size
from app.views.machine.paint import fit
from app.views.machine.plan import Plan

GLIDE_MS = 160
"""Time to move to a chosen box."""


class Lookout(QObject):
    """Keeps the camera as it was last moved, and the room it then had: every other room gives one made from these.

    So a view that is made narrow and wide again has the very camera it had, and two views with the same room that
    follow each other have the same one.
    """

    changed = Signal()
    """There is another camera."""
    moved = Signal()
    """The user has moved it: not told of what follows a new size or another view."""

    def __init__(self, view: QWidget, room: Callable[[], Size]) -> None:
        super().__init__(view)
        self._view, self._room = view, room
        self._plan: Plan | None = None
        self._camera: Camera | None = None
        self._home = True
        self._chosen: tuple[Camera, Size] | None = None
        self._course: tuple[Camera, Camera] | None = None
        self._glide = QVariantAnimation(self)
        self._glide.setStartValue(0.0)
        self._glide.setEndValue(1.0)
        self._glide.setDuration(GLIDE_MS)
        self._glide.valueChanged.connect(self._on_glide_moved)

    @property
    def camera(self) -> Camera | None:
        """Return where it is looked from; None before there is a machine."""
        return self._camera

    @property
    def home(self) -> bool:
        """Return whether the whole machine is seen, or soon will be."""
        return self._home

    @property
    def gliding(self) -> bool:
        """Return whether it is on its way to another view."""
        return self._glide.state() == QVariantAnimation.State.Running

    def begin(self, plan: Plan) -> None:
        """See all of another machine."""
        self._plan, self._home, self._chosen = plan, True, None
        self.place()

    def place(self) -> None:
        """Fit the camera to the room there is now."""
        if self._plan is None:
            return
        self.rest()
        if self._home or self._chosen is None:
            self._show(fit(self._plan, self._room()))
        else:
            camera, room = self._chosen
            self._show(camera.resized(room, self._room()))

    def go_home(self) -> None:
        """Move to where the whole machine is seen."""
        if self._plan is not None:
            self._home = True
            self._glide_to(fit(self._plan, self._room()))

    def glide(self, target: Camera) -> None:
        """Move to another view."""
        self._home = False
        self._glide_to(target)

    def move(self, camera: Camera) -> None:
        """Look where the pointer leads."""
        self.rest()
        self._home = False
        self._choose(camera)

    def follow(self, other: "Lookout") -> None:
        """Look from where another looks at a like machine; those who follow this one are not told."""
        if self._plan is None or other.camera is None:
            return
        self.rest()
        self._home, self._chosen = other._home, other._chosen
        if other.gliding and self._chosen is not None:
            camera, room = self._chosen
            self._show(camera.resized(room, self._room()))
        else:
            self.place()

    def rest(self) -> None:
        """Stay where it has got on its way."""
        self._glide.stop()

    def _show(self, camera: Camera) -> None:
        self._camera = camera
        self.changed.emit()

    def _choose(self, camera: Camera) -> None:
        self._chosen = camera, self._room()
        self._show(camera)
        self.moved.emit()

    def _glide_to(self, target: Camera) -> None:
        self.rest()
        if self._camera is None or not self._view.isVisible():
            self._choose(target)
            return
        self._course = (self._camera, target)
        self._glide.start()

    def _on_glide_moved(self, part: float) -> None:
        if self._course is not None:
            start, target = self._course
            self._choose(target if part >= 1 else start.between(target, part))
