"""Types of calls are determined once for all kernels, and equal the types that numba determines for each."""

import numba
import numpy as np
import pytest
from numba.core.types.functions import BaseFunction

from core.kernels import call_types
from core.kernels.code_cache import KernelCache
from core.kernels.kernel import kernel


def mean_of_squares(values):
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[i]
    return total / len(values)


def mean_of_products(values):
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[-i - 1]
    return total / len(values)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(KernelCache, "load_overload", lambda *given: None)
    monkeypatch.setattr(KernelCache, "save_overload", lambda *given: None)


def test_a_second_kernel_reuses_the_call_types_of_the_first(monkeypatch):
    worked_out, plain = [], call_types._work_out

    def counted(function, context, args, kws):
        worked_out.append((function, tuple(args)))
        return plain(function, context, args, kws)

    monkeypatch.setattr(call_types, "_work_out", counted)
    values = np.array([3.0, 4.0, 5.0, 7.5])
    assert kernel(mean_of_squares)(values) == mean_of_squares(values)
    assert worked_out
    worked_out.clear()
    assert kernel(mean_of_products)(values) == mean_of_products(values)
    # The second has negative numbers besides; no product, sum or quotient is repeated.
    assert {function.typing_key.__name__ for function, _ in worked_out} <= {"neg", "sub"}


def test_other_code_is_compiled_by_numba_as_usual():
    plain = BaseFunction.get_call_type
    seen = []

    @numba.extending.overload(mean_of_squares)
    def compiled(values):
        seen.append(BaseFunction.get_call_type)
        return mean_of_squares

    def called(values):
        return mean_of_squares(values)

    assert numba.njit(called)(np.array([2.0])) == 4.0
    assert kernel(called)(np.array([2.0])) == 4.0
    assert seen[0] is plain
    assert BaseFunction.get_call_type is plain
