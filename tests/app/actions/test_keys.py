"""Keys are declared once, with their commands; tool tips, the reference and messages use these declarations."""

import ast
import re
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

import resources
from app.actions.keys import KEYS, with_keys
from app.window.help import reference

ROOT = Path(__file__).resolve().parents[3]
KEY = re.compile(r"\(((?:Ctrl\+|Shift\+|Alt\+)*[A-Z])\)|((?:Ctrl|Alt)\+(?:Shift\+)?[A-Z.])(?![A-Za-z])|\b(F\d)\b")


def keys_in(text):
    return {next(filter(None, keys)) for keys in KEY.findall(text)}


def every_key():
    return {key for keys in KEYS.values() for key in keys.split(" or ")}


def test_a_placeholder_becomes_the_key_of_its_command():
    assert (
        with_keys("Do it again ({key:edit.redo}), or {key:tool.paint}") == "Do it again (Ctrl+Shift+Z or Ctrl+Y), or B"
    )


def test_unknown_command_is_an_error():
    with pytest.raises(KeyError):
        with_keys("{key:no.such}")


def test_reference_takes_keys_from_the_commands():
    text = (files(resources) / "help.md").read_text(encoding="utf-8")
    assert len(set(re.findall(r"\{key:([\w.-]+)\}", text))) >= 20
    # Of the table of networks, and of the strip of scenes: no commands of the window.
    assert keys_in(text) == {"Ctrl+C", "F2"}
    assert "{key:" not in reference()
    assert f"**Paint** ({KEYS['tool.paint']})" in reference()


def test_keys_in_the_readme_belong_to_commands():
    assert keys_in((ROOT / "README.md").read_text(encoding="utf-8")) <= every_key()


def test_no_text_in_the_code_spells_out_a_key():
    written = [ROOT / "app" / "wording" / "keys.py", *(ROOT / "app" / "actions").glob("*.py")]
    stray, every = [], every_key()
    for path in sorted(set((ROOT / "app").rglob("*.py")) - set(written)):
        text = path.read_text()
        if not keys_in(text) & every:
            continue  # nor has any text in it
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and keys_in(node.value) & every:
                stray.append((path.name, node.value))
    # The row of the table of views is that command.
    assert stray in ([], [("table.py", "Ctrl+Alt+H")])


def test_keys_in_tool_tips_belong_to_commands(unshown):
    named = set().union(*(keys_in(widget.toolTip()) for widget in unshown.findChildren(QWidget)))
    assert {"L", "Z", "F", "Ctrl+K", "P", "C", "Ctrl+N", "O", "B"} <= named <= every_key()
