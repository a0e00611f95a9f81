"""Films of tours, timelines and recordings: the sequence of pictures, and how long each is shown."""

import time
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from app.model.scenes import Scale, Scene, Tour, ViewShare
from app.session.presentation import GLIDE_MS
from app.session.scenes import SceneEvaluations
from app.session.session import Session
from app.stage.page import Leaving, Pages
from app.storage.animations import RATES, Animation
from app.tour.recording import Recording
from app.tour.tour_file import plain_scenario
from core.load.scenario import Scenario
from core.mapping.edit import edit_between
from core.spec import Progress, SpecError
from core.timing.timeline import Timeline

MIN_SCENE_SECONDS = 6.0
"""Minimum time that a scene is shown."""
LOOK_SECONDS, WORDS_PER_SECOND = 3.0, 3.0
"""Time to view a scene besides reading, and words read per second."""
DEFAULT_SECONDS = 10.0
"""Length of a film of a timeline or a recording."""
DISSOLVE_SECONDS = 0.25
"""Time in which a scene dissolves into the next."""
AT_START, AT_END = 1.0, 1.5
"""Seconds for which the beginning and the end of a recording are held."""
MAX_GAP_SECONDS = 1.5
"""Maximum pause between two changes, if the length of the film is given."""
MIN_GLIDE_SECONDS = 0.25
"""Minimum pause after a change in which loads glide."""
POLL_SECONDS = 0.01
"""Interval for checking whether a picture is written."""
TIMELINE_TEXT = "**{step_name}** · {step_messages} messages in {step_ms} ms"
Frames = Iterator[tuple[float, int]]
"""For each picture to paint: the fraction done, and for how many pictures of the film it is repeated."""


def tour_frames(pages: Pages, count: int, rate: int, hold: float | None = None) -> Frames:
    """Yield the scenes of a tour; each dissolves into the next, or glides to it if the network stays.

    Each is shown for `hold` seconds, or, for None, long enough to read its caption.
    """
    for number in range(count):
        done, left = number / count, _left(pages) if number else None
        for _ in pages.glide_to(number, glide_pictures(rate)):
            yield from _dissolved(pages, left, rate, done)
            left = None
            yield done, 1
        yield from _dissolved(pages, left, rate, done)
        seconds = (
            max(MIN_SCENE_SECONDS, LOOK_SECONDS + len(pages.words.split()) / WORDS_PER_SECOND) if hold is None else hold
        )
        yield (number + 1) / count, max(round(seconds * rate), 1)


def _left(pages: Pages) -> Leaving:
    """Return the pictures of the scene that is shown."""
    captioned = page_image(pages)
    pages.caption_opacity = 0.0
    picture = page_image(pages)
    pages.caption_opacity = 1.0
    return Leaving(picture, captioned, pages.foot, 1.0)


def _dissolved(pages: Pages, left: Leaving | None, rate: int, done: float) -> Frames:
    """Dissolve the picture of the last scene into the page that is shown.

    Its caption fades out before the caption of the page fades in, so that no two sentences overlap.
    """
    if left is None:
        return
    count = round(DISSOLVE_SECONDS * rate)
    for k in range(1, count + 1):
        opacity = 1 - k / (count + 1)
        pages.leaving = left._replace(opacity=opacity)
        pages.caption_opacity = max(1 - 2 * opacity, 0.0)
        yield done, 1
    pages.leaving, pages.caption_opacity = None, 1.0


def timeline_frames(pages: Pages, rate: int, seconds: float = DEFAULT_SECONDS) -> Frames:
    """Yield the steps of a scenario, or its measured intervals, each in proportion to its duration, `seconds` in all.

    Raises SpecError: if the timeline is not known.
    """
    pages.show(0)
    session = pages.session
    timeline = _measured(session) if session.state.intervals else _predicted(session)
    pictures = max(round(seconds * rate), 1)
    done = 0
    for step, times in schedule(timeline, pictures):
        session.go_to(step)
        done += times
        yield done / pictures, times


def _predicted(session: Session) -> Timeline:
    session.timekeeper.look()
    timeline = session.timekeeper.current
    if timeline is None:
        raise SpecError("timing", f"a film of the steps needs their times: {session.state.time.timeline_refused}")
    return timeline


def _measured(session: Session) -> Timeline:
    session.series.look()
    series = session.state.series
    assert series is not None
    return series.timeline


def recording_frames(pages: Pages, recording: Recording, rate: int, seconds: float | None = None) -> Frames:
    """Play a recording from its first change on with live loads, at its own speed or in `seconds` at most.

    Raises SpecError: naming an edit that does not fit its machine and job.
    """
    pages.show(0)
    session = pages.session
    case = session.state.evaluation.case
    played = list(recording.played(case.mapping.slots, case.network.slots))
    times = np.array([at for at, _ in played])
    gaps = np.diff(times, prepend=times[:1])
    if seconds is not None:
        gaps = paced(gaps, seconds - AT_START - AT_END)
    ends = np.append(AT_START + np.cumsum(gaps), AT_START + gaps.sum() + AT_END)
    pictures = np.round(ends * rate).astype(int)
    yield 0.0, int(pictures[0])
    for (_, slots), begin, end in zip(played, pictures, pictures[1:], strict=False):
        left = int(end - begin)
        if not left:
            continue  # falls on the same picture as the next change
        before, now = session.state.utilisation, session.state.evaluation.case.mapping
        session.editing.apply(edit_between(now, now.moved(slots)), recording.title)
        if left >= MIN_GLIDE_SECONDS * rate:
            for _ in pages.glide_from(before, min(glide_pictures(rate), left - 1)):
                left -= 1
                yield float(end - left) / pictures[-1], 1
        yield float(end) / pictures[-1], left


def paced(gaps: NDArray[np.float64], seconds: float) -> NDArray[np.float64]:
    """Return pauses scaled to sum to `seconds`, each at most `MAX_GAP_SECONDS`; if all are limited the sum is less."""
    pauses = np.sort(gaps[gaps > 0])[::-1]
    if not pauses.size:
        return gaps
    # The sum as a function of speed is piecewise linear; its breakpoints are where one more pause is cut.
    speeds = MAX_GAP_SECONDS / pauses
    filled = MAX_GAP_SECONDS * np.arange(1, pauses.size + 1) + speeds * (pauses.sum() - np.cumsum(pauses))
    speed = np.interp(max(seconds, 0.1), np.append(0, filled), np.append(0, speeds))
    cut: NDArray[np.float64] = np.minimum(gaps * speed, MAX_GAP_SECONDS)
    return cut


def glide_pictures(rate: int) -> int:
    """Return the number of pictures of a glide before the picture with the final loads."""
    return round(GLIDE_MS / 1000 * rate) - 1


def scenario_scene(
    scenario: Scenario, title: str, text: str, *views: ViewShare, frozen: bool = False, **shown: Any
) -> SceneEvaluations:
    """Return a tour of one scene, for films of a timeline or a recording.

    `frozen`: keep the initial colour scale; `shown`: further fields of the scene, such as the first step to show.
    """
    scale = Scale(frozen="start" if frozen else None)
    scene = Scene(title, text, id="start", scenario=plain_scenario(scenario), views=views, scale=scale, **shown)
    return SceneEvaluations.of(Tour(1, title, (scene,)), scenario)


def schedule(timeline: Timeline, pictures: int) -> list[tuple[int, int]]:
    """Return the steps shown in `pictures` pictures, each with its number of pictures."""
    steps = [timeline.step_at((k + 0.5) * timeline.seconds / pictures) for k in range(pictures)]
    return [(step, len(list(same))) for step, same in groupby(steps)]


def shoot(path: Path, pages: Pages, frames: Callable[[int], Frames], progress: Progress) -> None:
    """Write a film; there is no file at its path before it is finished.

    `frames` is called with the frame rate.

    Raises SpecError: if it cannot be written, or a frame cannot be made. Raises Cancelled: when `progress` does.
    """
    animation = Animation(path, pages.size, pages.source)
    try:
        for done, times in frames(RATES[path.suffix.lower()]):
            progress(done)
            image = page_image(pages)
            _wait_for(animation, progress, done)
            animation.add(image, times)
        _wait_for(animation, progress, 1.0)
        animation.finish()
        _wait_for(animation, progress, 1.0)
        animation.wait()
    finally:
        animation.drop()


def _wait_for(animation: Animation, progress: Progress, done: float) -> None:
    while animation.busy:
        progress(done)
        time.sleep(POLL_SECONDS)


def page_image(pages: Pages) -> QImage:
    """Return the page that is shown as an image."""
    image = QImage(*pages.size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pages.paint(painter, QRectF(image.rect()))
        if pages.leaving is not None:
            _paint_leaving(painter, pages.leaving)
    finally:
        painter.end()
    return image


def _paint_leaving(painter: QPainter, left: Leaving) -> None:
    painter.setOpacity(left.opacity)
    painter.drawImage(0, 0, left.picture)
    painter.setOpacity(max(2 * left.opacity - 1, 0.0))
    painter.setClipRect(left.foot)
    painter.drawImage(0, 0, left.captioned)
