"""Numbers and nouns in texts: counts, figures, times."""

import re
from collections.abc import Collection

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that control a terminal, end a line or turn the direction of writing; not tabs, line feeds and returns."""
MAX_DIGITS = 12
"""Digits of counts that are written in full; larger ones are given as a power of ten."""


def figure(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits, whole numbers in full, huge ones as a power of ten."""
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-6:
        return f"{value:.{digits}g}"
    if abs(value) >= 10 ** (digits - 1) - 0.05:
        return f"{value:,.0f}"
    text = f"{value:,.{digits}g}"
    return f"{value:.10f}".rstrip("0").rstrip(".") if "e" in text else text


def duration(seconds: float, digits: int = 4) -> str:
    """Return a time: ``62.5 ms``, ``1.75 s``, ``6,940 s``, ``12.5 days``."""
    if seconds >= 1e6:
        return f"{figure(seconds / 86_400, digits)} days"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * (1 - 0.5 / 10**digits):
            return f"{figure(seconds / size, digits)} {unit}"
    return f"{figure(seconds * 1e9, digits)} ns" if seconds else "0 s"


def counted(number: int) -> str:
    """Return a count, in full up to 12 digits: ``98,304``, ``more than 10^12``."""
    return f"{number:,}" if number <= 10**MAX_DIGITS else f"more than 10^{MAX_DIGITS}"


def plural(count: float, noun: str) -> str:
    """Return ``1 link``, ``7,168 links`` or ``2.5 pairs``."""
    number = counted(count) if isinstance(count, int) else figure(count)
    return f"{number} {noun if count == 1 else plural_noun(noun)}"


def plural_noun(noun: str) -> str:
    """Return ``links``, ``switches`` or ``level 2 copies``."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def known_names(name: str, known: Collection[str]) -> str:
    """Return alternatives to an unknown name: ``did you mean torus? known: percs, torus, ...``."""
    return f"{guess(name, known)}known: {', '.join(known)}"


def _in_order(name: str) -> str:
    # Summit-like is Like Summit.
    return " ".join(sorted(name.lower().replace("-", " ").split()))


def guess(name: str, known: Collection[str], count: int = 1) -> str:
    """Return ``did you mean torus? `` with at most so many known names close to an unknown one; empty if none is."""
    import difflib  # slow to import, rarely needed

    words = {_in_order(one): one for one in known}
    close = difflib.get_close_matches(name, known, count) or [
        words[one] for one in difflib.get_close_matches(_in_order(name), words, count)
    ]
    return f"did you mean {' or '.join(close)}? " if close else ""


def escaped(text: str) -> str:
    r"""Return a text with every control character but tabs and line ends in the form ``\u001b``."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def control_in(text: str) -> str | None:
    """Return the first control character, as ``U+001B``; None: there is none. Tabs and line ends are not reported."""
    found = CONTROL.search(text)
    return f"U+{ord(found[0]):04X}" if found else None
