"""Whether this session's windows can draw by OpenGL, and by which."""

from functools import cache

from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext

Version = tuple[int, int]


@cache
def opengl_version() -> Version | None:
    """Return the version a canvas gets, (0, 0) of OpenGL ES; None: no canvas. Asked once, since the answer stays."""
    if QGuiApplication.platformName() in ("offscreen", "minimal"):
        return None
    surface, context = QOffscreenSurface(), QOpenGLContext()
    surface.create()
    if not (context.create() and context.makeCurrent(surface)):
        return None
    context.doneCurrent()
    return (0, 0) if context.isOpenGLES() else context.format().version()
