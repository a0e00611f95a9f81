"""Message sizes, in bytes or as a share of a task's unit."""

from fractions import Fraction
from math import gcd
from typing import Annotated, NamedTuple

from core.job.measure import MEASURES, UNITS, Measure
from core.spec import declare

BYTES_PER_GB = 10**9

MESSAGE_SIZE = "Message size"
ONE_UNIT = "(default: one unit in total per task)"

MessageBytes = Annotated[
    float, declare(MESSAGE_SIZE, "size of the message, vector or block", unit="bytes", gt=0, le=1e18)
]
"""The declaration of every message size."""
OwnBytes = (
    Annotated[float, declare(MESSAGE_SIZE, f"size of each message {ONE_UNIT}", unit="bytes", gt=0, le=1e18)] | None
)
"""The declaration of an optional size in patterns that count units."""


class MessageSize(NamedTuple):
    """Size of a pattern's messages, and the measure of its job."""

    volume: float
    """In GB, or in units."""
    quantum: Fraction
    unit: bool
    """Whether each task sends one unit in total."""
    measure: Measure

    @classmethod
    def of(cls, message_bytes: float | None, share: Fraction) -> "MessageSize":
        """Return the given size, or, if None, a share of a task's unit."""
        if message_bytes is None:
            return cls(float(share), share, True, UNITS)
        return cls(message_bytes / BYTES_PER_GB, Fraction(message_bytes) / BYTES_PER_GB, False, MEASURES["MB"])


def common_quantum(a: Fraction, b: Fraction) -> Fraction:
    """Return the largest number that divides both."""
    return Fraction(gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)
