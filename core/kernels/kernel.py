"""The one declaration of how a loop over numbers is compiled.

numba, which takes a quarter of a second to load, is imported when the first kernel is called and not before.
"""

import time
from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

STARTED = time.time()
"""When this program was loaded: of sources that have changed since nobody knows which ones it runs."""
_making = RLock()


class Kernel:
    """A function that numba compiles once it is called, from Python or from another kernel."""

    def __init__(self, function: Callable[..., Any], forceinline: bool) -> None:
        update_wrapper(self, function)
        self.function, self.forceinline = function, forceinline
        self._dispatcher: Any = None

    def __call__(self, *given: Any) -> Any:
        """Call the compiled function."""
        return (self._dispatcher or self.dispatcher)(*given)

    @property
    def dispatcher(self) -> Any:
        """Return what numba makes of the function."""
        # Code that calls a kernel refers to its dispatcher weakly: two threads must not make two, of which one goes.
        with _making:
            if self._dispatcher is None:
                from core.kernels.compiled import dispatcher

                self._dispatcher = dispatcher(self.function, forceinline=self.forceinline)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        # So numba asks for the type of what another kernel calls.
        from numba.core.types import Dispatcher

        return Dispatcher(self.dispatcher)


def kernel(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Declare a function to be compiled; it runs without Python's lock."""
    return cast(Callable[Given, Answer], Kernel(function, forceinline=False))


def inlined(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Declare a kernel whose code is put wherever another kernel calls it."""
    return cast(Callable[Given, Answer], Kernel(function, forceinline=True))
