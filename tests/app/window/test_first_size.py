"""The first window fits every usual screen together with its frame: the status line is never below the edge."""

import pytest
from PySide6.QtCore import QRect, QSize

from app.window.first_size import USUAL, first_size


class Screen:
    def __init__(self, width, height):
        self.size = QSize(width, height)

    def availableGeometry(self):
        return QRect(0, 0, self.size.width(), self.size.height())


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000), (1280, 720), (1366, 768), (1024, 768)])
def test_the_frame_fits_a_small_screen(qapp, size):
    size_chosen = first_size(Screen(*size))
    assert size[0] - 40 <= size_chosen.width() <= size[0] - 8
    assert size[1] - 90 <= size_chosen.height() <= size[1] - 40


def test_on_a_large_screen_it_has_the_usual_size(qapp):
    assert first_size(Screen(2560, 1440)) == USUAL


def test_the_window_can_be_as_small_as_that(unshown):
    """On 2560 x 1440 pixels at scale 2, and on 1280 x 800."""
    for screen in (Screen(1280, 720), Screen(1280, 800)):
        wanted = first_size(screen)
        unshown.resize(wanted)
        unshown.layout().activate()
        assert unshown.size() == wanted
        least = unshown.minimumSizeHint()
        assert least.width() <= wanted.width()
        assert least.height() <= wanted.height()
