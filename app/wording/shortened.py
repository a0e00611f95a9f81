"""Lines of text that omit their last parts if they do not fit."""

from collections.abc import Callable

SEPARATORS = (" · ", ", ", ": ")


def shortened(text: str, width: Callable[[str], float], room: float, separators: tuple[str, ...] = SEPARATORS) -> str:
    """Return the parts of a text that fit: parts after `` · `` are dropped first, then parts after a comma or colon.

    The first part is kept even if it is too wide.
    """
    for separator in separators:
        while separator in text and width(text) > room:
            text = text.rpartition(separator)[0]
    return text
