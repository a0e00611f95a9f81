"""The scenario in words: each choice, its meaning and the values of its fields."""

import inspect
import re
from collections.abc import Iterator, Sequence

from app.model.scenario_diff import value_text
from app.report.document import Facts, Folded, ReportPart, Section, Table, TableHead, Words
from core.load.scenario import CHOICES, Case
from core.mapping.explicit import SlotList
from core.network.faults import fault_text
from core.spec import Spec, fields_of, from_plain
from core.text import plural
from core.timing import timing_of

TITLE_LETTERS = 5
"""Number of letters by which a title is recognised at the beginning of a sentence."""
MAX_FAULTS, MAX_CABLES, MAX_NAMES = 200, 20, 400
"""Maximum faults and added cables listed, and maximum characters shown of a list of nodes."""
NODE_TITLES = {"allocation": "Nodes of the job", "down": "Nodes that are down", "job_name": "Job name"}
"""Titles of fields on nodes and the job's name."""


def scenario_section(case: Case) -> Section:
    """Return the section on the choices of a scenario."""
    scenario = case.scenario
    specs = [*((choice, getattr(scenario, choice)) for choice in CHOICES), ("timing", timing_of(case))]
    facts: list[tuple[str, Sequence[str]]] = [(name.capitalize(), _chosen(spec)) for name, spec in specs]
    facts += [("Size", [f"{case.size}, {plural(case.network.real_links, 'directed link')}"]), *_places(case)]
    heads = TableHead("Choice", number=False), TableHead("Field", number=False), TableHead("Value", number=False)
    fields = [(name, *row) for name, spec in specs for row in fields_in_words(spec)]
    parts: list[ReportPart] = [
        Facts(facts),
        Folded("All fields and their values", [Table((*heads, TableHead("Meaning", number=False)), fields)]),
    ]
    if scenario.faults:
        listed = [fault_text(fault, case.network) for fault in scenario.faults[:MAX_FAULTS]]
        rest = len(scenario.faults) - len(listed)
        parts.append(Folded("Failed and slowed parts", [Words([*listed, *([f"and {rest:,} more"] if rest else [])])]))
    return Section("scenario", "Scenario", parts)


def _chosen(spec: Spec) -> list[str]:
    name, _ = machine_of(spec)
    return [f"{name}: {spec.title}" if name else spec.title, *choice_in_words(spec)]


def choice_in_words(spec: Spec) -> list[str]:
    """Return a choice in one or two sentences: the summary shown in forms, if it adds anything, and the meaning."""
    summary, meaning = summary_of(spec), meaning_of(spec)
    words_of_meaning = set(re.findall(r"\w+", meaning.lower()))
    return [*([summary] if set(re.findall(r"\w+", summary.lower())) - words_of_meaning else []), meaning]


def summary_of(spec: Spec) -> str:
    """Return the summary of a choice, as shown in forms."""
    line = getattr(spec, "summary", str)()
    return f"{line[:1].upper()}{line[1:]}." if line else ""


def meaning_of(spec: Spec) -> str:
    """Return the first sentence of a choice's documentation, without its title."""
    text = " ".join(inspect.cleandoc(type(spec).__doc__ or "").partition("\n\n")[0].split()).replace("``", "")
    head, colon, rest = text.partition(": ")
    same = spec.title.lower()[:TITLE_LETTERS], spec.tag().replace("-", " ")[:TITLE_LETTERS]
    meaning = rest if colon and head.lower().startswith(same) else text
    return meaning[:1].upper() + meaning[1:]


def machine_of(spec: Spec) -> tuple[str, str]:
    """Return the preset that equals a choice and the source of its numbers; both empty without such a preset."""
    for name, note in spec.preset_notes.items():
        if from_plain({"type": spec.tag(), **spec.presets[name]}, type(spec)) == spec:
            return name, note
    return "", ""


def fields_in_words(spec: Spec) -> Iterator[tuple[str, str, str]]:
    """Yield title, value with unit, and description of each field that has an effect."""
    for field in fields_of(type(spec)):
        value = getattr(spec, field.name)
        if field.name in spec.unused or value is None or value == "":
            continue
        if field.specs is not None:
            text = ", ".join(part.title for part in value)
        elif isinstance(value, SlotList):
            text = plural(len(value), "slot")
        else:
            text = value_text(value)
        shown = field.zero if field.zero and value == 0 else f"{text} {field.unit}".rstrip()
        yield field.title, shown, field.description


def _places(case: Case) -> Iterator[tuple[str, Sequence[str]]]:
    # The allocation, nodes that are down, the job's name and the background jobs.
    scenario = case.scenario
    for name, title in NODE_TITLES.items():
        given = getattr(scenario, name)
        text = ", ".join(given) if isinstance(given, tuple) else given
        if text:
            yield title, [text if len(text) <= MAX_NAMES else f"{text[:MAX_NAMES]} …"]
    for name, neighbour in zip(scenario.job_names[1:], scenario.neighbours, strict=True):
        yield (
            f"Background job {name}",
            [f"{neighbour.job.title}, {neighbour.mapping.title.lower()}", summary_of(neighbour.job)],
        )
    if scenario.cables:
        rest = len(scenario.cables) - MAX_CABLES
        listed = [cable.what(case.network) for cable in scenario.cables[:MAX_CABLES]]
        yield "Added cables", [*listed, *([f"and {rest:,} more"] if rest > 0 else [])]
    if case.faults is not None:
        yield "Faults", [case.faults.named_words()]
