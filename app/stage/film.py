"""Films: what pictures of scenes, of a timeline or of a recording follow each other, and for how long each is seen."""

from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from app.model.scenes import Scale, Scene, Share, Tour
from app.session.presentation import GLIDE_MS
from app.stage.page import Pages
from app.storage.animations import RATES, Animation
from app.tour.recording import Recording
from app.tour.tour_file import plain_scenario
from core.load.scenario import Scenario
from core.mapping.edit import difference
from core.mapping.mapping import Mapping
from core.spec import Progress, SpecError
from core.timing.timeline import Timeline

HOLD = 6.0
"""Seconds that a scene is seen."""
WHOLE = 10.0
"""Seconds of a timeline or a recording."""
AT_END = 1.5
"""Seconds that the end of a recording is seen."""
TIMELINE_TEXT = "{step_name}: {step_messages} messages in {step_ms} ms"
RECORDING_TEXT = "**{throughput_gbs} GB/s** per node; {bottleneck} limits."
Frames = Iterator[tuple[float, int]]
"""For each picture to be painted: the fraction that is done, and how many pictures of the film it stands for."""


def tour_frames(pages: Pages, count: int, rate: int, hold: float = HOLD) -> Frames:
    """Go through the scenes of a tour: each is seen for so many seconds, and glides to the next of its network."""
    for number in range(count):
        for _ in pages.glide_to(number, round(GLIDE_MS / 1000 * rate) - 1):
            yield number / count, 1
        yield (number + 1) / count, max(round(hold * rate), 1)


def timeline_frames(pages: Pages, rate: int, seconds: float = WHOLE) -> Frames:
    """Go through the steps of a scenario, each seen for as long as it takes, of so many seconds in all.

    Raises SpecError: if it is not known when they run.
    """
    pages.show(0)
    timekeeper = pages.session.timekeeper
    timekeeper.look()
    found = timekeeper.current
    if found is None:
        raise SpecError("timing", f"no film of steps without times: {pages.session.state.time.timeline_refused}")
    pictures = max(round(seconds * rate), 1)
    done = 0
    for step, times in schedule(found, pictures):
        timekeeper.go_to(step)
        done += times
        yield done / pictures, times


def recording_frames(pages: Pages, recording: Recording, rate: int, seconds: float | None = None) -> Frames:
    """Play a recording, as fast as it was or in so many seconds, by live loads.

    Raises SpecError: naming an edit that is none of its machine and job.
    """
    pages.show(0)
    session = pages.session
    case = session.state.evaluation.case
    played = list(recording.played(case.mapping.slots, case.network.slots))
    length = played[-1][0] if played else 0.0
    speed = 1.0 if seconds is None or not length else max(seconds - AT_END, 0.1) / length
    changes = [0.0, *(at * speed for at, _ in played), length * speed + AT_END]
    for number, (at, until) in enumerate(pairwise(changes)):
        if number:
            slots = played[number - 1][1]
            now = session.state.evaluation.case.mapping
            session.editing.apply(difference(now, Mapping(slots, now.slots_per_node)), recording.title)
        times = round(until * rate) - round(at * rate)
        if times:
            yield until / changes[-1], times


def scenario_tour(scenario: Scenario, title: str, text: str, *views: Share, frozen: bool = False) -> Tour:
    """Return a tour of one scene, in which something then goes on; `frozen`: in the colours of its beginning."""
    scale = Scale(frozen="start" if frozen else None)
    scene = Scene(title, text, id="start", scenario=plain_scenario(scenario), views=views, scale=scale)
    return Tour(1, title, (scene,))


def schedule(timeline: Timeline, pictures: int) -> list[tuple[int, int]]:
    """Return the steps that are seen in so many pictures, each with how many of these it takes."""
    steps = [timeline.step_at((k + 0.5) * timeline.seconds / pictures) for k in range(pictures)]
    return [(step, len(list(same))) for step, same in groupby(steps)]


def shoot(path: Path, pages: Pages, frames: Callable[[int], Frames], progress: Progress) -> None:
    """Write a film; nothing stands at its path before it is finished.

    `frames` takes the pictures a second of such a film.

    Raises SpecError: if it cannot be written, or a frame cannot be made. Raises Cancelled: when `progress` does.
    """
    animation = Animation(path, pages.size)
    try:
        for done, times in frames(RATES[path.suffix.lower()]):
            progress(done)
            animation.add(picture(pages), times)
        animation.finish()
        animation.wait()
    finally:
        animation.drop()


def picture(pages: Pages) -> QImage:
    """Return the page that is shown, in its size in pixels."""
    image = QImage(*pages.size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pages.paint(painter, QRectF(image.rect()))
    painter.end()
    return image
