"""The desktop bundle: its files for desktops, and the program in it, which runs without Python."""

import configparser
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QGuiApplication

from app import __version__
from app.storage.tours import SUFFIX as TOUR
from app.window.launch import app_icon
from core.files import SUFFIX as SCENARIO
from core.sweep.study import SUFFIX as STUDY
from tests import patience

ROOT = Path(__file__).parents[1]
DESKTOP = ROOT / "resources" / "desktop"
BUNDLE = ROOT / "build" / "fabriscope"
TYPES = "{http://www.freedesktop.org/standards/shared-mime-info}"
bundled = pytest.mark.skipif(not (BUNDLE / "fabriscope").exists(), reason="there is no bundle; run make bundle")


def entry():
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(DESKTOP / "fabriscope.desktop")
    return parser["Desktop Entry"]


def patterns():
    types = ElementTree.parse(DESKTOP / "fabriscope.xml").getroot()
    return {kind.get("type"): kind.find(f"{TYPES}glob").get("pattern") for kind in types}


def test_every_file_kind_has_a_type():
    assert sorted(patterns().values()) == sorted(f"*{suffix}" for suffix in (SCENARIO, STUDY, TOUR))


def test_the_desktop_file_opens_files_that_the_window_opens():
    opened = [patterns()[kind] for kind in entry()["MimeType"].strip(";").split(";")]
    assert opened == [f"*{SCENARIO}", f"*{TOUR}"]
    assert entry()["Icon"] == "fabriscope"


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-utils is not installed")
def test_the_desktop_file_is_valid():
    done = subprocess.run(
        ["desktop-file-validate", DESKTOP / "fabriscope.desktop"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def environment(**more):
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "QT_QPA_PLATFORM"}
    return {name: value for name, value in os.environ.items() if name not in hidden} | {"PATH": ""} | more


def run(folder, *arguments):
    done = subprocess.run(
        [BUNDLE / "fabriscope", *arguments],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=patience.SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@bundled
def test_commands_work_without_python(tmp_path):
    assert run(tmp_path, "--version").strip() == __version__
    assert json.loads(run(tmp_path, "evaluate", "power775-smallest", "--json"))["throughput_gbs"] == 5
    run(tmp_path, "render", "power775-smallest", "--out", "machine.png")
    assert (tmp_path / "machine.png").read_bytes().startswith(b"\x89PNG")
    run(tmp_path, "report", "power775-smallest", "--out", "report.html")
    run(tmp_path, "export", "power775-smallest", "--to", "links-parquet", "--out", "links.parquet")
    assert (tmp_path / "links.parquet").read_bytes().startswith(b"PAR1")


@bundled
def test_the_window_opens_on_the_screen(qapp, tmp_path):
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("needs an X server")
    screen = QGuiApplication.primaryScreen()
    before = colours(screen)
    program = subprocess.Popen(
        [BUNDLE / "fabriscope", "window", "power775-smallest"],
        cwd=tmp_path,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        ends = time.monotonic() + patience.SECONDS
        while len(colours(screen)) < len(before) + 100:
            assert program.poll() is None, program.stderr.read()
            assert time.monotonic() < ends, "no window was drawn"
            time.sleep(0.2)
    finally:
        program.terminate()
        program.wait()
        program.stderr.close()


def colours(screen):
    """Return the colours on the screen, of every fourth pixel."""
    image = screen.grabWindow(0).toImage()
    return {image.pixel(x, y) for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)}


def test_the_icon_is_drawn(qapp):
    image = app_icon().pixmap(64, 64).toImage()
    assert len({image.pixel(x, y) for x in range(64) for y in range(64)}) > 20
