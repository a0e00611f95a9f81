"""Conditions on the points of a study: ``network.d_links <= 4``, ``mapping.type != "random"``.

A condition has two operands and a comparison. A study may come from anybody, so its text is never executed.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from core.files.atomic import shown
from core.spec import SpecError
from core.sweep.paths import PATH, Plain, value_at

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
FORM = re.compile(rf"\s*({PATH})\s*({'|'.join(COMPARISONS)})\s*(.+?)\s*")
CONSTANTS = ("true", "false", "null")


@dataclass(frozen=True)
class Condition:
    """A condition on a point; false if the point lacks one of its fields."""

    field: str
    """The field of the study file that contains it, for messages."""
    path: str
    comparison: str
    other: str | None
    """The path to compare with, or None to compare with the value."""
    value: Any = None

    def holds(self, plain: Plain) -> bool:
        """Return whether the condition holds for a scenario in its file form.

        Raises SpecError: if the two values cannot be compared.
        """
        try:
            left = value_at(plain, self.path)
            two = self.value if self.other is None else value_at(plain, self.other)
        except KeyError:
            return False
        try:
            return COMPARISONS[self.comparison](left, two)
        except TypeError as error:
            both = f"{shown(repr(left))} {self.comparison} {shown(repr(two))}"
            raise SpecError(self.field, f"{both} cannot be compared; give values of the same type") from error


def parse_condition(field: str, text: str) -> Condition:
    """Parse a condition.

    Raises SpecError: under `field`, with an example of a condition.
    """
    form = FORM.fullmatch(text)
    if form is None:
        raise SpecError(field, f'{shown(text)!r} is not a condition; write for example "network.d_links <= 4"')
    path, comparison, side = form.groups()
    if re.fullmatch(PATH, side) and side not in CONSTANTS:
        return Condition(field, path, comparison, side)
    try:
        return Condition(field, path, comparison, None, msgspec.json.decode(side))
    except msgspec.DecodeError as error:
        message = f'{shown(side)!r} is not a number, a quoted text or a path, such as 4, "random" or job.cols'
        raise SpecError(field, message) from error
