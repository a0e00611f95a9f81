"""Lines of text that omit their last parts if there is little room."""

from collections.abc import Callable

SEPARATORS = (" · ", ", ", ": ")


def shortened(text: str, width: Callable[[str], float], room: float, separators: tuple[str, ...] = SEPARATORS) -> str:
    """Return as many parts of a text as have room: the last after `` · `` go first, then those after a comma or colon.

    The first part is kept even if it is too wide.
    """
    for separator in separators:
        while separator in text and width(text) > room:
            text = text.rpartition(separator)[0]
    return text
