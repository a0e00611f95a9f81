"""Icons: drawn in the colours of the theme, with separate variants while checked or disabled."""

import pytest
from PySide6.QtGui import QColor, QIcon

from app.actions.edit import EDITS, TOOL_ACTIONS, TOOLS
from app.style.icons import SIDE, icon
from app.style.theme import DARK, LIGHT

NAMES = [spec.icon for spec in (*EDITS, *TOOL_ACTIONS) if spec.icon]


def inks(made, mode=QIcon.Mode.Normal, state=QIcon.State.Off):
    image = made.pixmap(SIDE, mode, state).toImage()
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}, max(pixel.alpha() for pixel in pixels)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("name", NAMES)
def test_icons_have_the_ink_of_the_theme(qapp, name, theme):
    made = icon(name, theme)
    assert inks(made)[0] == {QColor(theme.text).name()}
    assert inks(made, state=QIcon.State.On)[0] == {QColor(theme.on_accent).name()}
    assert 0 < inks(made, QIcon.Mode.Disabled)[1] < 200


def test_every_tool_has_an_icon():
    assert len(NAMES) == len(set(NAMES)) == len(TOOLS) + 2  # and to undo and redo
