"""Both themes: a complete style sheet, icons that exist, legible text."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from app.style.theme import DARK, FONT_SCALES, LENGTH, LIGHT, THEMES

BOTH = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def luminance(colour):
    parts = (QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF())
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour, ground):
    high, low = sorted((luminance(colour), luminance(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@BOTH
def test_every_colour_is_used_or_painted(theme):
    sheet = theme.style_sheet()
    assert "$" not in re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    painted_only = {"name", "roles", "missing", "beyond", "scale"}
    unused = {f.name for f in fields(theme) if f.name not in painted_only and getattr(theme, f.name) not in sheet}
    assert unused == set()


@BOTH
def test_icons_exist_and_can_be_drawn(qapp, theme):
    paths = set(re.findall(r'url\("(.*?)"\)', theme.style_sheet()))
    assert len(paths) == 8
    for path in paths:
        assert Path(path).is_file()
        assert not QIcon(path).pixmap(12, 12).isNull()


@BOTH
@pytest.mark.parametrize("colour", ["text", "dim", "good", "bad", "warning", "accent", "beyond"])
def test_text_has_enough_contrast(theme, colour):
    for ground in (theme.panel, theme.window, theme.field):
        assert contrast(getattr(theme, colour), ground) >= 4.5, ground
    if colour == "text":
        assert contrast(theme.text, theme.selected) >= 4.5
        assert contrast(theme.on_accent, theme.accent) >= 4.5


@BOTH
def test_roles_colour_labels_and_fields(qtbot, theme):
    window = QWidget()
    window.setStyleSheet(theme.style_sheet())
    column = QVBoxLayout(window)
    label, button, combo = QLabel("wrong"), QPushButton("Make it fit"), QComboBox()
    label.setProperty("role", "error")
    button.setProperty("role", "link")
    for widget in (label, button, combo):
        column.addWidget(widget)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    assert label.palette().color(label.foregroundRole()).name() == theme.bad
    assert button.palette().color(button.foregroundRole()).name() == theme.accent
    image = combo.grab().toImage()
    inside = image.pixelColor(combo.width() // 2, combo.height() // 2).name()
    assert inside == theme.field


def test_themes_differ_in_all_colours():
    assert all(getattr(DARK, f.name) != getattr(LIGHT, f.name) for f in fields(DARK) if f.name != "scale")


def test_lengths_scale_except_lines_of_one_pixel():
    sheets = [[length for _, length in LENGTH.findall(theme.style_sheet())] for theme in (DARK, DARK.scaled(2.0))]
    assert len(sheets[0]) > 100
    assert sheets[1] == [length if int(length) <= 1 else str(2 * int(length)) for length in sheets[0]]
    assert DARK.scaled(2.0).scaled(1.0) == DARK
    assert (DARK.scaled(0.8).px(1), DARK.scaled(0.8).px(10), DARK.px(0)) == (1, 8, 0)


@pytest.mark.parametrize("scale", FONT_SCALES)
def test_the_handle_of_a_slider_is_round_at_every_size_of_type(qtbot, scale):
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setStyleSheet(DARK.scaled(scale).style_sheet())
    slider.resize(120, 60)
    qtbot.addWidget(slider)
    image = slider.grab().toImage()
    text = QColor(DARK.text)
    inside = [(x, y) for x in range(60) for y in range(60) if image.pixelColor(x, y) == text]
    left, right = (find(x for x, _ in inside) for find in (min, max))
    top, bottom = (find(y for _, y in inside) for find in (min, max))
    assert right - left >= 6
    assert {(left, top), (left, bottom), (right, top), (right, bottom)}.isdisjoint(inside)
