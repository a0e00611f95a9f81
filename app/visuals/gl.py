"""The choice of OpenGL interface, made once before the first canvas.

vispy's own is that of OpenGL ES 2, and with PyOpenGL everything: a fifth of a second to load for the two calls here.
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
"""What vispy calls to draw many copies of one small mesh, under these names, and the types of what it is given."""
SINCE = (3, 3)
"""The version of OpenGL that has both."""


def instancing_available() -> bool:
    """Return whether the OpenGL interface in use can draw many copies of one small mesh.

    This is the very test vispy makes before it hands a divisor to the driver.
    """
    return all(hasattr(gl, name) for name in INSTANCING)


def use_best_gl() -> None:
    """Select PySide6 for vispy, and instanced drawing where it works; call it before the first canvas.

    Where it does not, visuals repeat their data per vertex. There must be a ``QGuiApplication``, to probe a context.
    """
    # It forgets the calls of any other interface.
    vispy.use(app="pyside6", gl="gl2")
    version = opengl_version()
    if version is not None and version >= SINCE:
        for name, types in INSTANCING.items():
            setattr(gl, name, _found_when_called(name, types))


def _found_when_called(name: str, types: tuple[type, ...]) -> Callable[..., None]:
    # As vispy finds its own: on Windows it takes a context to ask in, and there is one when it is called.
    found: list[Any] = []

    def call(*given: int) -> None:
        if not found:
            found.append(gl2._get_gl_func(name, None, types))
        found[0](*given)

    return call
