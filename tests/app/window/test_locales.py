"""The program in languages whose letters or decimal signs differ from English: Turkish and German."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.storage.presets import preset
from core.files import write_scenario
from tests import patience

ROOT = Path(__file__).resolve().parents[3]
LOCALES = {"tr_TR.UTF-8": "tr_TR", "de_DE.UTF-8": "de_DE", "C": None}
SCRIPT = """
import json, locale, sys
from app.cli.main import main

small, folder, *size = sys.argv[1:]
import app.window.launch as launch

make = launch.make_window

def made(*arguments):
    window = make(*arguments)
    launch.QTimer.singleShot(0, window.close)
    return window

launch.make_window = made
statuses = [
    main(["window", small]),
    main(["evaluate", small, "--json"]),
    main(["render", small, "--view", "machine", "--out", f"{folder}/machine.png", *size]),
    main(["report", small, "--out", f"{folder}/report.html"]),
    main(["film", small, "--out", f"{folder}/film.gif", "--seconds", "0.2", *size]),
]
print(json.dumps({"statuses": statuses, "locale": locale.setlocale(locale.LC_CTYPE)}))
"""


@pytest.fixture(scope="module")
def compiled_locales(tmp_path_factory):
    if sys.platform != "linux" or not shutil.which("localedef"):
        pytest.skip("localedef makes the locales, as it does on Linux")
    folder = tmp_path_factory.mktemp("locales")
    for name, source in LOCALES.items():
        if source:
            subprocess.run(["localedef", "-i", source, "-f", "UTF-8", folder / name], check=True)
    return folder


@pytest.mark.parametrize("name", LOCALES)
def test_everything_that_draws_starts_in_every_language(tmp_path, compiled_locales, name):
    small = tmp_path / "small.fabriscope.json"
    write_scenario(small, preset("power775-smallest"))
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("DATA", "CONFIG")}
    places = {"LOCPATH": str(compiled_locales), "LC_ALL": name, "LANGUAGE": ""}
    command = [sys.executable, "-c", SCRIPT, str(small), str(tmp_path), "--size", "640x480"]
    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ | homes | places, capture_output=True, text=True, timeout=patience.SECONDS
    )
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 0, ended.stderr
    last = json.loads(ended.stdout.splitlines()[-1])
    assert last["statuses"] == [0] * 5
    assert last["locale"].startswith(name)
    assert all((tmp_path / file).stat().st_size for file in ("machine.png", "report.html", "film.gif"))
    assert '"throughput_gbs":5.0' in ended.stdout
    assert "no screen" not in ended.stdout


def keywords_with_i(source):
    """List calls of Qt's constructors with a keyword that begins with i: Turkish writes its capital with a dot."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    for call in calls:
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name[:1] == "Q" and name[1:2].isupper():
            yield from (f"{name}({word.arg}=)" for word in call.keywords if (word.arg or "")[:1] == "i")


def test_no_constructor_of_qt_is_given_a_keyword_that_turkish_capitals_change():
    assert list(keywords_with_i("QTimer(self, interval=5)\nQtGui.QIcon(name=5)")) == ["QTimer(interval=)"]
    paths = sorted((ROOT / "app").rglob("*.py"))
    assert len(paths) > 100
    assert not [(path.name, *calls) for path in paths if (calls := list(keywords_with_i(path.read_text())))]
