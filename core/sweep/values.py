"""Values of a varied path, given as a list or a range of numbers."""

from decimal import Decimal
from typing import Any

import msgspec

from core.spec import SpecError

MAX_VALUES = 1_000_000


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"first": "from", "last": "to"}):
    """Numbers from the first to the last, which is included if it is a multiple of the step from the first."""

    first: int | float
    last: int | float
    step: int | float = 1

    def values(self, field: str) -> list[Any]:
        """Return the numbers, computed in decimal arithmetic, which keeps 0.1, 0.2, 0.3 as written.

        Raises SpecError: under `field`, if the step does not lead from first to last, or there are too many numbers.
        """
        first, last, step = (Decimal(repr(number)) for number in (self.first, self.last, self.step))
        if not step or (last - first) / step < 0:
            raise SpecError(field, f"step {self.step:g} does not lead from {self.first:g} to {self.last:g}")
        count = int((last - first) / step) + 1
        if count > MAX_VALUES:
            raise SpecError(field, f"has more than {MAX_VALUES:,} values, the limit")
        integral = all(isinstance(number, int) for number in (self.first, self.step))
        return [int(value) if integral else float(value) for value in (first + k * step for k in range(count))]


def values_of(field: str, given: Any) -> list[Any]:
    """Return the values of a varied path, in order.

    Raises SpecError: under `field`, if it is neither a list nor a range.
    """
    if isinstance(given, list) and given:
        return given
    try:
        return msgspec.convert(given, Range).values(field)
    except msgspec.ValidationError as error:
        form = 'must be a list of values, or a range {"from": 1, "to": 20, "step": 1}'
        if isinstance(given, dict) and "type" in given:
            raise SpecError(field, f"{form}; put choices in a list: [{{...}}, {{...}}]") from error
        problem = f"; {str(error).replace('`', '')}" if isinstance(given, dict) else ""
        raise SpecError(field, form + problem) from error


def table_value(value: Any) -> Any:
    """Return a value as stored in a table: objects and lists as compact JSON."""
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value
