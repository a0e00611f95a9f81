"""The content of a report before it is HTML: sections of paragraphs, tables and places for pictures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar

from app import __version__

Rows = Sequence[Sequence[str]]
MAX_OPEN_ROWS = 12
"""Maximum rows of a table that is shown unfolded, and of a table whose rows are stacked on a narrow screen."""
STACKED_COLUMNS = 3
"""Most columns of a table that a narrow screen has room for."""


@dataclass(frozen=True)
class Words:
    """Paragraphs."""

    kind: ClassVar[str] = "words"

    lines: Sequence[str]
    dim: bool = False


@dataclass(frozen=True)
class Facts:
    """Names with values of one or several lines."""

    kind: ClassVar[str] = "facts"

    rows: Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class TableHead:
    """The head of a column."""

    title: str
    unit: str = ""
    number: bool = True
    bar: bool = False
    """Whether bars are drawn in this column."""


@dataclass(frozen=True)
class TableBar:
    """A length relative to the longest, 1, and a mark on its track."""

    share: float
    colours: tuple[str, str] = ("", "")
    """On a light and on a dark page, as #rrggbb; empty for the accent colour."""
    mark: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows below heads; `bars` has one bar per row, drawn in the column marked `bar`."""

    kind: ClassVar[str] = "table"

    columns: Sequence[TableHead]
    rows: Rows
    caption: str = ""
    bars: Sequence[TableBar] = ()
    strong: int = -1
    """The emphasised row; -1 for none."""

    @property
    def stacks(self) -> bool:
        """Return whether narrow screens show each row as a list of its values: few rows of many columns."""
        return len(self.rows) <= MAX_OPEN_ROWS and len(self.columns) > STACKED_COLUMNS


@dataclass(frozen=True)
class SideTables:
    """Tables side by side where there is room, below a common heading."""

    kind: ClassVar[str] = "beside"

    title: str
    tables: Sequence[Table]


@dataclass(frozen=True)
class PicturePlace:
    """The place of a picture."""

    name: str
    """The name of its drawing; see `app.report.drawings`."""
    title: str
    size: tuple[int, int]
    caption: str = ""


@dataclass(frozen=True)
class Pictures:
    """Pictures side by side, where there is room; one below the other if `wide`."""

    kind: ClassVar[str] = "pictures"

    pictures: Sequence[PicturePlace]
    wide: bool = False


@dataclass(frozen=True)
class Code:
    """A command or the content of a file, folded behind the `title` if it has one."""

    kind: ClassVar[str] = "code"

    text: str
    title: str = ""


@dataclass(frozen=True)
class Folded:
    """Content folded behind a title."""

    kind: ClassVar[str] = "folded"

    title: str
    parts: "Sequence[ReportPart]"


def made_at(now: datetime) -> str:
    """Return the last line: the program and the time that made the report."""
    return f"Made by Fabriscope {__version__}, {now.day} {now:%B %Y, %H:%M}."


def table_or_folded(title: str, table: Table) -> "Table | Folded":
    """Return the table folded behind its title or, if it is short, unfolded with the title as caption."""
    return replace(table, caption=f"{title}.") if len(table.rows) <= MAX_OPEN_ROWS else Folded(title, [table])


ReportPart = Words | Facts | Table | SideTables | Pictures | Code | Folded


@dataclass(frozen=True)
class Section:
    """A heading and its content."""

    name: str
    """Its anchor in the page."""
    title: str
    parts: Sequence[ReportPart]


@dataclass(frozen=True)
class Headline:
    """The throughput and its limit, at the top of the page."""

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
    """The program and the time that made it."""
    note: str = ""
    lead: Sequence[ReportPart] = field(default=())
    """Content before the first section."""

    @property
    def pictures(self) -> Iterator[PicturePlace]:
        """Yield the places of all pictures."""
        for parts in (self.lead, *(section.parts for section in self.sections)):
            for part in parts:
                if isinstance(part, Pictures):
                    yield from part.pictures
