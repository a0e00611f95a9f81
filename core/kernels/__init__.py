"""Compiled functions: how they are compiled, and where compiled code is stored."""

from core.kernels.arrays import copy, maximum
from core.kernels.kernel import inlined, kernel, plain
from core.kernels.start_time import STARTED

__all__ = ["STARTED", "copy", "inlined", "kernel", "maximum", "plain"]
