"""What a report says, before it is a page: sections of words, tables and places for pictures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Words:
    """Paragraphs."""

    kind: ClassVar[str] = "words"

    lines: Sequence[str]
    dim: bool = False


@dataclass(frozen=True)
class Facts:
    """What things are, by their names; of each one line or several."""

    kind: ClassVar[str] = "facts"

    rows: Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class TableHead:
    """The head of a column."""

    title: str
    unit: str = ""
    number: bool = True
    bar: bool = False
    """Whether its cells are numbers of bars."""


@dataclass(frozen=True)
class TableBar:
    """A length relative to the longest, 1, and a mark on its track."""

    share: float
    colours: tuple[str, str] = ("", "")
    """On a light page and on a dark one, as #rrggbb; empty: that of accents."""
    mark: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows below heads. Of what stands in a row `bars` are drawn in the column that is one of bars."""

    kind: ClassVar[str] = "table"

    columns: Sequence[TableHead]
    rows: Rows
    caption: str = ""
    bars: Sequence[TableBar] = ()
    strong: int = -1
    """The row that stands out."""


@dataclass(frozen=True)
class SideTables:
    """Tables side by side, where there is room, below a heading of their own."""

    kind: ClassVar[str] = "beside"

    title: str
    tables: Sequence[Table]


@dataclass(frozen=True)
class PicturePlace:
    """The place of a picture."""

    name: str
    """What is drawn there: see `app.report.drawings`."""
    title: str
    size: tuple[int, int]
    caption: str = ""


@dataclass(frozen=True)
class Pictures:
    """Pictures side by side, where there is room; `wide`: one below the other."""

    kind: ClassVar[str] = "pictures"

    pictures: Sequence[PicturePlace]
    wide: bool = False


@dataclass(frozen=True)
class Code:
    """What is typed, or stands in a file; with a `title` it is folded away behind this."""

    kind: ClassVar[str] = "code"

    text: str
    title: str = ""


@dataclass(frozen=True)
class Folded:
    """What only some want to read."""

    kind: ClassVar[str] = "folded"

    title: str
    parts: "Sequence[ReportPart]"


MAX_OPEN_ROWS = 12
"""Rows up to which a table is shown without being asked for."""


def folded(title: str, table: Table) -> "Table | Folded":
    """Return a table behind its title, or beneath it if it is short."""
    return replace(table, caption=f"{title}.") if len(table.rows) <= MAX_OPEN_ROWS else Folded(title, [table])


ReportPart = Words | Facts | Table | SideTables | Pictures | Code | Folded


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    name: str
    """By which it is found in the page."""
    title: str
    parts: Sequence[ReportPart]


@dataclass(frozen=True)
class Headline:
    """What comes first."""

    number: str
    unit: str
    verdict: str
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    subtitle: str
    headline: Headline
    sections: Sequence[Section]
    made: str
    """With what, and when."""
    note: str = ""
    lead: Sequence[ReportPart] = field(default=())
    """What stands before all sections."""

    @property
    def pictures(self) -> Iterator[PicturePlace]:
        """Yield the places of all pictures."""
        for parts in (self.lead, *(section.parts for section in self.sections)):
            for part in parts:
                if isinstance(part, Pictures):
                    yield from part.pictures
