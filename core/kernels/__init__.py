"""Functions compiled for the machine: how, and where the compiled code is kept."""

from core.kernels.arrays import copy, largest
from core.kernels.kernel import inlined, kernel

__all__ = ["copy", "inlined", "kernel", "largest"]
