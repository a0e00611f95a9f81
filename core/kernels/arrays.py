"""Kernels on whole arrays."""

from typing import Any

from numpy.typing import NDArray

from core.kernels.kernel import kernel


@kernel
def copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy the entries of an array to another, both of shape ``(entries,)``.

    ``target[:] = source`` would take two seconds to compile, because of its error messages about shapes.
    """
    for place in range(target.size):
        target[place] = source[place]


@kernel
def maximum(values: NDArray[Any]) -> Any:
    """Return the largest entry of a non-empty array; compiles in a tenth of the time of numpy's own."""
    flat = values.ravel()
    most = flat[0]
    for place in range(1, flat.size):
        most = max(most, flat[place])
    return most
