"""Pictures of the window."""

from PySide6.QtGui import QImage

from app.docs.screenshots import SHOTS, take
from app.docs.tutorial import PICTURE, source, written_pages


def test_every_picture_is_on_a_page():
    used = [name for path in written_pages() for _, name, how in PICTURE.findall(source(path)) if how == "window"]
    assert sorted(used) == sorted(SHOTS)


def test_a_picture_is_drawn_in_both_themes(qapp, tmp_path):
    figures = take("measured", tmp_path, tmp_path)
    assert figures.split()[0] == "1"
    dark, light = (QImage(str(tmp_path / f"measured-{theme}.png")) for theme in ("dark", "light"))
    assert dark.size() == light.size()
    assert dark.pixelColor(2, 2).lightness() < light.pixelColor(2, 2).lightness()
