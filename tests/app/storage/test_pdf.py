"""Heat maps in PDF documents have exactly the colours of the picture, since they are not stored as JPEG."""

import re
import zlib

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.cli.picture import _painter_of
from app.session.scenes import SceneEvaluations
from app.session.session import Session
from app.stage.document import document
from app.storage.pictures import picture_content
from app.storage.presets import preset
from app.style.theme import DARK, LIGHT
from app.tour.tour_file import decode_tour

HEATMAPS = ("job", "matrix", "inner", "traffic")
SIZE = (900, 600)
TOUR = b"""{"fabriscope_tour": 1, "title": "T", "scenes": [{"title": "s", "scenario": "power775-halo",
            "views": [{"view": "matrix"}, {"view": "job"}, {"view": "traffic"}]}]}"""


def images(pdf):
    """The pixels of each image in a document, (height, width, 3)."""
    pixels_of_images = []
    for head, body in re.findall(
        rb"<<((?:(?!>>|endobj).)*?/Subtype\s*/Image.*?)>>\s*stream\r?\n(.*?)endstream", pdf, re.DOTALL
    ):
        assert b"DCTDecode" not in head
        assert b"FlateDecode" in head
        width, height = (int(re.search(rb"/%s\s+(\d+)" % name, head)[1]) for name in (b"Width", b"Height"))
        if b"DeviceRGB" in head:
            data = zlib.decompressobj().decompress(body)
            pixels_of_images.append(np.frombuffer(data, np.uint8, width * height * 3).reshape(height, width, 3))
    return pixels_of_images


def colours(pixels):
    return set(map(tuple, np.asarray(pixels).reshape(-1, 3).tolist()))


@pytest.fixture(scope="module", params=["power775-halo", "training-1024-gpus"])
def session_of_preset(request, qapp):
    session = Session.of(preset(request.param), sync=True)
    yield session
    session.close()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("view", HEATMAPS)
def test_a_heat_map_has_the_colours_of_the_picture(session_of_preset, view, theme):
    session_of_preset.set_theme(theme)
    paint = _painter_of(view, session_of_preset, SIZE, None)
    all_images = images(picture_content(".pdf", SIZE, theme, paint))
    assert all_images
    png = QImage.fromData(picture_content(".png", SIZE, theme, paint)).convertToFormat(QImage.Format.Format_RGB888)
    shown = np.frombuffer(png.constBits(), np.uint8).reshape(SIZE[1], png.bytesPerLine())[:, : 3 * SIZE[0]]
    for image in all_images:
        assert len(colours(image)) <= 257
        assert colours(image) <= colours(shown)


@pytest.fixture
def font_kept(qapp):
    """Restore the application's font, which pages of a tour set."""
    font = qapp.font()
    yield
    qapp.setFont(font)


def test_a_tour_has_no_jpeg(font_kept):
    pdf = document(SceneEvaluations(decode_tour(TOUR)), None, LIGHT, (1280, 720))
    all_images = images(pdf)
    assert len(all_images) >= 3
    assert all(len(colours(image)) <= 257 for image in all_images)
