"""`help` and `schema`: the reference on a terminal."""

import json
import re
import textwrap
from pathlib import Path

import pytest

from app.cli.arguments import parse_choice
from app.cli.commands import COMMANDS
from app.cli.main import main
from app.wording.reference import CHOICES, SPELLED, all_specs, spelled
from core.files.schema import scenario_schema
from core.spec import fields_of, members
from core.text import as_sentence


def printed(capsys, *arguments):
    assert main([*arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_the_contents_name_every_topic(capsys):
    words = printed(capsys, "help").split()
    tags = [spec.tag() for union in CHOICES.values() for spec in members(union)]
    assert {*COMMANDS, *CHOICES, *tags, "files", "units"} <= set(words)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "help"])
def test_the_page_of_a_command_is_its_help(name, capsys):
    page = printed(capsys, "help", name)
    with pytest.raises(SystemExit):
        main([name, "--help"])
    # The page has the same description, after the same usage.
    usage, _, options = capsys.readouterr().out.partition("\n\n")
    assert page.startswith(usage)
    assert page.endswith(options)
    assert as_sentence(COMMANDS[name]) in page.replace("\n", " ")


@pytest.mark.parametrize("choice", CHOICES)
def test_the_page_of_a_choice_lists_its_values(choice, capsys):
    page = printed(capsys, "help", choice)
    assert all(f"\n  {spec.tag()} " in page for spec in members(CHOICES[choice]))
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.parametrize(("choice", "spec"), all_specs(), ids=lambda spec: getattr(spec, "__name__", spec))
def test_the_page_of_a_tag_describes_each_field(choice, spec, capsys):
    page = printed(capsys, "help", choice, spec.tag())
    assert page.startswith(f"{choice} {spec.tag()}: ")
    flat = " ".join(page.split()).replace("- ", "-")
    for field in fields_of(spec):
        assert f"\n  {field.name}\n" in page
        assert " ".join(field.description.split()).replace("- ", "-") in flat
    assert page.strip() in printed(capsys, "help", spec.tag())


def test_a_chapter_follows_the_fields_of_its_value(capsys):
    page = printed(capsys, "help", "lattice-colouring")
    fields, chapter = page.split("\nLattice colourings\n")
    assert "\n  effort\n" in fields
    assert "\n  1. Lattice. S = P Q / ns is" in chapter
    assert "\n  16          1                 20             32                 32\n" in chapter
    assert not re.search(r"\*|`|^#|\|", chapter, re.MULTILINE)
    figures = re.findall(r"^  (\S+\.png)$", chapter, re.MULTILINE)
    assert len(figures) == 3
    assert all(Path(path).is_file() for path in figures)


def test_a_tag_of_two_choices_has_both_pages(capsys):
    page = printed(capsys, "help", "random")
    assert page.startswith("job random: ")
    assert "\n\n\nmapping random: " in page


@pytest.mark.parametrize(
    ("choice", "spec"),
    [(choice, spec) for choice in SPELLED for spec in members(CHOICES[choice])],
    ids=lambda spec: getattr(spec, "__name__", spec),
)
def test_the_short_form_of_a_choice_parses_to_the_choice(choice, spec):
    if not any(field.required for field in fields_of(spec)):
        assert parse_choice(f"--{choice}", spelled(spec), CHOICES[choice]) == spec()


def test_units_and_files(capsys):
    units, files = printed(capsys, "help", "units"), printed(capsys, "help", "files")
    assert "\n  GB/s " in units
    assert "network torus gbs" in " ".join(units.split())
    assert "Throughput per node: slots per node ÷ t." in units
    assert all(f"\n  {name} " in files for name in scenario_schema()["$defs"]["ScenarioFile"]["properties"])
    assert "Matrix Market" in " ".join(files.split())
    assert printed(capsys, "help", "allocation") == files
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
def test_an_unknown_topic_is_one_line_with_similar_topics(topic, words, capsys):
    assert main(["help", *topic]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"fabriscope: help: {words}")


def test_the_schema_is_printed_as_json_and_as_pages(capsys):
    assert json.loads(printed(capsys, "schema", "--json")) == scenario_schema()
    schema = printed(capsys, "schema")
    for topic in ("files", "network", "torus", "pause", "portfolio"):
        assert printed(capsys, "help", topic) in f"{schema}\n"
    assert textwrap.dedent(schema) == schema
