"""The rows of dumped forwarding tables, parsed in a kernel: a large fabric has millions."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.routing.tables.forwarding import NO_PORT

Bytes = NDArray[np.uint8]
SPACE, TAB, NEWLINE, RETURN, COLON, ZERO, NINE = (ord(mark) for mark in " \t\n\r:09")
LOWER_X, UPPER_X, UPPER_U, LOWER_A, LOWER_F, UPPER_A, UPPER_F = (ord(mark) for mark in "xXUafAF")
TOO_LARGE = 1 << 20
"""Numbers are capped here."""
NOT_A_ROW = -1
"""Port of a line that is not a row."""


@inlined
def _digit(mark: int) -> int:
    """Return the value of a hexadecimal digit, or -1."""
    if ZERO <= mark <= NINE:
        return mark - ZERO
    if LOWER_A <= mark <= LOWER_F:
        return mark - LOWER_A + 10
    return mark - UPPER_A + 10 if UPPER_A <= mark <= UPPER_F else -1


@inlined
def _after_blanks(text: Bytes, place: int, end: int) -> int:
    while place < end and (text[place] == SPACE or text[place] == TAB):
        place += 1
    return place


@inlined
def _number(text: Bytes, place: int, end: int, base: int) -> tuple[int, int]:
    """Return the number at a place and the place after it; -1 if no number in this base is there."""
    value, start = 0, place
    while place < end:
        digit = _digit(text[place])
        if digit < 0 or digit >= base:
            break
        value = min(value * base + digit, TOO_LARGE)
        place += 1
    return (value if place > start else -1), place


@inlined
def _parsed(text: Bytes, place: int, end: int) -> tuple[int, int]:
    """Return the LID and the port of a line; the port is `NOT_A_ROW` if the line is not a row.

    ``0x0001 005``, followed by a blank and any remark, or ``0x0001 : 005``, or ``0x0003 : UNREACHABLE``.
    """
    place = _after_blanks(text, place, end)
    prefixed = place + 1 < end and text[place] == ZERO and (text[place + 1] == LOWER_X or text[place + 1] == UPPER_X)
    if not prefixed:
        return 0, NOT_A_ROW
    lid, place = _number(text, place + 2, end, 16)
    begun = place
    place = _after_blanks(text, place, end)
    if place < end and text[place] == COLON:
        place = _after_blanks(text, place + 1, end)
    if lid < 0 or place in (begun, end):
        return 0, NOT_A_ROW
    if text[place] == UPPER_U:
        return lid, NO_PORT
    port, place = _number(text, place, end, 10)
    ends = place == end or text[place] == SPACE or text[place] == TAB or text[place] == COLON
    return lid, (port if ends else NOT_A_ROW)


@kernel
def parse_rows(text: Bytes, starts: NDArray[np.int64], lid: NDArray[np.int32], port: NDArray[np.int32]) -> None:
    """Parse the lines that begin at `starts`, which ends with the length of the text.

    `lid` and `port` have a value for each line; the port is `NOT_A_ROW` for lines that are not rows.
    """
    for line in range(starts.size - 1):
        end = starts[line + 1]
        while end > starts[line] and (text[end - 1] == NEWLINE or text[end - 1] == RETURN):
            end -= 1
        lid[line], port[line] = _parsed(text, starts[line], end)
