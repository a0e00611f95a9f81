"""An animation has the pictures that it was given, and nothing is left of one that was cancelled."""

import re
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.storage.animations import RATES, Animation
from core.spec import SpecError

SIZE = (64, 48)


def frames(path, size):
    """All pictures of a file, as ffmpeg reads them: (n, height, width, 3)."""
    options = ["-v", "error", "-i", str(path), "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    found = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *options], capture_output=True, check=True).stdout
    return np.frombuffer(found, np.uint8).reshape(-1, size[1], size[0], 3)


@pytest.mark.parametrize("ending", RATES)
def test_each_picture_is_seen_as_long_as_it_was_asked_for(tmp_path, ending):
    path = tmp_path / f"film{ending}"
    film = Animation(path, (SIZE[0] + 1, SIZE[1]))
    colours = ("#e03020", "#20c040", "#3040e0")
    for colour in colours:
        image = QImage(SIZE[0] + 1, SIZE[1], QImage.Format.Format_RGB32)
        image.fill(QColor(colour))
        film.add(image, 4)
    assert not path.exists()
    film.finish()
    film.wait()
    film.drop()
    found, times = frames(path, SIZE), 4
    if ending == ".gif":
        # There each is once, with the hundredths of a second until the next.
        delays, times = re.findall(rb"\x21\xf9\x04.(..)", path.read_bytes(), re.DOTALL), 1
        assert [int.from_bytes(delay, "little") for delay in delays] == [40, 40, 150]
    assert found.shape == (3 * times, SIZE[1], SIZE[0], 3)
    wanted = [QColor(colour).getRgb()[:3] for colour in colours for _ in range(times)]
    np.testing.assert_allclose(found[:, 20, 30], wanted, atol=8)


def test_what_cannot_be_written_is_one_line(tmp_path, monkeypatch):
    with pytest.raises(SpecError, match="none of the endings"):
        Animation(tmp_path / "film.avi", SIZE)
    film = Animation(tmp_path / "missing" / "film.gif", SIZE)
    film.add(QImage(*SIZE, QImage.Format.Format_RGB32))
    film.finish()
    with pytest.raises(SpecError, match="its folder does not exist"):
        film.wait()
    film.drop()

    def fail(*args, **options):
        raise RuntimeError("no ffmpeg here\nand more")

    monkeypatch.setattr(imageio_ffmpeg, "write_frames", fail)
    film = Animation(tmp_path / "film.gif", SIZE)
    film.add(QImage(*SIZE, QImage.Format.Format_RGB32))
    with pytest.raises(SpecError, match=r"no ffmpeg here$"):
        film.finish()
    film.drop()
    assert list(tmp_path.iterdir()) == []


def test_giving_up_waits_for_nothing(tmp_path, qtbot):
    film = Animation(tmp_path / "film.mp4", SIZE)
    film.add(QImage(*SIZE, QImage.Format.Format_RGB32), 10**9)
    film.drop()
    qtbot.waitUntil(lambda: not film.busy)
    assert list(tmp_path.iterdir()) == []
