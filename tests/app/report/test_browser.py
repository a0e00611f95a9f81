"""A page in a browser, if installed: its colours follow the reader's theme, and it prints."""

import re
import shutil
import subprocess

import pytest
from PySide6.QtGui import QColor, QImage

from app.cli.main import main
from app.style.theme import DARK, LIGHT

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
WIDTH, HEIGHT = 1100, 1000
PHONE = 400


def browse(folder, *options, page="r.html"):
    always = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
    )
    address = (folder / page).as_uri()
    done = subprocess.run([BROWSER, *always, *options, address], capture_output=True, timeout=120, check=True)
    assert b"Content Security Policy" not in done.stderr
    return done


@pytest.fixture(scope="module")
def folder(qapp, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    assert main(["report", "power775-smallest", "--out", str(folder / "r.html")]) == 0
    return folder


@pytest.mark.parametrize(("scheme", "theme"), [(1, LIGHT), (0, DARK)])
def test_the_page_and_its_pictures_follow_the_reader_s_theme(folder, scheme, theme):
    picture = folder / f"{theme.name}.png"
    size = f"--window-size={WIDTH},{HEIGHT}"
    browse(folder, size, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={picture}")
    image = QImage(str(picture))
    assert image.pixelColor(2, 2) == QColor(theme.window)
    # Within the picture of the machine, below its legend and to its right.
    colours = [image.pixelColor(x, y) for x in range(0, WIDTH, 5) for y in range(HEIGHT // 2, HEIGHT, 5)]
    assert colours.count(QColor(theme.panel)) > len(colours) / 4


def on_phone(folder, anchor, selector):
    """The width of an element and of its content in a frame as wide as a phone."""
    frame = f'<iframe src="r.html{anchor}" style="width:{PHONE}px;height:900px;border:0"></iframe>'
    script = (
        "onload = () => { const part = document.querySelector('iframe').contentDocument.querySelector("
        f"'{selector}'); document.body.textContent = [part.clientWidth, part.scrollWidth].join(' '); }};"
    )
    (folder / "phone.html").write_text(f"<!DOCTYPE html>{frame}<script>{script}</script>", encoding="utf-8")
    done = browse(folder, "--allow-file-access-from-files", "--dump-dom", page="phone.html")
    return [int(text) for text in re.search(r"<body>(\d+) (\d+)", done.stdout.decode()).groups()]


def test_a_phone_shows_every_column_of_the_classes(folder):
    shown, content = on_phone(folder, "", ".stacks .scrolled")
    assert content == shown <= PHONE


def test_a_tapped_picture_has_its_full_size_on_a_phone(folder):
    assert on_phone(folder, "", "#picture-machine .picture")[1] <= PHONE
    shown, content = on_phone(folder, "#picture-machine", "#picture-machine .picture")
    assert shown == PHONE
    assert content == 1032


def test_the_page_prints(folder):
    document = folder / "r.pdf"
    browse(folder, "--no-pdf-header-footer", f"--print-to-pdf={document}")
    content = document.read_bytes()
    assert content.startswith(b"%PDF-")
    assert 2 <= content.count(b"/Type /Page\n") <= 12
