"""Numbers and nouns in texts: counts, figures, times."""

import re
from collections.abc import Collection, Sequence
from itertools import islice

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that control a terminal, end a line or change the writing direction, except tabs and line ends."""
SHOWN = 3
"""Number of names that a note quotes."""
MAX_DIGITS = 12
"""Maximum number of digits of a count that is written in full."""


def figure(value: float, digits: int = 4) -> str:
    """Return a number with `digits` significant digits, whole numbers in full, huge numbers as a power of ten."""
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
    """Return ``links``, ``switches``, ``level 2 copies`` or ``octets of classes``."""
    head, of, members = noun.partition(" of ")
    if of:
        return f"{plural_noun(head)}{of}{members}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("ch", "ss")) else f"{noun}s"


def enumerated(names: Sequence[str]) -> str:
    """Return ``LL``, ``LL and LR`` or ``X, Y and Z``."""
    return " and ".join(([", ".join(names[:-1])] if len(names) > 1 else []) + list(names[-1:]))


def examples(names: Collection[str]) -> str:
    """Return up to three names, and the number of others: ``n1, n2, n3 and 5 others``."""
    some, more = ", ".join(islice(names, SHOWN)), len(names) - SHOWN
    return f"{some} and {plural(more, 'other')}" if more > 0 else some


def first_few(texts: Sequence[str], most: int = 3) -> str:
    """Return ``a, b, c and 37 more``: the first texts, and the number of the others."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def natural_order(name: str) -> list[str | tuple[int, str]]:
    """Return the key that sorts names by the numbers in them: mlx5_9 precedes mlx5_10."""
    parts = enumerate(re.split(r"([0-9]+)", name))
    # Numbers of thousands of digits cannot be converted: the longer one is larger.
    return [(len(digits := part.lstrip("0")), digits) if place % 2 else part for place, part in parts]


def links_of(*classes: str) -> str:
    """Return the links of some classes: ``LR and D links``; ``host links`` for "host link"; ``nvlinks``."""
    names = [f" {name}".removesuffix(" link").strip() for name in classes]
    if len(names) == 1 and names[0].endswith("link"):
        return f"{names[0]}s"
    return f"{enumerated(names)} links".lstrip()


def known_names(name: str, names: Collection[str], noun: str = "choices") -> str:
    """Return alternatives to an unknown name: ``did you mean torus? choices: percs, torus, ...``."""
    return f"{guess(name, names)}{noun}: {', '.join(names)}"


def _in_order(name: str) -> str:
    # Compares words in any order: "Summit-like" matches "Like Summit".
    return " ".join(sorted(name.lower().replace("-", " ").split()))


def guess(name: str, names: Collection[str], count: int = 1) -> str:
    """Return ``did you mean torus? `` with up to `count` known names close to `name`; empty if no name is close."""
    import difflib  # slow to import, rarely needed

    words = {_in_order(known_name): known_name for known_name in names}
    close = difflib.get_close_matches(name, names, count) or [
        words[words_match] for words_match in difflib.get_close_matches(_in_order(name), words, count)
    ]
    return f"did you mean {' or '.join(close)}? " if close else ""


def as_sentence(text: str) -> str:
    """Return a text with a capital first letter and a full stop, unless it ends as a question."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def escaped(text: str) -> str:
    r"""Return a text with all control characters except tabs and line ends in the form ``\u001b``."""
    return CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def control_in(text: str) -> str | None:
    """Return the first control character other than tabs and line ends, as ``U+001B``, or None."""
    match = CONTROL.search(text)
    return f"U+{ord(match[0]):04X}" if match else None
