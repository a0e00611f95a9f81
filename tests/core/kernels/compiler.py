"""numba with all modules that it loads when it first compiles, and no module of this program."""

import numba


@numba.njit
def _first(x):
    return x + 1


_first(1)
