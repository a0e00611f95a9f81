"""The variable and measurable parts of a scenario, and the study made from these."""

from dataclasses import dataclass, replace
from typing import Any

import msgspec
from msgspec.structs import replace as replace_fields

from app.model.scenario_diff import timing_wanted
from app.widgets.editors import is_long
from core.figures.reference import heading
from core.figures.registry import figures
from core.files import encode
from core.job.job import JobSpec
from core.load.compatibility import has_defaults
from core.load.scenario import UNIONS, Scenario
from core.network.network import NetworkSpec
from core.spec import Field, Spec, SpecError, fields_of, members, to_plain
from core.sweep.study import Study, decode_study
from core.timing import AnyTiming

SECTIONS: dict[str, Any] = {**UNIONS, "timing": AnyTiming}
"""Sections of a scenario that can be varied as units, or field by field."""
TICKS = {entry.figure.name: heading(entry.figure) for entry in figures().values() if entry.figure.ticked}
"""Titles of the figures that can be ticked, by name; others can be typed."""
USUAL = ("throughput_gbs", "bottleneck")
HOSTED = "slots_per_node"
"""The field for the number of tasks per node, which nearly all networks have."""
MAX_POINTS = 100_000


@dataclass(frozen=True)
class SweepRequest:
    """The content of the sweep form."""

    vary: dict[str, list[Any]]
    measure: tuple[str, ...]
    zipped: bool = False
    seconds: float | None = None
    """Time to search for a better mapping at each point, or None for no search."""


def spec_of(scenario: Scenario, section: str) -> Spec:
    """Return the choice of a scenario in a section."""
    return timing_wanted(scenario) if section == "timing" else getattr(scenario, section)


def fields_to_vary(spec: Spec) -> list[Field]:
    """Return the fields with values that can be typed."""
    fields = [field for field in fields_of(type(spec)) if field.name not in spec.unused and field.specs is None]
    return [field for field in fields if not is_long(field)]


def offered_choices(section: str, shown: Spec, *, nodes: int, slots: int) -> dict[str, Spec]:
    """Return the possible choices of a section by title: the current spec, and default specs of the other families.

    Networks have about as many nodes, with as many slots each as now; jobs have a task for each slot.
    """
    choices: dict[str, Spec] = {shown.title: shown}
    for family in members(SECTIONS[section]):
        if has_defaults(family) and family.title not in choices:
            choices[family.title] = _sized(family(), nodes, slots, getattr(shown, HOSTED, 1))
    return choices


def _sized(spec: Spec, nodes: int, slots: int, hosted: int) -> Spec:
    if isinstance(spec, NetworkSpec):
        return replace_fields(spec.sized(nodes), **{HOSTED: hosted}) if hasattr(spec, HOSTED) else spec.sized(nodes)
    return spec.resized(slots) if isinstance(spec, JobSpec) else spec


def plain_choice(spec: Spec) -> dict[str, Any]:
    """Return a spec as in a study file: without defaults."""
    plain = to_plain(spec)
    usual = {field.name: field.default for field in fields_of(type(spec)) if not field.required}
    return {key: value for key, value in plain.items() if key not in usual or getattr(spec, key) != usual[key]}


def study_of(scenario: Scenario, sweep: SweepRequest) -> Study:
    """Return the study of a scenario with its varied fields.

    Raises SpecError: naming the error.
    """
    timed = any(path.partition(".")[0] == "timing" for path in sweep.vary)
    timing = timing_wanted(scenario) if timed else scenario.timing
    plain = replace(scenario, note="", snapshots=(), timing=timing)
    base = msgspec.json.decode(encode(plain, scenario.folder))
    del base["fabriscope"]
    file: dict[str, Any] = {"fabriscope_study": 1, "base": base, "vary": sweep.vary}
    file["combine"] = "zip" if sweep.zipped else "product"
    file["measure"] = list(sweep.measure)
    if sweep.seconds is not None:
        file["optimise"] = {"seconds": sweep.seconds}
    content = msgspec.json.format(msgspec.json.encode(file), indent=2)
    study = decode_study(content, scenario.folder)
    if len(study.points) > MAX_POINTS:
        words = f"the study has {len(study.points):,} points; run at most {MAX_POINTS:,} here, or use fabriscope study"
        raise SpecError("vary", words)
    return study
