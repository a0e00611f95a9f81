"""What differs between two scenarios, in the few words of a line in the history."""

from typing import Any

from core.load.scenario import Scenario
from core.mapping.explicit import Explicit
from core.network import NetworkSpec
from core.spec import Spec, fields_of
from core.timing import BarrierTiming


def change(before: Scenario, after: Scenario) -> tuple[str, str]:
    """Return what changed, as ``D-links per pair 4 → 8``, and the topic: the field or fields concerned."""
    changed = after.changed_choices(before)
    parts = [_one(choice, getattr(before, choice), getattr(after, choice)) for choice in changed]
    if before.timing != after.timing:
        parts.append(_one("timing", timing_wanted(before), timing_wanted(after)))
        changed.append("timing")
    if before.faults != after.faults:
        parts.append((f"{len(after.faults):,} faults", "faults"))
    if not parts:
        return "nothing", ""
    name = parts[0][0] if len(parts) == 1 else f"{parts[0][0]}, and {' and '.join(changed[1:]) or 'faults'} to fit"
    return name, " ".join(topic for _, topic in parts)


def _one(choice: str, old: Spec, new: Spec) -> tuple[str, str]:
    if type(old) is not type(new):
        return f"{choice} {titled(old)} → {titled(new)}", choice
    fields = [field for field in fields_of(type(new)) if getattr(old, field.name) != getattr(new, field.name)]
    if isinstance(new, Explicit):
        return Explicit.title.lower(), "mapping.slots"
    texts = [
        f"{field.title} {_value(getattr(old, field.name))} → {_value(getattr(new, field.name))}" for field in fields
    ]
    return ", ".join(texts), " ".join(f"{choice}.{field.name}" for field in fields)


def titled(spec: Spec) -> str:
    """Return a choice as it is called within a line: names of networks are names, all others are words."""
    return spec.title if isinstance(spec, NetworkSpec) else spec.title.lower()


def distinguishing_name(scenario: Scenario, other: Scenario) -> str:
    """Return what tells a scenario from another: the choice that differs, or the word in it; else the mapping."""
    changed = scenario.changed_choices(other)
    if not changed and scenario.timing != other.timing:
        return _word(timing_wanted(scenario), timing_wanted(other))
    choice = changed[0] if len(changed) == 1 else "mapping"
    return _word(getattr(scenario, choice), getattr(other, choice))


def timing_wanted(scenario: Scenario) -> Spec:
    """Return a scenario's timing, also where it names none."""
    return scenario.timing or BarrierTiming()


def _word(spec: Spec, other: Spec) -> str:
    names = [f.name for f in fields_of(type(spec))] if type(spec) is type(other) else []
    differing = [getattr(spec, name) for name in names if getattr(spec, name) != getattr(other, name)]
    return next((value for value in differing if isinstance(value, str)), titled(spec))


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return " × ".join(map(_value, value)) if len(value) <= 4 else f"{len(value):,} values"
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
