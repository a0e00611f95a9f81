"""The reference as plain text, from the declarations that files, forms and messages use."""

import inspect
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from textwrap import fill
from typing import Any

import resources
from core.figures.reference import PLACEHOLDERS, grouped, meaning, unit_text
from core.files.scenario_file import FAMILIES, SECTIONS, ScenarioFile, describe
from core.files.schema import SEARCHED
from core.spec import Field, Spec, fields_of, members

CHOICES: dict[str, Any] = FAMILIES | SEARCHED
"""Unions by the name of the choice."""
TOPIC_WORDS = SECTIONS | {"objective": "goal of a search", "method": "algorithm of a search"}
FILES, UNITS, FIGURES = "files", "units", "figures"
SPELLED = [choice for choice in CHOICES if choice != "faults"]
"""Choices with a command-line option of their name."""
HEADINGS = {FILES: "Save, import and export files", UNITS: "Read the numbers"}
"""Sections of the reference in which these topics are described."""
CHAPTERS = Path(str(files(resources) / "help"))
"""Folder of the chapters about single values of a choice, and of their figures for light and dark backgrounds."""
INDENT = "  "
PARAGRAPHS = re.compile(r"\n\n|\n(?=- |\d+\. )")
ITEM = re.compile(r"- |\d+\. ")
FIGURE = re.compile(r"!\[(.*)\]\((.*)\)")
SPECIAL = re.compile(r"(`[^`\n]+`)|<|([\\`*_\[\]>|])")
"""Matches a piece of code, or a character with a meaning in Markdown."""


def as_markdown(text: str) -> str:
    """Return plain text, which may have code between backticks, as Markdown for one line or a cell of a table."""
    return SPECIAL.sub(lambda match: match[1] or (f"\\{match[2]}" if match[2] else "&lt;"), text)


def default_text(value: Any, required: bool) -> str:
    """Return a field's default: ``8, 8, 8``, ``true``, ``required``, or a dash for an optional field."""
    if required:
        return "required"
    if isinstance(value, tuple):
        return ", ".join(part.tag() if isinstance(part, Spec) else default_text(part, False) for part in value)
    if isinstance(value, float):
        return f"{value:.12g}"
    return "–" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def all_specs() -> list[tuple[str, type[Spec]]]:
    """Return all specs with the names of their choices; nested specs come last."""
    specs: dict[tuple[str, type[Spec]], None] = {}
    for choice, union in CHOICES.items():
        parts = [field.specs for spec in members(union) for field in fields_of(spec) if field.specs is not None]
        specs |= dict.fromkeys((choice, spec) for union_or_part in (union, *parts) for spec in members(union_or_part))
    return list(specs)


def spec_text(choice: str, spec: type[Spec], width: int) -> str:
    """Return the page of a spec: description, fields, presets, and its short spelling."""
    lines = [f"{choice} {spec.tag()}: {spec.title or spec.tag()}", ""]
    lines += [_filled(part, width) for part in _paragraphs(inspect.cleandoc(spec.__doc__ or ""))]
    for field in fields_of(spec):
        lines += ["", f"{INDENT}{field.name}", _filled(_sentence(describe(field)), width, 2)]
        if field.specs is not None:
            lines.append(
                _filled(f"types: {', '.join(spec_type.tag() for spec_type in members(field.specs))}", width, 2)
            )
        lines.append(f"{2 * INDENT}{_left_out(field)}")
    if choice in SPELLED and spec in members(CHOICES[choice]):
        lines += ["", _hanging("In short: ", f"--{choice} {spelled(spec)}", width)]
    if spec.presets:
        lines += ["", _hanging("Presets: ", presets_text(spec), width)]
    for chapter in chapters(spec.tag()):
        lines += ["", *plain_lines(chapter, width)]
    return "\n".join(lines)


def presets_text(spec: type[Spec]) -> str:
    """Return the names of a spec's presets with their notes."""
    noted = (f"{name} ({spec.preset_notes[name]})" if name in spec.preset_notes else name for name in spec.presets)
    return "; ".join(noted)


def spelled(spec: type[Spec]) -> str:
    """Return the short spelling of a spec with its defaults: ``torus:dims=8,8,8,gbs=0.425``."""
    given = [field for field in fields_of(spec) if field.specs is None and not field.required]
    texts = {f.name: default_text(f.default, False) for f in given if f.default is not None}
    words = [
        f"{f.name}={texts[f.name] if f.kind is str else texts[f.name].replace(' ', '')}"
        for f in given
        if f.name in texts
    ]
    return ":".join(filter(None, (spec.tag(), ",".join(words))))


def _left_out(field: Field) -> str:
    if field.default is None and not field.required:
        return "optional"
    return f"default: {default_text(field.default, False)}" if not field.required else "required"


def choice_text(choice: str, width: int) -> str:
    """Return the page of a choice, with one line per spec."""
    specs = members(CHOICES[choice])
    wide = max(len(spec.tag()) for spec in specs) + 2
    lines = [fill(f"{choice}: {TOPIC_WORDS[choice]}", width), ""]
    for spec in specs:
        what = inspect.cleandoc(spec.__doc__ or "").partition("\n\n")[0]
        lines.append(_hanging(f"{spec.tag():<{wide}}", " ".join(what.split()), width))
    return "\n".join([*lines, "", f"{INDENT}help {choice} {specs[0].tag()} describes one of these."])


def files_text(width: int) -> str:
    """Return the page of the scenario file: its fields, and the section on files."""
    names = ScenarioFile.__struct_fields__
    wide = max(map(len, names)) + 2
    lines = ["files: fields of a scenario, a JSON object", ""]
    lines += [_hanging(f"{name:<{wide}}", TOPIC_WORDS[name], width) for name in names]
    return "\n".join([*lines, "", *plain_lines(_section(FILES), width)])


def units_text(width: int) -> str:
    """Return the page of units: the meaning of figures, and the units of fields."""
    by_unit: dict[str, list[str]] = {}
    for choice, spec in all_specs():
        for field in fields_of(spec):
            if field.unit:
                by_unit.setdefault(field.unit, []).append(f"{choice} {spec.tag()} {field.name}")
    wide = max(map(len, by_unit)) + 2
    rows = [_hanging(f"{unit:<{wide}}", ", ".join(names), width) for unit, names in sorted(by_unit.items())]
    words = plain_lines(_section(UNITS), width)
    return "\n".join(["units: meaning of figures, and units of fields", "", *words, "", *rows])


def figures_text(width: int) -> str:
    """Return the page of figures: the name and meaning of each."""
    lines = ["figures: names and meanings of all figures", "", _filled(PLACEHOLDERS, width)]
    for title, figures in grouped().items():
        lines += ["", f"{INDENT}{title}"]
        for figure in figures:
            unit = f" ({unit_text(figure)})" if figure.unit else ""
            lines += [f"{2 * INDENT}{figure.name}{unit}", _filled(meaning(figure), width, 4)]
    return "\n".join(lines)


def whole_text(width: int) -> str:
    """Return the entire reference, page after page."""
    pages = [files_text(width), units_text(width), figures_text(width)]
    for choice in CHOICES:
        pages.append(choice_text(choice, width))
        pages += [spec_text(choice, spec, width) for name, spec in all_specs() if name == choice]
    return "\n\n\n".join(pages)


def chapters(name: str = "*") -> list[str]:
    """Return the chapters of the reference about single values of a choice, as Markdown; `name` is the value's tag."""
    return [path.read_text(encoding="utf-8") for path in sorted(CHAPTERS.glob(f"{name}.md"))]


def definitions() -> list[tuple[str, str]]:
    """Return the definition of each figure, by name: ``Load of a link``, ``Throughput per node``."""
    texts = []
    for paragraph in PARAGRAPHS.split(_section(UNITS).strip()):
        bold = re.fullmatch(r"- \*\*(.+?)\*\*([\w ]*): (.*)", " ".join(paragraph.split()))
        if bold is not None:
            texts.append((bold[1] + bold[2], bold[3][:1].upper() + bold[3][1:]))
    return texts


def plain_lines(markdown: str, width: int) -> Iterator[str]:
    """Yield a text without Markdown, in lines; figures are named by their files."""
    item: re.Match[str] | None = None
    for paragraph in PARAGRAPHS.split(markdown.strip()):
        # A terminal does not have the window's keys.
        plain = re.sub(r" \(\{key:[^}]*\}\)|\*\*|`|\*(?=\S)|(?<=\S)\*", "", " ".join(paragraph.split()))
        follows, item, figure = item, ITEM.match(plain), FIGURE.match(plain)
        if follows and not item:
            yield ""
        if item:
            yield _hanging(item[0], plain[item.end() :], width)
        elif figure:
            yield from (_filled(f"Figure: {figure[1]}", width), f"{INDENT}{CHAPTERS / figure[2]}")
        elif plain.startswith("|"):
            yield from (*_columns(paragraph), "")
        else:
            yield from (plain.lstrip("# ") if plain.startswith("#") else _filled(plain, width), "")


def _columns(table: str) -> Iterator[str]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|--" not in line]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield (INDENT + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()


def _section(topic: str) -> str:
    # The section of that name in the window's reference.
    help_text = (files(resources) / "help.md").read_text(encoding="utf-8")
    return help_text.partition(f"\n## {HEADINGS[topic]}\n")[2].partition("\n## ")[0]


def _paragraphs(text: str) -> list[str]:
    paragraphs = [" ".join(part.split()).replace("``", "").replace("`", "") for part in text.split("\n\n")]
    return [line for part in paragraphs for line in ("", part)][1:]


def _sentence(text: str) -> str:
    return f"{text}."


def _filled(text: str, width: int, depth: int = 1) -> str:
    return fill(text, width, initial_indent=depth * INDENT, subsequent_indent=depth * INDENT)


def _hanging(head: str, text: str, width: int) -> str:
    return fill(f"{head}{text}", width, initial_indent=INDENT, subsequent_indent=INDENT + " " * len(head))
