"""Result of an export to another tool's format, with the information that is lost."""

from typing import NamedTuple


class Exported(NamedTuple):
    """Contents of an exported file."""

    content: str | bytes
    """Text has LF line ends and is written in UTF-8."""
    losses: tuple[str, ...] = ()
    """Parts that the format cannot represent, in a few words each: ``bandwidths``, ``the faults``."""
