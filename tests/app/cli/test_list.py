"""`list`: names that commands accept."""

import json

import pytest

from app.cli.list import KINDS, WIDTH
from app.cli.main import main
from app.storage.presets import preset_names


@pytest.fixture
def listed(capsys):
    def run(*words):
        assert main(["list", *words]) == 0
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_has_a_summary(kind, listed):
    rows = json.loads(listed(kind, "--json"))
    assert rows
    assert all(row["name"] and row["summary"] for row in rows)
    lines = listed(kind).splitlines()
    width = max(len(row["name"]) for row in rows) + 2
    assert [line[:width].strip() for line in lines] == [row["name"] for row in rows]
    assert max(map(len, lines)) <= width + WIDTH + 2


def test_presets_are_named_as_commands_accept_them(listed):
    assert [row["name"] for row in json.loads(listed("presets", "--json"))] == list(preset_names())


@pytest.mark.parametrize(
    ("kind", "command"),
    [("tours", ["tour"]), ("machines", ["metrics"]), ("studies", ["study", "--plan", "--workers", "1"])],
)
def test_commands_accept_the_names(kind, command, listed, capsys):
    names = [row["name"] for row in json.loads(listed(kind, "--json"))]
    name = next(name for name in names if "clex" in name or "gamma" in name or name == "DGX SuperPOD")
    assert main([*command, name]) == 0
