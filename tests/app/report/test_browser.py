"""A page in a browser, if installed: its colours follow the reader's theme, and it prints."""

import shutil
import subprocess

import pytest
from PySide6.QtGui import QColor, QImage

from app.cli.main import main
from app.style.theme import DARK, LIGHT

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
WIDTH, HEIGHT = 1100, 1000


def browse(folder, *options):
    always = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
    )
    page = (folder / "r.html").as_uri()
    done = subprocess.run([BROWSER, *always, *options, page], capture_output=True, timeout=120, check=True)
    assert b"Content Security Policy" not in done.stderr


@pytest.fixture(scope="module")
def folder(qapp, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    assert main(["report", "power775-smallest", "--out", str(folder / "r.html")]) == 0
    return folder


@pytest.mark.parametrize(("scheme", "theme"), [(1, LIGHT), (0, DARK)])
def test_the_page_and_its_pictures_have_the_colours_that_the_reader_prefers(folder, scheme, theme):
    picture = folder / f"{theme.name}.png"
    size = f"--window-size={WIDTH},{HEIGHT}"
    browse(folder, size, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={picture}")
    image = QImage(str(picture))
    assert image.pixelColor(2, 2) == QColor(theme.window)
    # Within the picture of the machine, below its legend and beside it.
    colours = [image.pixelColor(x, y) for x in range(0, WIDTH, 5) for y in range(HEIGHT // 2, HEIGHT, 5)]
    assert colours.count(QColor(theme.panel)) > len(colours) / 4


def test_the_page_prints(folder):
    document = folder / "r.pdf"
    browse(folder, "--no-pdf-header-footer", f"--print-to-pdf={document}")
    content = document.read_bytes()
    assert content.startswith(b"%PDF-")
    assert 2 <= content.count(b"/Type /Page\n") <= 12
