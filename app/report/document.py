"""The content of a report before it is HTML: sections of paragraphs, tables and places for pictures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar

from app import __version__
from app.storage.record import Record

Rows = Sequence[Sequence[str]]
MAX_OPEN_ROWS = 12
"""Maximum rows of a table that is shown unfolded, or whose rows are stacked on a narrow screen."""
STACKED_COLUMNS = 3
"""Maximum columns of a table that a narrow screen has room for."""


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
    """A column heading."""

    title: str
    unit: str = ""
    number: bool = True
    bar: bool = False
    """Whether bars are drawn in this column."""


@dataclass(frozen=True)
class TableBar:
    """A bar, as a fraction of the full width, with an optional mark."""

    share: float
    colours: tuple[str, str] = ("", "")
    """Colours on a light and on a dark page, as #rrggbb; empty for the accent colour."""
    mark: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows below column headings; `bars` has one bar per row, drawn in the column marked `bar`."""

    kind: ClassVar[str] = "table"

    columns: Sequence[TableHead]
    rows: Rows
    caption: str = ""
    bars: Sequence[TableBar] = ()
    strong: int = -1
    """Index of the emphasised row, or -1 for none."""

    @property
    def stacks(self) -> bool:
        """Return whether narrow screens show each row as a list, which suits few rows with many columns."""
        return len(self.rows) <= MAX_OPEN_ROWS and len(self.columns) > STACKED_COLUMNS


@dataclass(frozen=True)
class SideTables:
    """Tables side by side where there is room, below a common heading."""

    kind: ClassVar[str] = "side-by-side"

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
    """Pictures side by side where there is room, or one below the other if `wide`."""

    kind: ClassVar[str] = "pictures"

    pictures: Sequence[PicturePlace]
    wide: bool = False


@dataclass(frozen=True)
class Code:
    """A command or the content of a file, folded behind `title` unless that is empty."""

    kind: ClassVar[str] = "code"

    text: str
    title: str = ""


@dataclass(frozen=True)
class Folded:
    """Content folded behind a title."""

    kind: ClassVar[str] = "folded"

    title: str
    parts: "Sequence[ReportPart]"


def made_at(now: datetime, digest: str = "") -> str:
    """Return the last line of a page: the program, its version and the time, and the digest of the scenario."""
    source = f" from scenario {digest}" if digest else ""
    return f"Created with Fabriscope {__version__}{source} on {now.day} {now:%B %Y, %H:%M}."


def table_or_folded(title: str, table: Table) -> "Table | Folded":
    """Return the table folded behind `title` or, if it is short, unfolded with `title` as its caption."""
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
    """The throughput and the bottleneck, at the top of the page."""

    number: str
    unit: str
    verdict: str
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Document:
    """The content of a report."""

    title: str
    subtitle: str
    headline: Headline
    sections: Sequence[Section]
    made: str
    """The last line, from `made_at`."""
    note: str = ""
    lead: Sequence[ReportPart] = field(default=())
    """Content before the first section."""
    record: Record | None = None
    """The scenario and its figures, by which `evaluate` checks the document."""

    @property
    def pictures(self) -> Iterator[PicturePlace]:
        """Yield the places of all pictures."""
        for parts in (self.lead, *(section.parts for section in self.sections)):
            for part in parts:
                if isinstance(part, Pictures):
                    yield from part.pictures
