"""Slurm's host list expressions: ``n[001-003,200],login1``.

Order and duplicates are kept. Source: scontrol of Slurm 22.05, and ClusterShell for names with text after a bracket.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import product

MAX_RANGE = 1 << 18
"""Maximum number of names in one range, and of ranges in one pair of brackets."""
MAX_NAMES = 1 << 22
"""Maximum number of names in all expressions of a file."""
_ITEMS = re.compile(r"(?:[^\s,\[\]]|\[[^\[\]]*\])+")
_BETWEEN = re.compile(r"[\s,]*")
_DIGITS = "0123456789"


class HostListError(ValueError):
    """An invalid expression; the message gives its place, and a valid form."""


def expand(text: str, before: int = 0, most: int = MAX_NAMES) -> list[str]:
    """Return the names of an expression in order; with several brackets, the last varies fastest.

    Parameters
    ----------
    before
        Number of names from the expressions before it in the same file.
    most
        Maximum number of names in the file.

    Raises HostListError: naming the invalid item, or the first item that makes too many names.
    """
    names: list[str] = []
    for item in _items(text):
        brackets = [_range_list(part, item) if part[0] == "[" else [part] for part in _parts(item)]
        count = 1
        for bracket in brackets:
            count *= len(bracket)
        total = before + len(names) + count
        if total > most:
            so_far = f", {total:,} with the previous names" if total > count else ""
            raise HostListError(f"{short(item)} has {count:,} names{so_far}; the limit is {most:,}")
        names += map("".join, product(*brackets))
    return names


def compress(names: Iterable[str]) -> str:
    """Return an expression for names in order, as scontrol writes it: only trailing numbers go into brackets."""
    items: list[str] = []
    prefix, ranges = "", list[_Range]()

    def close() -> None:
        if len(ranges) == 1 and ranges[0].count == 1:
            items.append(f"{prefix}{ranges[0].first}")
        elif ranges:
            items.append(f"{prefix}[{','.join(map(str, ranges))}]")

    for name in names:
        stem = name.rstrip(_DIGITS)
        digits = name[len(stem) :]
        if not digits:
            close()
            items.append(name)
            prefix, ranges = "", []
            continue
        if stem != prefix or not ranges:
            close()
            prefix, ranges = stem, []
        if not (ranges and ranges[-1].take(digits)):
            ranges.append(_Range(digits))
    close()
    return ",".join(items)


class _Range:
    """Consecutive numbers with equally many digits."""

    def __init__(self, first: str) -> None:
        self.first, self.count = first, 1

    def take(self, digits: str) -> bool:
        """Extend the range by a number if it is the next one, with as many digits; return whether it was extended."""
        follows = digits == self._digits(self.count) and self.count < MAX_RANGE
        self.count += follows
        return follows

    def _digits(self, after: int) -> str:
        return f"{int(self.first) + after:0{len(self.first)}d}"

    def __str__(self) -> str:
        return self.first if self.count == 1 else f"{self.first}-{self._digits(self.count - 1)}"


def _items(text: str) -> Iterator[str]:
    at = _end(_BETWEEN, text, 0)
    while at < len(text):
        end = _end(_ITEMS, text, at)
        if end == at or text[end : end + 1] in ("[", "]"):
            rest = text[at:].split(",")[0] if text[end] == "[" else text[at : end + 1]
            raise HostListError(f"{short(rest)}: {_unclosed(text[end])}")
        yield text[at:end]
        at = _end(_BETWEEN, text, end)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _unclosed(mark: str) -> str:
    return "missing ]; write n[1-3]" if mark == "[" else "] without a matching [; write n[1-3]"


def _parts(item: str) -> list[str]:
    return [part for part in re.split(r"(\[[^\]]*\])", item) if part]


def _range_list(bracket: str, item: str) -> list[str]:
    numbers: list[str] = []
    if bracket.count(",") >= MAX_RANGE:
        raise HostListError(f"{short(item)}: more than {MAX_RANGE:,} ranges in brackets")
    for part in bracket[1:-1].split(","):
        match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part)
        if match is None:
            blank = part != part.strip() or " " in part
            what = "spaces inside brackets" if blank else f"{short(part)} is not a number"
            raise HostListError(f"{short(item)}: {what if part else 'missing number in brackets'}; write n[1-3,7]")
        numbers += _numbers(match[1], match[2] or match[1], item)
        if len(numbers) > MAX_NAMES:
            raise HostListError(f"{short(item)}: more than {MAX_NAMES:,} numbers in brackets")
    return numbers


def _numbers(first: str, last: str, item: str) -> list[str]:
    # Longer numbers are not host names, and converting very long ones would take long.
    if max(len(first), len(last)) > 18:
        raise HostListError(f"{short(item)}: a number has more than 18 digits")
    low, high = int(first), int(last)
    if high < low:
        raise HostListError(f"{short(item)}: {first}-{last} runs backwards; write {last}-{first}")
    if high - low >= MAX_RANGE:
        raise HostListError(f"{short(item)}: {high - low + 1:,} names in one range; the limit is {MAX_RANGE:,}")
    return [f"{number:0{len(first)}d}" for number in range(low, high + 1)]


def short(text: str) -> str:
    """Return a name or an item for a message, truncated if long."""
    return text if len(text) <= 40 else text[:39] + "…"
