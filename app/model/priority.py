"""Priorities for refreshing widgets that cannot all be refreshed at once."""

from enum import IntEnum, auto


class Priority(IntEnum):
    """Refresh priorities, most urgent first."""

    POINTER = 0
    """The edited view, which follows every move of the pointer at once."""
    TASKS = auto()
    LINKS = auto()
    BUNDLES = auto()
    CHARTS = auto()
    FORMS = auto()
    WINDOWS = auto()
    """Windows other than the main window."""
