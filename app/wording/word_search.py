"""Word search: any order, matches at word starts first, and one typing error if there is no exact match."""

import re
from collections.abc import Sequence

MIN_LOOSE = 4
"""Minimum length of a word that may contain a typing error."""


class WordSearch:
    """Searches texts that each consist of fields, the most important first."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._texts = [[_plain(field) for field in fields] for fields in texts]

    def ranked(self, query: str) -> list[int]:
        """Return the numbers of the texts that have all words of a query, best first.

        A match at the start of a word in the first field ranks highest, then at the start of a word in another field,
        then inside a word. Ties are broken in favour of texts that begin with a word of the query, then of texts that
        contain more of its words in full. If no text has all words, each longer word of the query may have one wrong,
        missing, extra or swapped letter after its first.
        """
        words = _plain(query).split()
        best = self._scored([re.escape(word) for word in words])
        return best or self._scored([_loose(word) for word in words])

    def _scored(self, patterns: list[str]) -> list[int]:
        starts = [re.compile(f" (?:{pattern})") for pattern in patterns]
        inside = [re.compile(pattern) for pattern in patterns]
        entire = [re.compile(f" (?:{pattern})(?= |$)") for pattern in patterns]
        scored = []
        for number, fields in enumerate(self._texts):
            scores = [_score(fields, start, place) for start, place in zip(starts, inside, strict=True)]
            if None not in scores:
                begins = any(start.match(fields[0]) for start in starts)
                partial = sum(not pattern.search(fields[0]) for pattern in entire)
                scored.append((sum(filter(None, scores)), not begins, partial, number))
        return [number for *_, number in sorted(scored)]


def _score(fields: Sequence[str], start: re.Pattern[str], inside: re.Pattern[str]) -> int | None:
    # 0 or 1 for the start of a word in the first or another field, 2 or 3 inside a word; None for no match.
    for base, pattern in ((0, start), (2, inside)):
        for number, field in enumerate(fields):
            if pattern.search(field):
                return base + min(number, 1)
    return None


def _plain(text: str) -> str:
    """Return the words of a text in lower case, each after a space: numbers as ``1024``, sizes as ``8x8x8``."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.lower())
    text = re.sub(r"(?<=\d)\s*[x×]\s*(?=\d)", "x", text)
    return "".join(f" {word}" for word in re.findall(r"[\w%.+]*\w[\w%+]*", text))


def _loose(word: str) -> str:
    """Return a pattern of the words that differ from `word` in one letter after the first."""
    if len(word) < MIN_LOOSE:
        return re.escape(word)
    parts = [re.escape(letter) for letter in word]
    choices = []
    for k in range(1, len(parts)):
        head, tail = "".join(parts[:k]), "".join(parts[k + 1 :])
        choices += [rf"{head}\w?{tail}", rf"{head}\w{parts[k]}{tail}"]
        if tail:
            choices.append(head + parts[k + 1] + parts[k] + "".join(parts[k + 2 :]))
    return "|".join(choices)
