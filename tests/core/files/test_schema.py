"""The JSON Schema of scenario files agrees with their reader."""

import json
from importlib.resources import files

import msgspec
import pytest

import resources
from core.files.schema import DRAFT, scenario_schema
from core.load.scenario import UNIONS
from core.network.faults import AnyFault
from core.optimise.method import AnyMethod
from core.optimise.objective import AnyObjective
from core.spec import fields_of, from_plain, members
from core.timing import AnyTiming
from tests.schema_checker import fits

SCHEMA = scenario_schema()
PRESETS = sorted((file for file in (files(resources) / "presets").iterdir() if file.is_file()), key=str)
UNIONS = [*UNIONS.values(), AnyTiming, AnyFault, AnyObjective, AnyMethod]
SPECS = [spec for union in UNIONS for spec in members(union)]


def is_read(plain, spec):
    try:
        from_plain(plain, spec)
    except msgspec.ValidationError:
        return False
    return True


def least(spec):
    """The choice with only its required fields."""
    values = {int: 0, float: 0.5, str: "x", tuple: []}
    needed = {field.name: values[field.kind] for field in fields_of(spec) if field.required}
    return {"type": spec.tag(), **needed}


def tried(field):
    """Values at the bounds of a field, beyond them, and of every kind."""
    bounds = [bound for bound in (field.low, field.high) if bound is not None]
    near = [bound + step for bound in bounds for step in (-1, 0, 1)]
    return [*near, 0.25, 3, -3, "x", "", True, None, [], [1], ["x"], [-1], [0.5], {}, *field.choices]


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name.partition(".")[0])
def test_presets_fit_the_schema(path):
    assert fits(json.loads(path.read_text()), SCHEMA, SCHEMA)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.__name__)
def test_the_schema_accepts_the_values_that_the_reader_accepts(spec):
    own = SCHEMA["$defs"][spec.__name__]
    plain = least(spec)
    assert fits(plain, own, SCHEMA)
    assert is_read(plain, spec)
    assert not fits(plain | {"no such": 1}, own, SCHEMA)
    for field in fields_of(spec):
        for value in tried(field):
            given = plain | {field.name: value}
            assert fits(given, own, SCHEMA) == is_read(given, spec), given


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.__name__)
def test_the_schema_describes_fields_as_declared(spec):
    own = SCHEMA["$defs"][spec.__name__]
    assert own["title"] == (spec.title or spec.tag())
    assert own["properties"]["type"]["enum"] == [spec.tag()]
    for field in fields_of(spec):
        told = own["properties"][field.name]
        assert ("default" in told) != field.required
        assert field.required or fits(told["default"], told, SCHEMA)
        if "title" not in told:  # optional parts are declared inside
            told = next(branch for branch in told["anyOf"] if branch.get("title"))
        assert told.get("unit", "") == field.unit
        assert told.get("description", "") == field.description


@pytest.mark.parametrize(
    "changed",
    [
        {"fabriscope": 2},
        {"network": {"type": "taurus"}},
        {"network": None},
        {"job": {"type": "torus"}},
        {"faults": {}},
        {"faults": [{"type": "link", "src": 0}]},
        {"snapshots": [{"name": "s"}]},
        {"note": 3},
        {"routes": []},
    ],
)
def test_the_schema_refuses_other_content(changed):
    plain = json.loads(PRESETS[0].read_text())
    assert fits(plain, SCHEMA, SCHEMA)
    assert not fits(plain | changed, SCHEMA, SCHEMA)


def test_the_schema_names_its_draft_and_describes_every_field():
    assert SCHEMA["$schema"] == DRAFT
    for name in ("ScenarioFile", "SnapshotFile", "Neighbour"):
        assert all(field["description"] for field in SCHEMA["$defs"][name]["properties"].values())
