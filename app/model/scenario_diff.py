"""Short descriptions of what differs between two scenarios, for the history."""

from typing import Any

from app.wording.names import in_sentence
from core.load.scenario import Scenario
from core.mapping.explicit import Explicit
from core.network import NetworkSpec
from core.spec import Field, Spec, fields_of
from core.text import enumerated, plural
from core.timing import default_timing

NODES = {
    "hosts": "host names",
    "cores": "sockets",
    "allocation": "job's nodes",
    "down": "down nodes",
    "neighbours": "background jobs",
    "background": "background loads",
    "job_name": "job name",
    "job_colour": "job colour",
    "measured": "counters",
}
"""Descriptions of changes of nodes, jobs and counters, by field of the scenario."""

COUNTED = {"cables": "added cable", "faults": "fault"}
"""Names of the entries of lists whose numbers of entries describe a change, by field of the scenario."""


def change_between(before: Scenario, after: Scenario) -> tuple[str, str]:
    """Return a description of the change, as ``D-links per pair 4 → 8``, and its topic: the fields concerned."""
    changed = after.changed_choices(before)
    parts = [_change_of(choice, getattr(before, choice), getattr(after, choice)) for choice in changed]
    if before.timing != after.timing:
        parts.append(_change_of("timing", timing_wanted(before), timing_wanted(after)))
        changed.append("timing")
    parts += [(words, name) for name, words in NODES.items() if _differ(before, after, name)]
    parts += _counted(before, after)
    if not parts:
        return "nothing", ""
    name = parts[0][0] if len(parts) == 1 else f"{parts[0][0]}, and {enumerated(changed[1:]) or 'faults'} adapted"
    return name, " ".join(topic for _, topic in parts)


def requested_name(before: Scenario, after: Scenario) -> str:
    """Return the name of a request that follows another: ``Indirect routing`` or ``D-links per pair 4 → 8``.

    For another kind of network this is its title only, since all other choices are adapted to it.
    """
    if type(before.network) is not type(after.network):
        return after.network.title
    changed = after.changed_choices(before)
    parts = [_requested(choice, getattr(before, choice), getattr(after, choice)) for choice in changed]
    if before.timing != after.timing:
        parts.append(_change_of("timing", timing_wanted(before), timing_wanted(after))[0])
    parts += [words for name, words in NODES.items() if _differ(before, after, name)]
    parts += [words for words, _ in _counted(before, after)]
    name = ", ".join(parts) or "loads"
    return f"{name[:1].upper()}{name[1:]}"


def _differ(before: Scenario, after: Scenario, name: str) -> bool:
    return bool(getattr(before, name) != getattr(after, name))


def _counted(before: Scenario, after: Scenario) -> list[tuple[str, str]]:
    changed = [name for name in COUNTED if _differ(before, after, name)]
    return [(plural(len(getattr(after, name)), COUNTED[name]), name) for name in changed]


def _requested(choice: str, old: Spec, new: Spec) -> str:
    if isinstance(new, Explicit):
        return "edited mapping"
    if type(old) is type(new):
        return _change_of(choice, old, new)[0]
    return f"{new.title} {choice}" if choice in ("mapping", "routing") else new.title


def _change_of(choice: str, old: Spec, new: Spec) -> tuple[str, str]:
    if type(old) is not type(new):
        return f"{choice} {titled(old)} → {titled(new)}", choice
    fields = [field for field in fields_of(type(new)) if getattr(old, field.name) != getattr(new, field.name)]
    if isinstance(new, Explicit) and "slots" in (field.name for field in fields):
        return "mapping edited", "mapping.slots"
    texts = [_field(field, getattr(old, field.name), getattr(new, field.name)) for field in fields]
    return ", ".join(texts), " ".join(f"{choice}.{field.name}" for field in fields)


def _field(field: Field, old: Any, new: Any) -> str:
    if field.specs is None:
        return f"{field.title} {value_text(old)} → {value_text(new)}"
    name = field.title.lower()
    if len(old) != len(new):
        return f"{len(old):,} → {len(new):,} {name}"
    differing = [k for k in range(len(new)) if old[k] != new[k]]
    if len(differing) > 1:
        return f"{name} reordered" if set(old) == set(new) else f"{len(differing):,} {name} changed"
    k = differing[0]
    part = f"{name.removesuffix('s')} {k + 1}"
    words, _ = _change_of(part, old[k], new[k])
    return words if words.startswith(part) else f"{part}: {words}"


def titled(spec: Spec) -> str:
    """Return the title of a choice for a sentence, without its note in parentheses; networks keep their capital."""
    title = spec.title.partition(" (")[0]
    return title if isinstance(spec, NetworkSpec) else in_sentence(title)


def distinguishing_name(scenario: Scenario, other: Scenario) -> str:
    """Return a name by which a scenario differs from another: its differing choices, or else the mapping."""
    changed = scenario.changed_choices(other)
    if not changed and scenario.timing != other.timing:
        return _word(timing_wanted(scenario), timing_wanted(other))
    return " + ".join(_word(getattr(scenario, choice), getattr(other, choice)) for choice in changed or ["mapping"])


def is_edit(before: Scenario | None, after: Scenario | None) -> bool:
    """Return whether two scenarios are equal or differ only in the mapping, which is explicit in at least one."""
    if before is None or after is None or before.with_choice("mapping", after.mapping) != after:
        return False
    return before.mapping == after.mapping or any(
        isinstance(scenario_or_none.mapping, Explicit) for scenario_or_none in (before, after)
    )


def alike(scenario: Scenario, other: Scenario) -> bool:
    """Return whether times of two scenarios are comparable: at most one choice and not the kind of job differs."""
    changed = scenario.changed_choices(other)
    return len(changed) <= 1 and (changed != ["job"] or type(scenario.job) is type(other.job))


def timing_wanted(scenario: Scenario) -> Spec:
    """Return a scenario's timing, or the default if it has none."""
    return scenario.timing or default_timing(scenario.job)


def _word(spec: Spec, other: Spec) -> str:
    fields = fields_of(type(spec)) if type(spec) is type(other) else ()
    differing = [
        field for field in fields if getattr(spec, field.name) != getattr(other, field.name) and field.specs is None
    ]
    values = [getattr(spec, field.name) for field in differing]
    numbers = [
        f"{field.title} {value_text(value)} {field.unit}".rstrip()
        for field, value in zip(differing, values, strict=True)
    ]
    return next((value for value in values if isinstance(value, str)), (numbers or [titled(spec)])[0])


def value_text(value: Any) -> str:
    """Return the value of a field as short text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return " × ".join(map(value_text, value)) if len(value) <= 4 else f"{len(value):,} values"
    if isinstance(value, float):
        return f"{value:,.12g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
