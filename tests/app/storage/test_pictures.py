"""Picture files: formats follow endings, PDF and SVG contain lines, and no old file is lost."""

import re
import zlib

import pytest
from PySide6.QtGui import QColor, QImage

from app.session.session import Session
from app.storage.pictures import KINDS, save_picture
from app.storage.presets import worked_example
from app.style.theme import DARK
from app.views.machine.paint import paint_machine
from app.views.machine.picture import flat_pen
from core.spec import SpecError

SIZE = (640, 480)


@pytest.fixture
def paint(qapp):
    session = Session.of(worked_example(), sync=True)
    yield lambda painter, area: paint_machine(painter, area, session.state)
    session.close()


def streams(pdf):
    """The streams of a PDF file, inflated."""
    contents = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return [zlib.decompress(data) if data[:1] == b"\x78" else data for data in contents]


def test_a_pdf_has_one_page_of_curves_and_text_and_no_image(paint, tmp_path):
    save_picture(tmp_path / "machine.pdf", SIZE, DARK, paint)
    pdf = (tmp_path / "machine.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert re.search(rb"/MediaBox \[0 0 640(\.0+)? 480(\.0+)?\]", pdf)
    assert b"/Subtype /Image" not in pdf
    drawn = b"\n".join(streams(pdf))
    curves = re.findall(rb" c\s", drawn)
    assert len(curves) >= 128  # at least one per bundle
    assert b"BT" in drawn


def test_every_format_can_be_written(paint, tmp_path):
    for ending in KINDS:
        save_picture(tmp_path / f"a{ending.upper()}", SIZE, DARK, paint)
    assert len(list(tmp_path.iterdir())) == len(KINDS)
    assert QImage(str(tmp_path / "a.PNG")).width() == SIZE[0]


def test_other_endings_are_refused_with_the_valid_endings(paint, tmp_path):
    with pytest.raises(SpecError, match=r"\.png, \.svg or \.pdf"):
        save_picture(tmp_path / "a.tiff", SIZE, DARK, paint)


def test_an_old_picture_stays_if_drawing_fails(tmp_path):
    for ending in KINDS:
        old = tmp_path / f"old{ending}"
        old.write_bytes(b"the old one")

        def fail(painter, area):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            save_picture(old, SIZE, DARK, fail)
        assert old.read_bytes() == b"the old one"
    assert len(list(tmp_path.iterdir())) == len(KINDS)


def test_lines_finer_than_a_pixel_are_drawn_fainter(qapp):
    # PDF viewers draw finer lines one pixel wide at full strength.
    for width, alpha in ((0.2, 51), (1.0, 255), (2.5, 255)):
        pen = flat_pen(QColor("#ff8800"), width)
        assert pen.widthF() == max(width, 1.0)
        assert pen.color().alpha() == pytest.approx(alpha, abs=1)
