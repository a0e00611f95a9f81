"""Tokens of DOT, the language of Graphviz, in time linear in the text.

Names may also hold dots and begin with digits, as many programs write them. Source: graphviz.org, "DOT Language".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.network.formats.parsed_graph import at_line, shown
from core.spec import SpecError

KEYWORDS = frozenset(("node", "edge", "graph", "digraph", "subgraph", "strict"))
TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|^\#[^\n]*)+)
    |(?P<comment>/\*.*?(?P<closed>\*/|\Z))
    |(?P<mark>--|->|[{}\[\];,=:+])
    |(?P<quoted>"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)(?P<end>"?))
    |(?P<word>[\w.]++(?!-[\w.])|-(?:\.\d+|\d+(?:\.\d*)?))
    |(?P<html><)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
SKIPPED = ("space", "comment")
ANGLE = re.compile("[<>]")


class Token(NamedTuple):
    """A mark, a keyword, a name, or the end of the text."""

    line: int
    mark: str = ""
    keyword: str = ""
    """In lower case."""
    name: str | None = None

    @property
    def is_end(self) -> bool:
        """Return whether this is the end of the text."""
        return not self.mark and not self.keyword and self.name is None


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text without spaces and comments, then the end.

    Raises SpecError: naming the line with an error.
    """
    at, line = 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        kind = match.lastgroup if match is not None else None
        if match is None or kind is None:
            raise at_line(line, f"{shown(text[at])} is unexpected; put names with such characters in quotes")
        end = match.end() if kind != "html" else _html_end(text, at, line)
        if kind not in SKIPPED:
            yield _token(kind, match, text[at:end], line)
        elif kind == "comment" and not match["closed"]:
            raise at_line(line, "*/ is missing")
        line += text.count("\n", at, end)
        at = end
    yield Token(line)


def _token(kind: str, match: re.Match[str], text: str, line: int) -> Token:
    if kind == "mark":
        return Token(line, mark=text)
    if kind == "quoted":
        if not match["end"]:
            raise at_line(line, "a quotation mark is missing")
        return Token(line, name=match["text"].replace("\\\n", "").replace('\\"', '"'))
    lower = text.lower() if kind == "word" else ""
    return Token(line, keyword=lower) if lower in KEYWORDS else Token(line, name=text)


def _html_end(text: str, at: int, line: int) -> int:
    depth = 0
    for angle in ANGLE.finditer(text, at):
        depth += 1 if angle[0] == "<" else -1
        if depth == 0:
            return angle.end()
    raise at_line(line, "> is missing")


def unexpected(token: Token, expected: str) -> SpecError:
    """Return the error for a token that does not follow the grammar."""
    words = "the end of the file" if token.is_end else shown(token.mark or token.keyword or token.name or "")
    return at_line(token.line, f"{words} is unexpected; {expected}")
