"""numba without the linear algebra of scipy, which no kernel uses: a quarter less to load."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

WANTED = "scipy.linalg.cython_blas"
"""What numba looks for while it is imported; where it is not found, only compiled code cannot call np.dot."""
_ours = False


def nothing_else_uses_numba() -> None:
    """Declare that this process is a command of the program, without other code, and without threads that import."""
    global _ours
    _ours = True


@contextmanager
def lean_import() -> Iterator[None]:
    """Hide from what is imported meanwhile what it need not load, if this process is the program's own."""
    if not _ours or WANTED in sys.modules:
        yield
        return
    sys.modules[WANTED] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[WANTED]
