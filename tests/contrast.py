"""The distinctness of two colours: the contrast ratio of WCAG 2.2, 1 (equal) to 21 (black on white)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def luminance(rgb: ArrayLike) -> NDArray[np.float64]:
    """Return the relative luminance of sRGB colours, shape ``(..., 3)`` from 0 to 255."""
    part = np.asarray(rgb, float)[..., :3] / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return the contrast ratio of colours, shape ``(...)``."""
    first, second = luminance(a) + 0.05, luminance(b) + 0.05
    return np.asarray(np.maximum(first, second) / np.minimum(first, second))
