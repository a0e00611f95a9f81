"""Result of exporting to another tool's format, and what it loses."""

from typing import NamedTuple


class Exported(NamedTuple):
    """Contents of an exported file."""

    content: str | bytes
    """Texts have LF line ends, and are written in UTF-8."""
    losses: tuple[str, ...] = ()
    """What is left out or changed, one clause each: ``bandwidths``, ``parallel links are one``."""
