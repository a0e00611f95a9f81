"""Errors in the words of the forms: fields of scenario files by the labels that the window shows for them."""

import re
from typing import Any

from core.files.scenario_file import FAMILIES
from core.load.scenario import Scenario
from core.spec import Spec, SpecError, fields_of, members

NODE_LABELS = {
    "hosts": "Host names",
    "allocation": "Job's nodes",
    "down": "Down nodes",
    "cores": "Slots per socket",
}
"""Labels of the fields of a scenario that belong to no choice."""
LABELS = {
    **NODE_LABELS,
    "measure": "Measured figures",
    "minutes": "Planned time",
    "optimise": "Search",
}
ITEMS = {
    "cables": "added cable",
    "faults": "fault",
    "neighbours": "background job",
    "node_steps": "node step",
    "parts": "part",
    "scenes": "scene",
    "snapshots": "snapshot",
    "task_steps": "task step",
}
"""Names of the entries of lists, which the window numbers from 1."""
ENTRY = re.compile(rf"\b({'|'.join(ITEMS)})\[(\d+)\]")
STEP = re.compile(r"([^.\[]*)(?:\[(\d+)\])?\.?")
"""The beginning of the path of a field: a name, perhaps with an index."""


def error_text(error: SpecError, scenario: Scenario | None = None) -> str:
    """Return an error after the label of its field: ``Rows of part 2: must be at least 1``.

    `scenario` is the scenario that the field belongs to, if known. An error about no field is its message alone.
    """
    label = label_of(error.field, scenario)
    return f"{label}: {message_text(error)}" if label else message_text(error)


def cannot_be_shown(error: SpecError) -> str:
    """Return why a scene of a tour cannot be shown."""
    return f"This scene cannot be shown: {error_text(error)}"


def message_text(error: SpecError) -> str:
    """Return the message of an error, with entries of lists by number: ``part 2`` for ``parts[1]``."""
    return ENTRY.sub(lambda match: f"{ITEMS[match[1]]} {int(match[2]) + 1}", error.message)


def label_of(field: str, scenario: Scenario | None = None) -> str:
    """Return the label of a field of a scenario file: ``Dimensions``, ``Nodes of job B``; empty if it has none."""
    head, index, rest = _first(field)
    if head in ("base", "scenario", "vary"):
        return label_of(rest, scenario if head == "vary" else None)
    if head == "neighbours" and index is not None:
        return _of_job(rest, index, scenario)
    if head in ITEMS and index is not None:
        return _within(_label(rest, scenario), f"{ITEMS[head]} {index + 1}")
    if head in FAMILIES:
        return _in_choice(head, rest, getattr(scenario, head, None))
    return LABELS.get(head, "")


def field_label(field: str, spec: Spec) -> str:
    """Return the label of a field of a spec, by its path in it: ``Rows of part 2``, ``Dimensions, entry 2``."""
    name, index, rest = _first(field)
    title = next((declared.title for declared in fields_of(type(spec)) if declared.name == name), _plain(name))
    if name in ITEMS and index is not None:
        parts = getattr(spec, name, ())
        part = parts[index] if index < len(parts) else None
        inner = field_label(rest, part) if rest and isinstance(part, Spec) else _plain(rest)
        return _within(inner, f"{ITEMS[name]} {index + 1}")
    return title if index is None else f"{title}, entry {index + 1}"


def _in_choice(choice: str, field: str, spec: Any) -> str:
    if field in ("", "type"):
        return choice.capitalize()
    if isinstance(spec, Spec):
        return field_label(field, spec)
    # Without the spec: the label that all families with such a field share.
    name = _first(field)[0]
    titles = {
        declared.title
        for family in members(FAMILIES[choice])
        for declared in fields_of(family)
        if declared.name == name
    }
    return titles.pop() if len(titles) == 1 else _plain(name)


def _of_job(field: str, index: int, scenario: Scenario | None) -> str:
    others = scenario.neighbours if scenario is not None else ()
    if scenario is None or index >= len(others):
        return _within(_label(field, None), f"background job {index + 1}")
    head, _, rest = _first(field)
    inner = _in_choice(head, rest, getattr(others[index], head)) if head in FAMILIES else _label(field, None)
    return _within(inner, f"job {scenario.job_names[index + 1]}")


def _label(field: str, scenario: Scenario | None) -> str:
    return "Nodes" if field == "allocation" else label_of(field, scenario) or _plain(_first(field)[0])


def _within(inner: str, outer: str) -> str:
    return f"{inner} of {outer}" if inner else outer[:1].upper() + outer[1:]


def _plain(name: str) -> str:
    words = name.rpartition(".")[2].replace("_", " ")
    return words[:1].upper() + words[1:]


def _first(field: str) -> tuple[str, int | None, str]:
    match = STEP.match(field)
    assert match is not None
    return match[1], None if match[2] is None else int(match[2]), field[match.end() :]
