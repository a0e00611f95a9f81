"""Whether windows can draw by OpenGL, and its version."""

from functools import cache

from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext

Version = tuple[int, int]


@cache
def opengl_version() -> Version | None:
    """Return the OpenGL version of a canvas, (0, 0) for OpenGL ES, or None if no canvas is possible. Cached."""
    if QGuiApplication.platformName() in ("offscreen", "minimal"):
        return None
    surface, context = QOffscreenSurface(), QOpenGLContext()
    surface.create()
    if not (context.create() and context.makeCurrent(surface)):
        return None
    context.doneCurrent()
    return (0, 0) if context.isOpenGLES() else context.format().version()
