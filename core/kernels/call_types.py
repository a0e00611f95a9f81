"""Remembers call types that numba has worked out: it tries dozens of templates, in Python, for each `a + b`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.types.functions import BaseFunction

_function_type: Any = BaseFunction
_work_out = BaseFunction.get_call_type


def _remembered(function: Any, context: Any, args: Any, kws: Any) -> Any:
    call_types = vars(function).setdefault("_known_calls", {})
    call = tuple(args), tuple(kws.items())
    if call not in call_types:
        call_types[call] = _work_out(function, context, args, kws)
    return call_types[call]


@contextmanager
def call_types_remembered() -> Iterator[None]:
    """Work out the types of a call of numba's own functions once for all kernels, which saves a fifth of compiling.

    For kernels only, which all have the same options: with others numba compiles its own functions again.
    """
    before = _function_type.get_call_type
    _function_type.get_call_type = _remembered
    try:
        yield
    finally:
        _function_type.get_call_type = before
