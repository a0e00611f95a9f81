"""Sizes of type on the stage, which grow with the screen."""

READABLE = 1280, 720
"""Screen size at which type has the scale `READABLE_SCALE`; it grows with the screen, up to `MAX_SCALE`."""
READABLE_SCALE, MAX_SCALE = 1.25, 2.4
TITLE, CAPTION = 1.9, 1.75
"""Type sizes of title and caption, relative to the views'."""


def type_sheet(points: float) -> str:
    """Return style sheet rules for the type sizes of the stage, given the views' in points."""
    sizes = {"QWidget": 1.0, "QLabel[role='stage-title']": TITLE, "QLabel[role='stage-caption']": CAPTION}
    sizes["QLabel[role='keys']"] = sizes["QLabel[role='error']"] = CAPTION
    return "\n".join(f"{name} {{ font-size: {points * size:.1f}pt; }}" for name, size in sizes.items())


def scale_for(width: int, height: int) -> float:
    """Return the scale of type for a stage of that size."""
    return round(min(max(READABLE_SCALE * min(width / READABLE[0], height / READABLE[1]), 1.0), MAX_SCALE), 2)
