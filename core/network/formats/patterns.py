"""Regular expressions that users give for names in files."""

import re
from collections.abc import Iterable
from time import perf_counter

from core.network.formats.parsed_graph import shown
from core.spec import SpecError

MAX_REPEATS = 6
"""Repetitions in a pattern; each multiplies the time by the length of a name."""
MAX_LENGTH = 128
"""Characters of a name that patterns see."""
MAX_SECONDS = 5.0

ESCAPE = re.compile(r"\\.", re.DOTALL)
CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
GROUP = re.compile(r"\((?:\?(?:P<\w+>|<?[=!]|[:>]|[a-zA-Z-]*:?))?([^()]*)\)([*+{]?)")
"""A group without groups inside, and the beginning of its repetition."""
REPEATS = "\0"
"""Stands for a group whose content can match in several ways."""
SEVERAL_WAYS = re.compile(r"[*+?{|\0]")


def compiled(field: str, pattern: str) -> re.Pattern[str]:
    """Compile the regular expression in a field.

    Raises SpecError: if it is invalid, or could take very long: if it has many repetitions, or nested ones.
    """
    try:
        expression = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise SpecError(field, f"{shown(pattern)} is not a regular expression: {error}") from error
    plain = CLASS.sub("x", ESCAPE.sub("x", pattern))
    if _nested_repeats(plain):
        why = "repeats a group that contains *, +, ?, {} or |, which can take very long"
        raise SpecError(field, f"{shown(pattern)} {why}; remove the inner or the outer repetition")
    if sum(map(plain.count, "*+{")) > MAX_REPEATS:
        raise SpecError(field, f"{shown(pattern)} has more than {MAX_REPEATS} repetitions (*, + or {{}})")
    return expression


def searched(field: str, expression: re.Pattern[str], names: Iterable[str]) -> list[re.Match[str] | None]:
    """Return the first match in each name, or None.

    Raises SpecError: if this takes longer than `MAX_SECONDS`.
    """
    matches, start = list[re.Match[str] | None](), perf_counter()
    for name in names:
        matches.append(expression.search(name, 0, MAX_LENGTH))
        if perf_counter() - start > MAX_SECONDS:
            raise SpecError(field, f"{shown(expression.pattern)} takes very long; use fewer repetitions (*, + or {{}})")
    return matches


def _nested_repeats(plain: str) -> bool:
    while group := GROUP.search(plain):
        several = SEVERAL_WAYS.search(group[1]) is not None
        if several and group[2]:
            return True
        plain = f"{plain[: group.start()]}{REPEATS if several else 'x'}{plain[group.end(1) + 1 :]}"
    return False
