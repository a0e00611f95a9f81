"""The report of a study's results: varied fields, the range of each figure, plots, and all points."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtGui import QGuiApplication

from app.panels.studies.results_plot import scatter_of, short_texts
from app.panels.studies.results_table import ResultRows, result_columns, result_text
from app.panels.studies.study_files import LoadedStudy
from app.panels.studies.sweep import SECTIONS
from app.report.document import (
    Code,
    Document,
    Facts,
    Headline,
    PicturePlace,
    Pictures,
    ReportPart,
    Section,
    Table,
    TableHead,
    Words,
    made_at,
)
from app.report.drawings import Drawing, drawing_of
from app.report.page import page_of
from app.report.reproduction import NAME, TITLE, command_line
from app.report.scenario import scenario_section
from app.storage.pictures import Paint
from app.style.theme import Theme
from app.wording.names import title_of
from core.spec import SpecError
from core.sweep.results import UNMEASURED
from core.sweep.study import SUFFIX, Study
from core.sweep.values import table_value, values_of
from core.text import duration, enumerated, figure, plural

MAX_PLOTS, MAX_ROWS, MAX_VALUES = 6, 500, 24
"""Maximum numbers of figures plotted, points in the table, and values listed for a path."""
SIZE = 1032, 420
PLOT = "plot-"
AXES = "Against", "coloured by", "one plot per"


def study_page(loaded: LoadedStudy, source: Path, out: Path) -> bytes:
    """Return the page of results, written to `out`; the command in it reproduces it from `source`."""
    return _page(loaded, source, out, dict(study_drawings(loaded)))


def study_steps(loaded: LoadedStudy, source: Path, out: Path) -> Generator[None, None, Callable[[], bytes]]:
    """Draw the pictures in steps, for the GUI thread, and return a function for the page, callable from any thread."""
    drawings: dict[str, Drawing] = {}
    for name, drawing in study_drawings(loaded):
        drawings[name] = drawing
        yield
    return partial(_page, loaded, source, out, drawings)


def _page(loaded: LoadedStudy, source: Path, out: Path, drawings: Mapping[str, Drawing]) -> bytes:
    command = command_line(["report", str(source), "--out", str(out)])
    name = source.name.removesuffix(SUFFIX).removesuffix(source.suffix)
    return page_of(study_document(loaded, name, command, datetime.now()), drawings)


def study_document(loaded: LoadedStudy, name: str, command: str, now: datetime) -> Document:
    """Return the report of results made at `now`; `command` reproduces it."""
    results = result_rows(loaded)
    study = loaded.study
    figures = [_ranges(results, loaded), *_plots(results, loaded), _points(results)]
    sections = [*_varied(study), *figures, *_base(study), _reproduction(loaded, command)]
    failed = f"{results.failed:,} failed" if results.failed else "None failed"
    missing = "" if study is None or len(study.points) == len(results.rows) else f"; {len(study.points):,} were planned"
    total = sum(row["seconds"] or 0.0 for row in results.rows)
    headline = Headline(
        f"{len(results.rows):,}", "points", f"{failed}{missing}.", [f"Total computing time: {duration(total)}."]
    )
    heads = [results.head(column) for column in varied_of(loaded)]
    note = "" if study is None else study.file.note
    return Document(
        title_of(note) or f"Study of {enumerated(heads) if heads else 'one scenario'}",
        f"{name} · {f'varies {enumerated(list(varied_of(loaded)))}' if heads else 'varies nothing'}",
        headline,
        sections,
        made_at(now),
        note=note.removeprefix(title_of(note)).strip(),
    )


def result_rows(loaded: LoadedStudy) -> ResultRows:
    """Return the rows of results, in the order of their points."""
    results = ResultRows(loaded.columns)
    results.add(loaded.rows)
    results.sort()
    return results


def varied_of(loaded: LoadedStudy) -> tuple[str, ...]:
    """Return the columns that were varied: the paths of the study, else all columns before the first figure."""
    if loaded.study is not None:
        return loaded.study.paths
    names = [name for name in loaded.columns if name not in UNMEASURED]
    return tuple(name for name in names if name.partition(".")[0] in SECTIONS)


def measured_of(loaded: LoadedStudy) -> tuple[str, ...]:
    """Return the columns of figures."""
    apart = {*UNMEASURED, *varied_of(loaded)}
    return tuple(name for name in loaded.columns if name not in apart)


def study_drawings(loaded: LoadedStudy) -> Iterator[tuple[str, Drawing]]:
    """Yield the plots of results with their names; they are drawn by widgets in the GUI thread."""
    results = result_rows(loaded)
    for place, measure in _places(results, loaded):
        yield place.name, drawing_of(place, _paint(results, loaded, measure))


def _axes(results: ResultRows, loaded: LoadedStudy) -> list[str]:
    """Return the columns for x axis, colours and small plots: numbers first, seeds only if nothing else was varied."""
    varied = [name for name in varied_of(loaded) if len({row[name] for row in results.rows}) > 1]
    plain = [name for name in varied if not name.endswith("seed")] or varied
    return sorted(plain, key=lambda name: not results.is_number(name))[: len(AXES)]


def _places(results: ResultRows, loaded: LoadedStudy) -> Iterator[tuple[PicturePlace, str]]:
    varied = _axes(results, loaded)
    recorded = [name for name in measured_of(loaded) if any(row[name] is not None for row in results.rows)]
    caption = ", ".join(f"{word} {results.head(name)}" for word, name in zip(AXES, varied, strict=False))
    for number, measure in enumerate(filter(results.is_number, recorded if varied else [])):
        if number < MAX_PLOTS:
            note = f"{caption}.{_coinciding(results, [measure, *varied])}"
            yield PicturePlace(f"{PLOT}{number}", results.head(measure), SIZE, note), measure


def _coinciding(results: ResultRows, names: Sequence[str]) -> str:
    """Return a sentence on points that lie exactly on others in a plot; empty if none do."""
    measure, x, *others = names
    apart = others[1:2]
    places = Counter(
        tuple(row[name] for name in (measure, x, *apart)) for row in results.rows if row[measure] is not None
    )
    hidden = sum(count - 1 for count in places.values())
    return f" {plural(hidden, 'point')} coincide{'s' * (hidden == 1)} with others." if hidden else ""


def _paint(results: ResultRows, loaded: LoadedStudy, measure: str) -> Callable[[Theme], Paint]:
    varied = _axes(results, loaded)
    names = [measure, *varied, *[""] * (len(AXES) - len(varied))]

    def paint_in(theme: Theme) -> Paint:
        from app.views.charts.scatter_chart import ScatterChart

        chart = ScatterChart()
        chart.dress(theme, QGuiApplication.font())
        chart.show_scatter(scatter_of(results, names, theme), "")
        return chart.paint_to

    return paint_in


def _varied(study: Study | None) -> Iterator[Section]:
    if study is None:
        return
    file = study.file
    facts: list[tuple[str, Sequence[str]]] = []
    for path, given in file.vary.items():
        texts = short_texts([table_value(value) for value in values_of(path, given)])
        more = len(texts) - MAX_VALUES
        facts.append((path, [" · ".join(texts[:MAX_VALUES]) + (f" and {more:,} more" if more > 0 else "")]))
    how = "every combination (product)" if file.combine == "product" else "corresponding values (zip)"
    facts.append(("Combination", [how, *file.where]))
    facts.append(("Figures", [", ".join(file.measure)]))
    if file.optimise is not None:
        ends = [duration(file.optimise.seconds)] if file.optimise.seconds is not None else []
        ends += [plural(file.optimise.steps, "mapping")] if file.optimise.steps is not None else []
        titles = (spec.title.lower() for spec in (file.optimise.objective, file.optimise.method))
        search = f"{', by '.join(titles)}, seed {file.optimise.seed}"
        facts.append(("Search at each point", [f"for {search}, until {' or '.join(ends)}"]))
    yield Section("study", "Varied fields", [Facts(facts)])


def _ranges(results: ResultRows, loaded: LoadedStudy) -> Section:
    titles = ("Figure", "Unit", "Minimum", "At", "Maximum", "At", "Mean")
    heads = [TableHead(title, number=title in ("Minimum", "Maximum", "Mean")) for title in titles]
    rows = []
    for name in measured_of(loaded):
        recorded_rows = [row for row in results.rows if row[name] is not None]
        if not recorded_rows or not results.is_number(name):
            continue
        low, high = (pick(recorded_rows, key=lambda row: row[name]) for pick in (min, max))
        mean = sum(row[name] for row in recorded_rows) / len(recorded_rows)
        title, _, unit = results.head(name).partition(", ")
        ends = [text for row in (low, high) for text in (figure(row[name]), _at(row, results, loaded))]
        rows.append((title, unit, *ends, figure(mean)))
    table = Table(heads, rows)
    return Section("figures", "Range of each figure", [table if rows else Words(["No figure is a number."])])


def _at(row: dict[str, Any], results: ResultRows, loaded: LoadedStudy) -> str:
    return ", ".join(f"{results.head(name)} {result_text(row[name])}" for name in varied_of(loaded))


def _plots(results: ResultRows, loaded: LoadedStudy) -> Iterator[Section]:
    places = [place for place, _ in _places(results, loaded)]
    if places:
        yield Section("plots", "Plots", [Pictures(places, wide=True)])


def _points(results: ResultRows) -> Section:
    columns = result_columns(results)
    heads = []
    for column in columns:
        title, _, unit = column.title.partition(", ")
        heads.append(TableHead(title, unit, number=column.number))
    count = min(len(results.rows), MAX_ROWS)
    rows = [[column.write(column.values[row]) for column in columns] for row in range(count)]
    more = len(results.rows) - count
    caption = f"First {count:,} of {len(results.rows):,} points; the results file has all." if more else ""
    return Section("points", "Points", [Table(heads, rows, caption)])


def _base(study: Study | None) -> Iterator[Section]:
    if study is not None and study.points:
        with suppress(SpecError):
            first = study.scenario(study.points[0]).build()
            section = scenario_section(first)
            yield Section(section.name, "Scenario of the first point", section.parts)


def _reproduction(loaded: LoadedStudy, command: str) -> Section:
    parts: list[ReportPart] = [Code(command)]
    if loaded.study is not None:
        parts.append(Code(loaded.study.content.decode("utf-8", "replace"), f"Study file ({SUFFIX})"))
    return Section(NAME, TITLE, parts)
