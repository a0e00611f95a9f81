"""The choice of OpenGL interface, made once before the first canvas."""

import vispy
from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext
from vispy.gloo import gl


def instancing_available() -> bool:
    """Return whether the OpenGL interface in use can draw many copies of one small mesh.

    This is the very test vispy makes before it hands a divisor to the driver.
    """
    return hasattr(gl, "glVertexAttribDivisor") and hasattr(gl, "glDrawArraysInstanced")


def use_best_gl() -> str:
    """Select PySide6 and the best OpenGL interface for vispy; call it once, before the first canvas.

    Returns
    -------
    str
        ``"gl+"`` where instanced drawing works, else ``"gl2"``, where visuals repeat their data per vertex.

    Raises
    ------
    RuntimeError
        If there is no ``QGuiApplication`` yet: without one no context can be probed.
    """
    if QGuiApplication.instance() is None:
        raise RuntimeError("use_best_gl() needs a QGuiApplication")
    choice = "gl+" if _driver_can_instance() else "gl2"
    vispy.use(app="pyside6", gl=choice)
    return choice


def _driver_can_instance() -> bool:
    """Ask the driver, in a context of the kind a canvas will get, whether PyOpenGL can instance there."""
    surface, context = QOffscreenSurface(), QOpenGLContext()
    surface.create()
    if not (context.create() and context.makeCurrent(surface)):
        return False
    try:
        return _pyopengl_can_instance()
    finally:
        context.doneCurrent()


def _pyopengl_can_instance() -> bool:
    """Return whether PyOpenGL sees the current context and finds the two calls in it.

    PyOpenGL chooses GLX or EGL from the session, Qt from its platform plugin; where the two differ (Qt on
    XWayland) it sees no context, and every call that takes an array would raise.
    """
    try:
        import OpenGL

        # Asking the driver for errors after every call doubles the cost of each; the tests look at pixels instead.
        OpenGL.ERROR_CHECKING = False
        from OpenGL import GL, platform
    except (ImportError, AttributeError, TypeError):
        # PyOpenGL raises the latter two on machines whose GL library it cannot load.
        return False
    has_context = bool(platform.GetCurrentContext())
    return has_context and bool(GL.glVertexAttribDivisor) and bool(GL.glDrawArraysInstanced)
