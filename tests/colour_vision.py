"""Colours as seen with colour vision deficiency, and their differences, by published models."""

import numpy as np

LACKING = {
    # Machado, Oliveira and Fernandes 2009, severity 1; applied to linear RGB.
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
"""From linear sRGB with white point D65."""
WHITE = np.sum(TO_XYZ, axis=1)


def linear(rgb):
    """Convert sRGB, 0 to 255, to linear RGB, 0 to 1, shape ``(..., 3)``."""
    part = np.asarray(rgb, float) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def seen_by(lacking, rgb):
    """Return sRGB as seen with a deficiency, as linear RGB."""
    return np.clip(linear(rgb) @ np.transpose(LACKING[lacking]), 0, 1)


def lab(rgb, lacking="none"):
    """Return CIELAB, shape ``(..., 3)``, of sRGB as seen with a deficiency."""
    part = seen_by(lacking, rgb) @ np.transpose(TO_XYZ) / WHITE
    f = np.where(part > (6 / 29) ** 3, np.cbrt(part), part / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def apart(colour, second, lacking="none"):
    """Return the CIE 1976 difference of colours; 2.3 is just noticeable."""
    return np.linalg.norm(lab(colour, lacking) - lab(second, lacking), axis=-1)
