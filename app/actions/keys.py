"""Shortcuts in texts, taken from the table of commands."""

import re

from app.actions.table import ACTIONS

KEYS = {spec.id: spec.shortcut.replace("; ", " or ") for spec in ACTIONS}
"""By the ids of the commands."""


def with_keys(text: str) -> str:
    """Return a text with ``{key:view.fit}`` replaced by that command's key."""
    return re.sub(r"\{key:([\w.-]+)\}", lambda match: KEYS[match[1]], text)
