"""An animation has the pictures of the machine step by step, and nothing is left of one that was cancelled."""

import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.storage.animations import RATES, Animation
from app.views.machine.view import MachineView
from app.window import animation_export
from app.window.animation_export import AnimationExport, schedule
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.spec import SpecError
from core.timing import timeline

SCENARIO = Scenario(
    Torus((2, 2)), AllToAll(tasks=4, algorithm="pairwise", message_bytes=1e9), Sequential(), DimensionOrder()
)
SIZE = (64, 48)


def frames(path, size):
    """All pictures of a file, as ffmpeg reads them: (n, height, width, 3)."""
    options = ["-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    found = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *options], capture_output=True, check=True).stdout
    return np.frombuffer(found, np.uint8).reshape(-1, size[1], size[0], 3)


@pytest.mark.parametrize("ending", RATES)
def test_each_picture_is_there_as_often_as_it_was_asked_for(tmp_path, ending):
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
    found = frames(path, SIZE)
    assert found.shape == (12, SIZE[1], SIZE[0], 3)
    wanted = [QColor(colour).getRgb()[:3] for colour in colours for _ in range(4)]
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


def test_each_step_has_its_share_of_the_time():
    found = timeline(SCENARIO.build())
    seen = schedule(found, 40)
    assert sum(times for _, times in seen) == 40
    for step, times in seen:
        assert times == pytest.approx(40 * found.steps[step].seconds / found.seconds, abs=1)
    assert [step for step, _ in seen] == [0, 1, 2]


@pytest.fixture
def started(session_of, shown, tmp_path, monkeypatch):
    monkeypatch.setattr(animation_export, "SECONDS", 0.6)
    session = session_of(SCENARIO)
    view, said = shown(MachineView(session), 240, 200), []
    export = AnimationExport(session, view, tmp_path / "film.gif", said.append, view)
    return export, session, said


def test_the_machine_is_exported_step_by_step_and_the_cursor_comes_back(started, qtbot, tmp_path):
    _, session, said = started
    seen = []
    session.changed.connect(lambda changes: seen.append(session.state.time.step))
    qtbot.waitUntil(lambda: said == [f"Wrote {tmp_path / 'film.gif'}"])
    found = frames(tmp_path / "film.gif", (240, 200))
    assert len(found) == 6
    assert list(dict.fromkeys(seen)) == [None, 0, 1, 2]
    assert session.state.time.step is None
    # Two pictures of each step, alike, and none like those of the next.
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[1], found[2])
    assert not np.array_equal(found[3], found[4])


def test_a_cancelled_export_leaves_nothing(started, tmp_path):
    export, session, said = started
    export._on_tick()
    export.dialog.canceled.emit()
    assert said == [""]
    assert list(tmp_path.iterdir()) == []
    assert session.state.time.step is None
