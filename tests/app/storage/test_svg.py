"""Drawings as written: every style once, generic fonts, and complete content."""

from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from app.storage import pictures
from app.storage.pictures import picture_content
from app.style.theme import LIGHT

SIZE = (200, 120)


@pytest.fixture
def drawing(qapp):
    """All kinds of content: lines, areas, text, and an image."""

    def paint(painter, area):
        for k in range(40):
            painter.setPen(QColor("#aa2200") if k < 20 else QColor(0, 60, 200, 120))
            painter.drawLine(QPointF(5, 3 * k), QPointF(90, 3 * k + 1))
        painter.fillRect(QRectF(110, 10, 30, 30), QColor("#00aa44"))
        painter.setBrush(QColor("#7700aa"))
        painter.drawPolyline([QPointF(110, 100), QPointF(130, 50), QPointF(150, 100), QPointF(190, 60)])
        painter.drawEllipse(QPointF(150, 100), 6, 6)
        painter.setPen(Qt.GlobalColor.black)
        painter.drawText(QPointF(100, 80), "LR  12 %")
        image = QImage(2, 2, QImage.Format.Format_RGB32)
        image.fill(QColor("#ff8800"))
        painter.drawImage(QRectF(150, 10, 40, 40), image)

    return paint


def rendered(svg):
    image, renderer = QImage(*SIZE, QImage.Format.Format_RGB32), QSvgRenderer(svg)
    assert renderer.isValid()
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    return image


def test_a_tidied_drawing_is_smaller_and_looks_the_same(drawing, monkeypatch):
    small = picture_content(".svg", SIZE, LIGHT, drawing)
    monkeypatch.setattr(pictures, "tidied", lambda svg: svg)
    full = picture_content(".svg", SIZE, LIGHT, drawing)
    assert len(small) < len(full) / 2
    pair = [rendered(svg) for svg in (small, full)]
    text = QRectF(95, 66, 70, 20)
    places = [(x, y) for x in range(SIZE[0]) for y in range(SIZE[1]) if not text.contains(x, y)]
    assert all(pair[0].pixel(*place) == pair[1].pixel(*place) for place in places)


def test_text_uses_a_generic_font_and_is_as_large_as_on_screen(drawing):
    root = ElementTree.fromstring(picture_content(".svg", SIZE, LIGHT, drawing))
    (text,) = (element for element in root.iter() if element.tag.endswith("text"))
    assert text.text.strip() == "LR  12 %"
    fonts = {element.get("font-family") for element in root.iter()} - {None}
    assert fonts == {"sans-serif"}
    assert float(text.get("font-size")) == pytest.approx(QFontInfo(QFont()).pixelSize(), abs=0.6)
    (image,) = (element for element in root.iter() if element.tag.endswith("image"))
    assert image.get("image-rendering") == "pixelated"
