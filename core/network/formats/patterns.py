"""Regular expressions that users give for names in files."""

import re

from core.network.formats.parsed_graph import shown
from core.spec import SpecError

ESCAPE = re.compile(r"\\.", re.DOTALL)
CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
GROUP = re.compile(r"\((?:\?(?:P<\w+>|<?[=!]|[:>]|[a-zA-Z-]*:?))?([^()]*)\)([*+{]?)")
"""A group without groups inside, and the beginning of its repetition."""
REPEATS = "\0"
"""Stands for a group whose content can match in several ways."""
SEVERAL_WAYS = re.compile(r"[*+?{|\0]")


def compiled(field: str, pattern: str) -> re.Pattern[str]:
    """Compile the regular expression in a field.

    Raises SpecError: if it is invalid, or repeats a group that repeats itself, which can take exponential time.
    """
    try:
        expression = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise SpecError(field, f"{shown(pattern)} is not a regular expression: {error}") from error
    if _nested_repeats(pattern):
        why = "repeats a group that contains *, +, ?, {} or |, which can take very long"
        raise SpecError(field, f"{shown(pattern)} {why}; remove the inner or the outer repetition")
    return expression


def _nested_repeats(pattern: str) -> bool:
    plain = CLASS.sub("x", ESCAPE.sub("x", pattern))
    while group := GROUP.search(plain):
        several = SEVERAL_WAYS.search(group[1]) is not None
        if several and group[2]:
            return True
        plain = f"{plain[: group.start()]}{REPEATS if several else 'x'}{plain[group.end(1) + 1 :]}"
    return False
