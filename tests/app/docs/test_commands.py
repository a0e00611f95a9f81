"""Pages of commands have every command, option and note."""

import re

import pytest

from app.cli.commands import COMMANDS
from app.cli.help import command_parser
from app.docs.commands import pages


@pytest.fixture(scope="module")
def texts():
    return {page.path: page.text for page in pages()}


def test_there_is_a_page_for_each_command(texts):
    assert set(texts) == {"commands/index.md", *(f"commands/{name}.md" for name in COMMANDS)}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_an_entry(name, texts):
    entries = re.findall(r"^`(.*)`\n:   \S", texts[f"commands/{name}.md"] + "\n" + texts["commands/index.md"], re.M)
    flags = {flag for action in command_parser(name)._actions for flag in action.option_strings}
    assert flags <= {word.strip(",") for entry in entries for word in entry.split()}


def test_columns_of_notes_stay_columns(texts):
    assert "Fields that --json prints:\n\n```text\nstart\\_gbs" not in texts["commands/optimise.md"]
    assert "```text\nstart_gbs, throughput_gbs   throughput before" in texts["commands/optimise.md"]


def test_the_usage_is_aligned(texts):
    usage = texts["commands/render.md"].partition("```text\n")[2].partition("```")[0].splitlines()
    assert usage[0].startswith("fabriscope render [-h]")
    assert {len(line) - len(line.lstrip()) for line in usage[1:]} == {len("fabriscope render ")}
