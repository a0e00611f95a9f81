"""What a new family, pattern, mapping, routing, view and action cost: a file, and lines of one file that lists them."""

import filecmp
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPECS = [
    ("network", "core/network/families/toy.py", "core.network.families.complete", "Complete"),
    ("job", "core/job/toy.py", "core.job.permutation", "Permutation"),
    ("mapping", "core/mapping/toy.py", "core.mapping.simple", "Sequential"),
    ("routing", "core/routing/toy.py", "core.routing.minimal.scheme", "Minimal"),
]
UNIONS = {
    "network": ("core/network/__init__.py", "AnyNetwork"),
    "job": ("core/job/patterns.py", "AnyPattern"),
    "mapping": ("core/mapping/__init__.py", "AnyMapping"),
    "routing": ("core/routing/__init__.py", "AnyRouting"),
}
"""Where choices are listed, and as what."""
SEEN = """
from app.actions.table import ACTIONS
from app.cli.main import parser_of
from core.job import AnyJob
from core.spec import from_plain
from app.model.view_table import SPECS
from app.window.help import reference
text = reference()
assert all(f"(`toy-{choice}`)" in text for choice in ("network", "job", "mapping", "routing")), text
# A pattern may be part of a sequence too.
assert from_plain({"type": "sequence", "parts": [{"type": "toy-job"}]}, AnyJob).build().tasks
assert "Show the toy" in text and "Toy command" in text
assert SPECS["toy"].slot == "charts" and "toy" in {spec.id.partition(".")[2] for spec in ACTIONS}
parser_of("render").parse_args(["render", "x.json", "--view", "toy", "--out", "x.png"])
"""


@pytest.fixture
def source(tmp_path):
    for package in ("app", "core", "resources"):  # with what is compiled of them
        shutil.copytree(ROOT / package, tmp_path / package)
    return tmp_path


def put(path, before, line):
    """Put a line before another one."""
    text = path.read_text()
    assert text.count(before) == 1, (path, before)
    path.write_text(text.replace(before, line + before))


def touched(source):
    """Files of the copy that are new, and those that differ."""
    files = [
        path.relative_to(source) for path in source.rglob("*.*") if path.is_file() and "__pycache__" not in path.parts
    ]
    new = {str(one) for one in files if not (ROOT / one).exists()}
    return new, {str(one) for one in files if str(one) not in new and not filecmp.cmp(source / one, ROOT / one, False)}


def test_each_is_one_file_and_lines_of_one_other(source):
    for choice, file, module, base in SPECS:
        (source / file).write_text(
            f'from {module} import {base}\n\n\nclass Toy({base}, frozen=True, tag="toy-{choice}"):\n    """A toy."""\n'
        )
        listed, name = UNIONS[choice]
        put(source / listed, f"\n{name} = ", f"from {file[:-3].replace('/', '.')} import Toy\n")
        text = (source / listed).read_text()
        (source / listed).write_text(re.sub(rf"\n{name} = (\(\n    )?", r"\g<0>Toy | ", text))
    (source / "app/views/charts/toy.py").write_text(
        "from app.views.view import View\n\n\nclass Toy(View):\n    id = 'toy'\n"
    )
    view = '    ViewSpec("toy", "Toy", "charts", Priority.CHARTS, "app.views.charts.toy:Toy", "Ctrl+Alt+T"),\n'
    put(source / "app/model/view_table.py", '    ViewSpec("history"', view)
    action = '    ActionSpec("help.toy", "Toy command", "Help", lambda c: c.shell.fit()),\n'
    put(source / "app/actions/table.py", '    ActionSpec("help.palette"', action)
    new, changed = touched(source)
    assert new == {*(file for _, file, _, _ in SPECS), "app/views/charts/toy.py"}
    assert changed == {
        *(listed for listed, _ in UNIONS.values()), "app/model/view_table.py", "app/actions/table.py"
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-c", SEEN], cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
