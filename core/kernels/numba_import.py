"""Imports numba without scipy's linear algebra, which no kernel uses; this saves a quarter of the time."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

WANTED = "scipy.linalg.cython_blas"
"""Module that numba tries to import; without it only np.dot in compiled code is unavailable."""
_ours = False


def nothing_else_uses_numba() -> None:
    """Declare that this process runs a command of the program, without other code, and without importing threads."""
    global _ours
    _ours = True


@contextmanager
def lean_import() -> Iterator[None]:
    """Hide unneeded modules from imports in the block, if this process is the program's own."""
    if not _ours or WANTED in sys.modules:
        yield
        return
    sys.modules[WANTED] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[WANTED]
