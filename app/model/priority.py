"""The order in which widgets are refreshed where not all can be at once."""

from enum import IntEnum, auto


class Priority(IntEnum):
    """What matters most first."""

    POINTER = 0
    """Follows every move of the pointer at once: what is edited."""
    TASKS = auto()
    LINKS = auto()
    BUNDLES = auto()
    CHARTS = auto()
    FORMS = auto()
    WINDOWS = auto()
    """Windows beside the main one."""
