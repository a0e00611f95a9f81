"""Functions compiled for the machine: how, and where the compiled code is kept."""

from core.kernels.kernel import inlined, kernel

__all__ = ["inlined", "kernel"]
