"""Scenes as pages: their layout, films of them, documents."""

import json
import re
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest

from app.model.scenes import ViewShare
from app.session.scenes import SceneEvaluations
from app.stage.document import document
from app.stage.film import (
    MAX_GAP_SECONDS,
    paced,
    page_image,
    recording_frames,
    scenario_scene,
    schedule,
    shoot,
    timeline_frames,
    tour_frames,
)
from app.stage.page import Pages
from app.storage.presets import preset
from app.style.theme import DARK, LIGHT
from app.tour.recording import Recording, TimedEdit
from app.tour.tour_file import decode_tour, plain_scenario
from core.spec import Cancelled, SpecError, no_progress
from core.timing import detailed_timeline
from tests.app.stage.scenes import SCENES

SIZE = 640, 360


@pytest.fixture
def pages_of(qapp):
    opened, font = [], qapp.font()

    def open_pages(scenes, theme=DARK, size=SIZE):
        opened.append(
            Pages(scenes if isinstance(scenes, SceneEvaluations) else SceneEvaluations(scenes), None, theme, size)
        )
        return opened[-1]

    yield open_pages
    for pages in opened:
        pages.close()
    qapp.setFont(font)


@pytest.fixture
def tour():
    return decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES}).encode())


def pixels(pages):
    image = page_image(pages)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)[..., :3].astype(int)


def test_views_title_and_caption_are_in_their_places(pages_of, tour):
    pages = pages_of(tour)
    pages.show(0)
    drawn, window, panel = pixels(pages), 0x14, 0x1B
    (_, machine), (_, job) = pages._rectangles(pages_area(pages))
    for rect in (machine, job):
        assert drawn[int(rect.bottom()) - 4, int(rect.left()) + 6, 2] == panel
    assert drawn[2, 2, 2] == window
    assert (drawn[8:26, 14:100] > 150).any()  # the title
    assert (drawn[-26:-6, 14:100] > 150).any()  # the caption
    # The machine is hotter than the grid of tasks, whose cells have the colours of supernodes.
    inside = drawn[int(machine.top()) : int(machine.bottom()), int(machine.left()) : int(machine.right())]
    assert (inside.max(axis=2) > 200).any()


def pages_area(pages):
    from PySide6.QtCore import QRectF

    return QRectF(14, 40, SIZE[0] - 28, SIZE[1] - 80)


def test_a_scene_that_cannot_be_built_is_a_page_with_the_reason(pages_of, tour):
    pages = pages_of(tour, LIGHT)
    pages.show(2)
    assert "nonsense" in str(pages.session.state.tour.scene_error)
    drawn = pixels(pages)
    assert (drawn[-80:] < 120).any()
    assert (drawn[60:200] > 230).all()


def test_between_scenes_of_one_network_loads_and_camera_glide(pages_of, tour):
    pages = pages_of(tour)
    pages.show(0)
    first, camera = pages.session.state.utilisation, pages._machine.picture_camera
    on_the_way = [(pages.session.state.utilisation, pages._machine.picture_camera) for _ in pages.glide_to(1, 3)]
    last, goal = pages.session.state.utilisation, pages._machine.picture_camera
    assert len(on_the_way) == 3
    assert on_the_way[1][0] == pytest.approx((first + last) / 2)
    scales = [camera.scale, *(seen.scale for _, seen in on_the_way), goal.scale]
    assert scales == sorted(scales)
    assert list(pages.glide_to(3, 3)) == []


def read_film(path):
    """Return the size and the number of the frames of a film."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", path, "-f", "null", "-"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return tuple(map(int, re.search(r", (\d+)x(\d+)", log).groups())), int(re.findall(r"frame= *(\d+)", log)[-1])


def test_a_film_of_a_tour_has_the_expected_number_of_pictures(pages_of, tour, tmp_path):
    size = 320, 180
    pages = pages_of(tour, size=size)
    path, seen = tmp_path / "film.mp4", []
    shoot(path, pages, lambda rate: tour_frames(pages, 4, rate, hold=0.2), seen.append)
    # Each dissolves into the next in 8 frames, and 17 glide from the first to the second; the third cannot be built,
    # the fourth is compared.
    assert read_film(path) == (size, 4 * 6 + 3 * 8 + 17)
    assert seen == sorted(seen)


def test_a_caption_fades_out_before_the_next_fades_in(pages_of, tour):
    def contrast(foot):
        lines = slice(round(foot.top()), round(foot.bottom()))
        part = pixels(pages)[lines].sum(axis=2)
        return part.max() - np.median(part)

    pages, strengths = pages_of(tour, size=(640, 360)), []
    for _ in tour_frames(pages, 2, 30, hold=0.1):
        if pages.leaving is not None:
            assert pages.caption_opacity == 0 or pages.leaving.opacity < 0.5
            strengths.append(contrast(pages.leaving.foot))
    assert len(strengths) == 8
    assert strengths[0] > 4 * min(strengths[3:5])
    assert strengths[-1] > 4 * min(strengths[3:5])
    assert pages.leaving is None
    assert pages.caption_opacity == 1


def test_a_cancelled_film_leaves_no_file(pages_of, tour, tmp_path, qtbot):
    pages = pages_of(tour)

    def cancel(done):
        raise Cancelled

    with pytest.raises(Cancelled):
        shoot(tmp_path / "film.gif", pages, lambda rate: tour_frames(pages, 4, rate), cancel)
    qtbot.waitUntil(lambda: list(tmp_path.iterdir()) == [], timeout=20_000)  # a thread discards it


def test_a_timeline_plays_step_after_step(pages_of):
    pages = pages_of(scenario_scene(preset("clex-rounds"), "CLEX", "{step}", ViewShare("machine")))
    steps = [(pages.session.state.time.step, times) for _, times in timeline_frames(pages, 10, 4.0)]
    expected = schedule(detailed_timeline(preset("clex-rounds").build()), 40)
    assert steps == expected
    assert sum(times for _, times in steps) == 40


def test_a_job_without_steps_makes_no_film_of_them(pages_of):
    scenario = preset("power775-smallest")
    pages = pages_of(scenario_scene(scenario, "One step", "", ViewShare("machine")))
    assert sum(times for _, times in timeline_frames(pages, 10, 1.0)) == 10


def test_a_recording_plays_to_loads_that_are_computed(pages_of):
    scenario = preset("power775-smallest")
    start = scenario.build()
    at = start.mapping.slots.tolist()
    edits = (TimedEdit(0.5, (0, 9), (at[9], at[0])), TimedEdit(1.0, (1, 20), (at[20], at[1])))
    played = Recording(1, "Swaps", plain_scenario(scenario), edits)
    pages = pages_of(scenario_scene(scenario, "Swaps", "", ViewShare("machine"), frozen=True))
    hottest = []
    for done, times in recording_frames(pages, played, 10):
        hottest.append((done, times, pages.session.state.utilisation.max()))
    # A second of the beginning, two changes half a second apart whose loads glide, the end.
    assert [times for _, times, _ in hottest] == [10, *[1] * 5, *[1] * 5, 10]
    assert [done for done, _, _ in hottest] == sorted(done for done, _, _ in hottest)
    assert hottest[-1][0] == 1
    slots = start.mapping.slots.copy()
    for edit in edits:
        slots[list(edit.tasks)] = edit.slots
    assert np.array_equal(pages.session.state.evaluation.case.mapping.slots, slots)
    bad = Recording(1, "Swaps", plain_scenario(scenario), (TimedEdit(0, (0,), (1,)),))
    with pytest.raises(SpecError, match=r"edits\[0\]"):
        list(recording_frames(pages, bad, 10))


def test_long_pauses_are_shortened_and_others_fill_the_time():
    gaps = np.array([0.0, 0.1, 0.3, 60.0, 0.2])
    pauses = paced(gaps, 3.0)
    assert pauses.sum() == pytest.approx(3.0)
    assert pauses[3] == MAX_GAP_SECONDS
    np.testing.assert_allclose(pauses[[1, 2, 4]] / pauses[1], [1, 3, 2])
    assert paced(gaps, 60.0).tolist() == [0, MAX_GAP_SECONDS, MAX_GAP_SECONDS, MAX_GAP_SECONDS, MAX_GAP_SECONDS]
    assert paced(np.zeros(0), 3.0).size == 0


def test_a_document_has_a_page_for_each_scene(qapp, tour):
    font = qapp.font()
    content = document(SceneEvaluations(tour), None, LIGHT, SIZE, no_progress)
    qapp.setFont(font)
    assert content.startswith(b"%PDF-")
    assert content.count(b"/Type /Page\n") == len(tour.scenes)
    assert b"/FontFile2" in content
