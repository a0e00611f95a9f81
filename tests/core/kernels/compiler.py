"""numba with all that it loads when it compiles for the first time, and nothing of this program."""

import numba


@numba.njit
def _first(x):
    return x + 1


_first(1)
