"""The choice of OpenGL interface, made once before the first canvas.

vispy's own covers OpenGL ES 2 only; its alternative, PyOpenGL, takes 0.2 s to import for the two calls added here.
"""

from collections.abc import Callable
from ctypes import c_int, c_uint
from typing import Any

import vispy
from vispy.gloo import gl
from vispy.gloo.gl import gl2

from app.style.opengl import opengl_version

INSTANCING = {
    "glVertexAttribDivisor": (c_uint, c_uint),
    "glDrawArraysInstanced": (c_uint, c_int, c_int, c_int),
}
"""Functions that vispy needs for instanced drawing, with their argument types."""
SINCE = (3, 3)
"""The minimum version of OpenGL that has both functions."""


def instancing_available() -> bool:
    """Return whether the OpenGL interface in use supports instanced drawing.

    vispy makes the same test before it passes a divisor to the driver.
    """
    return all(hasattr(gl, name) for name in INSTANCING)


def use_best_gl() -> None:
    """Select PySide6 for vispy, and instanced drawing where it works; call it before the first canvas.

    Without instanced drawing, visuals repeat their data per vertex. Probing a context needs a ``QGuiApplication``.
    """
    # This drops functions of other interfaces.
    vispy.use(app="pyside6", gl="gl2")
    version = opengl_version()
    if version is not None and version >= SINCE:
        for name, types in INSTANCING.items():
            setattr(gl, name, _found_when_called(name, types))


def _found_when_called(name: str, types: tuple[type, ...]) -> Callable[..., None]:
    # Looked up as vispy does its own functions: on Windows this needs a current context, which exists during the
    # call.
    loaded: list[Any] = []

    def call(*given: int) -> None:
        if not loaded:
            loaded.append(gl2._get_gl_func(name, None, types))
        loaded[0](*given)

    return call
