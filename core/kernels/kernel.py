"""Declaration of kernels: loops over numbers to be compiled.

numba, which takes a quarter of a second to load, is imported when the first kernel is called.
"""

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, ParamSpec, TypeVar, cast

from core.kernels.numba_import import lean_import

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

# Compiled code refers to its dispatcher weakly: two threads must not create two, one of which would vanish.
_making = RLock()


class Kernel:
    """A function that numba compiles when it is first called, from Python or from another kernel."""

    def __init__(self, function: Callable[..., Any], forceinline: bool) -> None:
        update_wrapper(self, function)
        self.function, self.forceinline = function, forceinline
        self._for_python: Any = None
        self._for_kernels: Any = None

    def __call__(self, *given: Any) -> Any:
        """Call the compiled function from Python."""
        return (self._for_python or self.for_python())(*given)

    def for_python(self) -> Any:
        """Return the version for calls from Python."""
        with _making:
            if self._for_python is None:
                with lean_import():
                    from core.kernels.compiled import called_from_python

                self._for_python = called_from_python(self.function)
        return self._for_python

    @property
    def _numba_type_(self) -> Any:
        # numba asks for this when a kernel calls this one.
        with _making:
            if self._for_kernels is None:
                from core.kernels.compiled import called_from_kernels

                self._for_kernels = called_from_kernels(self.function, self.forceinline)
        return self._for_kernels._numba_type_


def kernel(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Declare a function to be compiled; it releases the GIL."""
    return cast(Callable[Given, Answer], Kernel(function, forceinline=False))


def inlined(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Declare a kernel whose code is inlined into the kernels that call it."""
    return cast(Callable[Given, Answer], Kernel(function, forceinline=True))


def plain(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Return a kernel's Python function: for rare calls with few numbers compiling would take longer."""
    # Quoted: this is called in loops, and creating the type takes longer than the rest.
    return cast("Callable[Given, Answer]", cast(Kernel, function).function)
