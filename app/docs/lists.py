"""Pages of presets, machines, studies, file formats and JSON Schemas, from the same tables as `list` and `schema`."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from app.cli.list import Listed, machines, studies
from app.cli.picture import render_file
from app.cli.schema import FILES, output_schema, results_of_commands, schema_of
from app.docs.page import Draw, Page, picture, table
from app.storage.presets import preset, preset_names, preset_title
from app.storage.tours import SUFFIX as TOUR
from app.wording.reference import as_markdown
from core.figures.evaluation import evaluation_of
from core.files import SUFFIX as SCENARIO
from core.formats import FORMATS
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.sweep.study import SUFFIX as STUDY
from core.text import figure

SIZE = 1200, 675
"""Size of a preset's picture, in pixels."""
PARTS = {
    "network": "Networks",
    "job": "Jobs and traces",
    "mapping": "Mappings",
    "routing": "Forwarding tables",
    "counters": "Counters",
    "loads": "Loads of links",
}
"""Headings of the parts of a scenario that files hold."""
ENDINGS = {"scenario": SCENARIO, "study": STUDY, "tour": TOUR}


def pages() -> list[Page]:
    """Return a page for each list."""
    return [_presets(), _machines(), _studies(), _formats(), _schemas()]


def schemas() -> dict[str, dict[str, Any]]:
    """Return all JSON Schemas by the names of their files: of files, and of the outputs of commands."""
    outputs = {_output(command): output_schema(command) for command in results_of_commands()}
    return {kind: schema_of(kind) for kind in FILES} | outputs


def _presets() -> Page:
    parts = [
        "# Presets",
        "Scenarios that come with the program. The window opens them by **File › Presets**, and every command takes "
        "their names instead of a file: `fabriscope evaluate power775-halo`.",
    ]
    pictures: dict[str, Draw] = {}
    for name in preset_names():
        scenario = preset(name)
        pictures[name] = partial(_draw, scenario)
        parts += [
            f"## {as_markdown(preset_title(name))} {{ #{name} }}",
            f"`{name}` · {_result(scenario)}",
            as_markdown(scenario.note),
            picture(name, f"The machine of the preset {name}, links coloured by load"),
        ]
    return Page("lists/presets.md", "Presets", "\n\n".join(parts), pictures)


def _result(scenario: Scenario) -> str:
    report = evaluate(scenario.build())
    result = evaluation_of(report, bounds(report.case, report))
    size = f"{result.tasks:,} tasks on {result.nodes:,} nodes, {result.links:,} links"
    if result.throughput_gbs is None:
        return size
    limit = f", limited by {as_markdown(result.bottleneck)} links" if result.bottleneck else ""
    return f"{size} · **{figure(result.throughput_gbs)} GB/s per node**{limit}"


def _draw(scenario: Scenario, path: Path, theme: str) -> None:
    render_file(scenario, "machine", path, SIZE, theme)


def _machines() -> Page:
    text = [
        "# Machines",
        "Networks of real machines. Every command takes their names as a network, as in "
        '`fabriscope metrics Frontier` or `fabriscope compare "DGX SuperPOD" "TPU v4 pod"`.',
        _listed("Machine", "Network and source", machines()),
    ]
    return Page("lists/machines.md", "Machines", "\n\n".join(text))


def _studies() -> Page:
    text = [
        "# Studies",
        "Studies that come with the program. `fabriscope study NAME --out results.csv` computes one, and the window "
        "lists them under **Study › Studies**.",
        _listed("Study", "Content", studies(), lambda name: f"`{name}`"),
    ]
    return Page("lists/studies.md", "Studies", "\n\n".join(text))


def _listed(head: str, text: str, rows: Iterable[Listed], shown: Callable[[str], str] = as_markdown) -> str:
    return table((head, text), [(shown(row.name), as_markdown(row.summary)) for row in rows])


def _formats() -> Page:
    text = [
        "# File formats",
        "Files are recognised by their content. `fabriscope export FILE --to NAME` writes a format, and "
        "[Save, import and export files](../reference/save-import-and-export-files.md) describes how they are read.",
    ]
    for part, title in PARTS.items():
        rows = [
            (
                f"`{form.id}`",
                as_markdown(form.title or form.called) or "–",
                f"`{form.kind}`: {as_markdown(form.written)}" if form.writer else "–",
            )
            for form in FORMATS
            if form.part == part
        ]
        text += [f"## {title}", table(("Format", "Read", "Written"), rows)]
    return Page("lists/formats.md", "File formats", "\n\n".join(text))


def _schemas() -> Page:
    text = [
        "# JSON Schemas",
        "The schemas describe every field with its unit, bounds and default (draft 2020-12), for editors that complete "
        "and check files, and for programs that read results. `fabriscope schema KIND` and "
        "`fabriscope schema --of COMMAND` print them.",
        "## Files",
        table(("Kind", "Name of the file", "Schema"), [(kind, f"`*{ENDINGS[kind]}`", _schema(kind)) for kind in FILES]),
        "## Output of commands with --json",
        table(("Command", "Schema"), [(f"`{name}`", _schema(_output(name))) for name in results_of_commands()]),
    ]
    return Page("lists/schemas.md", "JSON Schemas", "\n\n".join(text))


def _schema(name: str) -> str:
    return f"[{name}.schema.json](../schemas/{name}.schema.json)"


def _output(command: str) -> str:
    return f"{command}-output"
