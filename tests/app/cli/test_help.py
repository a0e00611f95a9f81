"""`help` and `schema`: the reference on a terminal."""

import json
import textwrap

import pytest

from app.cli.arguments import parse_choice
from app.cli.commands import COMMANDS
from app.cli.main import main
from app.wording.reference import CHOICES, SPELLED, all_specs, spelled
from core.files.schema import scenario_schema
from core.spec import fields_of, members
from core.text import as_sentence


def told(capsys, *arguments):
    assert main([*arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_the_contents_name_every_topic(capsys):
    words = told(capsys, "help").split()
    tags = [spec.tag() for union in CHOICES.values() for spec in members(union)]
    assert {*COMMANDS, *CHOICES, *tags, "files", "units"} <= set(words)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "help"])
def test_a_command_s_page_is_its_help(name, capsys):
    page = told(capsys, "help", name)
    with pytest.raises(SystemExit):
        main([name, "--help"])
    # The page has the same description, after the same usage.
    usage, _, options = capsys.readouterr().out.partition("\n\n")
    assert page.startswith(usage)
    assert page.endswith(options)
    assert as_sentence(COMMANDS[name]) in page.replace("\n", " ")


@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_s_page_lists_what_there_is(choice, capsys):
    page = told(capsys, "help", choice)
    assert all(f"\n  {spec.tag()} " in page for spec in members(CHOICES[choice]))
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.parametrize(("choice", "spec"), all_specs(), ids=lambda spec: getattr(spec, "__name__", spec))
def test_a_tag_s_page_tells_of_each_field(choice, spec, capsys):
    page = told(capsys, "help", choice, spec.tag())
    assert page.startswith(f"{choice} {spec.tag()}: ")
    flat = " ".join(page.split())
    for field in fields_of(spec):
        assert f"\n  {field.name}\n" in page
        assert (field.title if field.choices else " ".join(field.description.split())) in flat
    assert page.strip() in told(capsys, "help", spec.tag())


def test_a_tag_of_two_choices_has_both_pages(capsys):
    page = told(capsys, "help", "random")
    assert page.startswith("job random: ")
    assert "\n\n\nmapping random: " in page


@pytest.mark.parametrize(
    ("choice", "spec"),
    [(choice, spec) for choice in SPELLED for spec in members(CHOICES[choice])],
    ids=lambda spec: getattr(spec, "__name__", spec),
)
def test_what_is_spelled_in_short_is_the_choice_itself(choice, spec):
    if not any(field.required for field in fields_of(spec)):
        assert parse_choice(f"--{choice}", spelled(spec), CHOICES[choice]) == spec()


def test_units_and_files(capsys):
    units, files = told(capsys, "help", "units"), told(capsys, "help", "files")
    assert "\n  GB/s " in units
    assert "network torus gbs" in " ".join(units.split())
    assert "Throughput per node: slots per node ÷ t." in units
    assert all(f"\n  {name} " in files for name in scenario_schema()["$defs"]["ScenarioFile"]["properties"])
    assert "Matrix Market" in " ".join(files.split())
    assert told(capsys, "help", "allocation") == files
    assert "{key:" not in files + units


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        (["tors"], "no such topic: 'tors'; did you mean torus"),
        (["network", "halo"], "no such topic: 'network halo'; did you mean halo"),
        (["evalate"], "no such topic: 'evalate'; did you mean evaluate"),
        (["\x1b[2J"], "no such topic: '?[2J'; see fabriscope help"),
    ],
)
def test_an_unknown_topic_is_one_line_with_what_is_near(topic, words, capsys):
    assert main(["help", *topic]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"fabriscope: help: {words}")


def test_the_schema_is_printed_whole_and_read_as_pages(capsys):
    assert json.loads(told(capsys, "schema", "--json")) == scenario_schema()
    schema = told(capsys, "schema")
    for topic in ("files", "network", "torus", "pause", "portfolio"):
        assert told(capsys, "help", topic) in f"{schema}\n"
    assert textwrap.dedent(schema) == schema
