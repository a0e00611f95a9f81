"""An animation has the given frames, and a cancelled animation leaves no files."""

import os
import re
import subprocess
import time

import imageio_ffmpeg
import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.storage.animations import RATES, Animation
from core.spec import SpecError

SIZE = (64, 48)


def frames(path, size):
    """All frames of a file, as ffmpeg reads them: (n, height, width, 3)."""
    options = ["-v", "error", "-i", str(path), "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    pixels = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *options], capture_output=True, check=True).stdout
    return np.frombuffer(pixels, np.uint8).reshape(-1, size[1], size[0], 3)


@pytest.mark.parametrize("ending", RATES)
def test_each_frame_has_the_requested_duration(tmp_path, ending):
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
    pixels, times = frames(path, SIZE), 4
    if ending == ".gif":
        # In this output, each frame occurs once, with the hundredths of a second until the next frame.
        delays, times = re.findall(rb"\x21\xf9\x04.(..)", path.read_bytes(), re.DOTALL), 1
        assert [int.from_bytes(delay, "little") for delay in delays] == [40, 40, 150]
    assert pixels.shape == (3 * times, SIZE[1], SIZE[0], 3)
    wanted = [QColor(colour).getRgb()[:3] for colour in colours for _ in range(times)]
    np.testing.assert_allclose(pixels[:, 20, 30], wanted, atol=8)


def test_unwritable_films_are_refused_in_one_line(tmp_path, monkeypatch, qtbot):
    with pytest.raises(SpecError, match=r"must end in \.mp4 or \.gif"):
        Animation(tmp_path / "film.avi", SIZE)
    with pytest.raises(SpecError, match="its folder does not exist"):
        Animation(tmp_path / "missing" / "film.gif", SIZE)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(tmp_path.parent / "nowhere"))
    film = Animation(tmp_path / "film.gif", SIZE)
    film.add(QImage(*SIZE, QImage.Format.Format_RGB32))
    with pytest.raises(SpecError, match=r"^--out: film.gif cannot be written: ffmpeg cannot be run: No such file"):
        film.finish()
    film.drop()
    qtbot.waitUntil(lambda: list(tmp_path.iterdir()) == [])


def test_dropping_a_film_does_not_wait(tmp_path, qtbot):
    film = Animation(tmp_path / "film.mp4", SIZE)
    film.add(QImage(*SIZE, QImage.Format.Format_RGB32), 10**9)
    film.drop()
    qtbot.waitUntil(lambda: not film.busy)
    qtbot.waitUntil(lambda: list(tmp_path.iterdir()) == [])


FAULTS = {
    "an error": ('echo "[mp4 @ 0x5] Disk quota exceeded" >&2; exit 69', "ffmpeg failed: Disk quota exceeded"),
    "an error without a word": ("exit 3", "ffmpeg failed: exit status 3"),
    "nothing": ("cat > /dev/null", "ffmpeg ended before the film was complete"),
    "a signal": ('ulimit -f 8; exec {ffmpeg} "$@"', "ffmpeg (failed|ended before)"),
    "a part": ('{ffmpeg} "$@"; truncate -s -60 "$last"', "ffmpeg ended before the film was complete"),
    "other pictures": (
        '{ffmpeg} "$@" || exit; [ "$last" = - ] || dd if=/dev/zero of="$last" bs=1 seek=48 count=900 conv=notrunc',
        "ffmpeg (failed|ended before)",
    ),
}
"""A shell script that replaces ffmpeg, where $last is the file, and the expected message."""


def write_noise(film):
    noise = np.random.default_rng(1)
    for _ in range(8):
        pixels = 80 * noise.integers(0, 2, (120, 160, 4), np.uint8)
        film.add(QImage(pixels.data, 160, 120, QImage.Format.Format_RGB32).copy())
    film.finish()
    film.wait()


@pytest.mark.skipif(os.name != "posix", reason="runs shell scripts")
@pytest.mark.parametrize("ending", RATES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_film_replaces_no_file(tmp_path, monkeypatch, qtbot, ending, fault):
    script, words = FAULTS[fault]
    program = tmp_path / "ffmpeg"
    lines = ["#!/bin/sh", 'for last in "$@"; do :; done', script.replace("{ffmpeg}", imageio_ffmpeg.get_ffmpeg_exe())]
    program.write_text("\n".join(lines) + "\n")
    program.chmod(0o700)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    path = tmp_path / "films" / f"film{ending}"
    path.parent.mkdir()
    path.write_bytes(b"the good film")
    film = Animation(path, (160, 120))
    with pytest.raises(SpecError, match=rf"^--out: film{ending} cannot be written: {words}") as caught:
        write_noise(film)
    film.drop()
    assert "\n" not in caught.value.message
    assert path.read_bytes() == b"the good film"
    qtbot.waitUntil(lambda: list(path.parent.iterdir()) == [path])


def test_files_of_killed_films_are_removed_by_the_next_film(tmp_path):
    day_ago = time.time() - 90_000
    gone = subprocess.Popen(["true"])
    gone.wait()
    names = {
        f".fabriscope-{gone.pid}-aa.part.mp4": False,
        f".fabriscope-{os.getpid()}-aa.part.mp4": True,
        "film.part.mp4": True,
    }
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (day_ago, day_ago))
    (tmp_path / f".fabriscope-{gone.pid}-new.part.mp4").touch()
    Animation(tmp_path / "film.mp4", SIZE).drop()
    assert {name for name in names if (tmp_path / name).exists()} == {name for name, stays in names.items() if stays}
    assert (tmp_path / f".fabriscope-{gone.pid}-new.part.mp4").exists()
