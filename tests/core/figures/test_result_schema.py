"""JSON Schemas of the output of commands fit the output."""

import json

import pytest

from app.cli.main import main
from app.cli.schema import FILES, output_schema, results_of_commands, schema_of
from app.storage.presets import preset_text
from app.storage.studies import builtin_study
from app.storage.tours import tour_content
from core.files.schema import DRAFT
from core.spec import SpecError
from tests.schema_checker import fits

SCENARIO = "power775-smallest"
LINE = "--network", "torus:dims=4x4", "--job", "halo:rows=4,cols=4"
PRINTED = {
    "evaluate": (SCENARIO,),
    "explain": (SCENARIO,),
    "explain --flow": (SCENARIO, "--flow", "0:1"),
    "timeline": (SCENARIO,),
    "optimise": (SCENARIO, "--steps", "5"),
    "metrics": ("torus:dims=4x4",),
    "routes": ("--network", "fat-tree:arity=4,levels=2", "--routing", "d-mod-k", "--draws", "2"),
    "routes --deadlock": ("--network", "fat-tree:arity=4,levels=2", "--routing", "d-mod-k", "--deadlock"),
    "resilience": ("--network", "torus:dims=3x3", "--sample", "4"),
    "resilience --curve": (
        "--network",
        "torus:dims=3x3",
        "--sample",
        "2",
        "--curve",
        "2",
        "--draws",
        "2",
        "--against",
        "hypercube:dimensions=4",
    ),
    "compare": ("torus:dims=4x4", "hypercube:dimensions=4"),
    "diff": (SCENARIO, "--mapping", "random"),
    "tour": ("clex-round-by-round",),
    "reproduce": ("clex",),
    "list": ("tours",),
    "study": ("sdr-alpha", "--plan", "--workers", "1"),
    "measured": None,  # needs a file of counters: tests/app/cli/test_measured.py
}
"""Arguments of commands, by command and variant."""


def output(capsys, key):
    assert main([key.partition(" ")[0], *PRINTED[key], "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_command_that_prints_json_is_tried():
    assert {key.partition(" ")[0] for key in PRINTED} == set(results_of_commands())


@pytest.mark.parametrize("key", [key for key, arguments in PRINTED.items() if arguments])
def test_what_a_command_prints_fits_its_schema(key, capsys):
    schema = output_schema(key.partition(" ")[0])
    printed = output(capsys, key)
    assert fits(printed, schema, schema)
    assert not fits("text", schema, schema)


def test_fields_have_descriptions_and_units():
    fields = output_schema("evaluate")["$defs"]["Evaluation"]["properties"]
    assert fields["throughput_gbs"]["unit"] == "GB/s per node"
    assert all(field["description"] for field in fields.values())


@pytest.mark.parametrize("kind", FILES)
def test_files_fit_their_schemas(kind):
    schema = schema_of(kind)
    content = {"scenario": preset_text(SCENARIO), "study": builtin_study("sdr-alpha").content,
               "tour": tour_content("start-here")}[kind]  # fmt: skip
    assert fits(json.loads(content), schema, schema)
    assert not fits({}, schema, schema)


def test_every_schema_has_its_own_identifier():
    schemas = [*map(schema_of, FILES), *map(output_schema, results_of_commands())]
    assert {schema["$schema"] for schema in schemas} == {DRAFT}
    assert len({schema["$id"] for schema in schemas}) == len(schemas)


def test_a_command_without_json_is_refused():
    with pytest.raises(SpecError, match=r"^--of: 'render' prints no JSON; .*commands: "):
        output_schema("render")
