"""The order in which widgets are refreshed where not all can be at once."""

from enum import IntEnum, auto


class Priority(IntEnum):
    """Refresh priorities, most urgent first."""

    POINTER = 0
    """Follows every move of the pointer at once: the view being edited."""
    TASKS = auto()
    LINKS = auto()
    BUNDLES = auto()
    CHARTS = auto()
    FORMS = auto()
    WINDOWS = auto()
    """Other windows than the main one."""
