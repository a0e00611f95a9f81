"""Pages in Markdown, and their parts: tables, lists of terms, and pictures for light and dark backgrounds."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.style.theme import THEMES

FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) (.*?)(?: \{ #([\w.-]+) \})?$", re.MULTILINE)
"""A heading; group 3 is its anchor, if it is given."""
SHALLOW = re.compile(r"^ {2,3}(?=\S)", re.MULTILINE)
Draw = Callable[[Path, str], None]
"""Draws a picture into a file, in a theme."""


@dataclass(frozen=True)
class Page:
    """A page of the site."""

    path: str
    """Its file, such as ``commands/evaluate.md``."""
    title: str
    """Its name in the navigation."""
    text: str
    """Its content, in Markdown."""
    pictures: dict[str, Draw] = field(default_factory=dict)
    """Its pictures, by their names without an ending."""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def terms(rows: Iterable[tuple[str, str]]) -> str:
    """Return a list of terms and their descriptions, both in Markdown."""
    return "\n\n".join(f"{term}\n:   {description}" for term, description in rows)


def fenced(text: str, language: str = "text") -> str:
    """Return a block of text as it is."""
    return f"```{language}\n{text.rstrip()}\n```"


def picture(name: str, alt: str) -> str:
    """Return a picture, which the site shows in the theme of the reader."""
    return " ".join(f"![{alt}]({name}-{theme}.png#only-{theme})" for theme in THEMES)


def by_heading(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each section of level 2, with its headings one level higher."""
    for section in re.split(r"^## ", markdown, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        yield title.strip(), re.sub(r"^###", "##", text, flags=re.MULTILINE).strip()


def indented(markdown: str) -> str:
    """Return Markdown with parts of list items indented by four blanks, as the site requires."""
    parts = FENCED.split(markdown)
    return "".join(part if part.startswith("```") else SHALLOW.sub("    ", part) for part in parts)


def slug(title: str) -> str:
    """Return a title as the name of a page or of an anchor: ``Read the numbers`` as ``read-the-numbers``."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())
