"""`film`: a film of a tour, a timeline, a search or a recording as MP4 or GIF, without a display."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.cli.options import declare_epilog, declare_theme
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.picture import offscreen
from app.cli.render import size_given
from app.cli.scenario_argument import choices_of, declare_choices, is_file, scenario_given
from app.cli.scene_figures import SceneFigures, complaints, figures_of, status_of
from app.cli.streams import print_written, signals_held
from app.cli.tour_argument import names_tour, tour_named
from app.model.measurement import LinkSource
from app.model.scenes import ViewShare
from app.model.view_table import SPECS
from app.storage.animations import RATES
from app.tour.recording import SUFFIX as RECORDING
from app.tour.recording import decode_recording
from app.tour.tour_file import decode_tour
from core.files import decode
from core.files.atomic import check_place
from core.files.scenario_file import content_of
from core.spec import Progress, SpecError

if TYPE_CHECKING:
    from app.model.scenes import Tour
    from app.session.scenes import SceneEvaluations
    from app.stage.film import Frames
    from app.stage.page import Pages
    from app.tour.recording import Recording
    from core.load.scenario import Scenario

FILE_HELP = (
    f"tour, recording ({RECORDING}) or scenario file, name of a tour or preset, or - for a scenario on standard input"
)
SIZES = {"720p": (1280, 720), "1080p": (1920, 1080)}
GRACE_SECONDS = 5.0
"""Time to finish a frame and delete the unfinished film after a signal."""
NO_INTERVALS = "needs counters that were read several times; list the files of readings in between in measured.between"
MEASURED_TEXT = "Counters of the links, between one reading and the next"
ENDINGS = ", ".join(RATES)
EPILOG = """\
The film of a tour shows its scenes one after another, with transitions between scenes on the same network. The film of
a scenario plays the steps of its job, with --link-values the intervals of its counters, or with --search the course of
a search. A recording is played back as recorded. All loads are recomputed.

If a scene of a tour cannot be shown, a figure of its caption cannot be computed, or a claim does not hold, the film is
still written, every error is printed, and the exit status is 1, as with `tour`.
"""
Shot = tuple["SceneEvaluations", Path | None, Callable[["Pages", int], "Frames"]]
"""The subject of a film: scenes, their file, and a function that returns the frames for pages and a frame rate."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help=FILE_HELP)
    declare_choices(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="OUT", help=f"film to write: {ENDINGS}")
    parser.add_argument(
        "--size", type=_size, default=SIZES["720p"], metavar="SIZE", help="720p, 1080p or WxH pixels (default: 720p)"
    )
    declare_theme(parser, "dark")
    parser.add_argument(
        "--seconds",
        type=_seconds,
        metavar="S",
        help="duration of each scene of a tour (default: reading time), or of the whole film of a timeline or search "
        "(default: 10) or recording (default: as recorded)",
    )
    parser.add_argument(
        "--view",
        action="append",
        choices=tuple(SPECS),
        metavar="VIEW",
        dest="views",
        help=f"show this view instead of the default views, except for tours (repeatable): {', '.join(SPECS)}",
    )
    parser.add_argument(
        "--link-values",
        choices=[source.id for source in LinkSource if source is not LinkSource.HARM],
        default=LinkSource.LOAD.id,
        metavar="VALUES",
        help="colours of links in the film of a scenario: predicted, measured, difference or wait for the intervals "
        "between readings of its counters (default: load, for the steps of its job)",
    )
    parser.add_argument("--search", type=_seconds, metavar="S", help="film a search that lasts S seconds")
    # Used by the window, since files of a scenario that is not saved may be in any folder.
    parser.add_argument("--own", action="store_true", help=argparse.SUPPRESS)
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write a film."""
    check_place(options.out, "--out", RATES)
    with offscreen():
        scenes = _film(options)
    for line in complaints(scenes):
        print(f"fabriscope: {line}", file=sys.stderr)
    print_written(options.out, options)
    return status_of(scenes)


def _film(options: argparse.Namespace) -> list[SceneFigures]:
    # The figures of a tour's scenes, or none for other films, whose captions are built in.
    from app.stage.film import shoot
    from app.stage.page import Pages
    from app.style.theme import THEMES

    options.live.stage("reading")
    scenes, path, frames = _shot(options)
    patient = refuse_minutes(options.live.stage("loads"), options.patient)
    pages = Pages(scenes, path, THEMES[options.theme], options.size, patient)
    try:
        options.live.grace = GRACE_SECONDS
        with signals_held() as answer:
            shoot(options.out, pages, partial(frames, pages), _progress(options, answer))
        return figures_of(scenes, patient) if path is not None else []
    finally:
        pages.close()
        options.live.end()


def _shot(options: argparse.Namespace) -> Shot:
    file = options.file
    if file is not None and not is_file(file) and names_tour(file):
        _refuse_choices(options, "a tour")
        return _of_tour(tour_named(file), file, options)
    if file is None or not is_file(file):
        return _of_scenario(scenario_given(options), options)
    content, folder = content_of(file), file.parent
    kind = _kind(content)
    if kind == "fabriscope_tour":
        _refuse_choices(options, "a tour")
        return _of_tour(decode_tour(content, folder), file, options)
    if kind == "fabriscope_recording":
        _refuse_choices(options, "a recording")
        recording = decode_recording(content)
        return _of_recording(recording, recording.start(folder, own=options.own), options.views, options.seconds)
    chosen = choices_of(options)
    return _of_scenario(scenario_given(options) if chosen else decode(content, folder, own=options.own), options)


def _refuse_choices(options: argparse.Namespace, what: str) -> None:
    """Refuse options that cannot be used with `what`."""
    given = [*choices_of(options), *(["search"] if options.search is not None else [])]
    if options.views and what == "a tour":
        given.append("view")
    if given:
        raise SpecError(f"--{given[0]}", f"cannot be used with {what}")


def _kind(content: bytes) -> str:
    """Return the first key of a JSON object, which identifies the program's files; empty for other content."""
    try:
        return next(iter(msgspec.json.decode(content, type=dict[str, msgspec.Raw])), "")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _of_tour(tour: "Tour", file: Path, options: argparse.Namespace) -> Shot:
    from app.session.scenes import SceneEvaluations
    from app.stage.film import tour_frames

    scenes = SceneEvaluations(tour, file.parent)
    return scenes, file, lambda pages, rate: tour_frames(pages, len(tour.scenes), rate, options.seconds)


def _of_recording(recording: "Recording", start: "Scenario", views: list[str] | None, seconds: float | None) -> Shot:
    from app.session.scene_state import HEADLINE
    from app.stage.film import recording_frames, scenario_scene

    shares = _shares(views or ["machine", "job", "history"])
    scene = scenario_scene(start, recording.title, HEADLINE, *shares, frozen=True)
    return scene, None, lambda pages, rate: recording_frames(pages, recording, rate, seconds)


def _of_scenario(scenario: "Scenario", options: argparse.Namespace) -> Shot:
    from app.stage.film import DEFAULT_SECONDS, TIMELINE_TEXT, scenario_scene, timeline_frames

    plain = f"{scenario.job.title} on {scenario.network.title}"
    title = scenario.note.split("\n")[0] or plain
    if options.search is not None:
        from app.stage.searching import recorded_search

        # The scenario's note may not be true for the resulting mapping.
        title = f"Search: {plain}"
        recording = recorded_search(scenario, options.search, options.live.stage("search"), title)
        if not recording.edits:
            raise SpecError("--search", f"no better mapping was found in {options.search:g} s; use a longer search")
        return _of_recording(recording, scenario, options.views, options.seconds or DEFAULT_SECONDS)
    views = _shares(options.views or ["machine", "timeline"])
    if options.link_values != LinkSource.LOAD.id:
        return _of_counters(scenario, title, views, options)
    scene = scenario_scene(scenario, title, TIMELINE_TEXT, *views, step=1)
    scene.evaluation(0, refuse_minutes(options.live.stage("loads"), options.patient))
    scene.timeline(0, refuse_minutes(options.live.stage("steps"), options.patient))
    return scene, None, lambda pages, rate: timeline_frames(pages, rate, options.seconds or DEFAULT_SECONDS)


def _of_counters(scenario: "Scenario", title: str, views: "list[ViewShare]", options: argparse.Namespace) -> Shot:
    from app.stage.film import DEFAULT_SECONDS, scenario_scene, timeline_frames

    shown = {"link_values": options.link_values, "interval": 1}
    scene = scenario_scene(scenario, title, MEASURED_TEXT, *views, **shown)
    measured = scene.evaluation(0, refuse_minutes(options.live.stage("loads"), options.patient)).case.measured
    if measured is None or not measured.intervals:
        raise SpecError("--link-values", NO_INTERVALS)
    return scene, None, lambda pages, rate: timeline_frames(pages, rate, options.seconds or DEFAULT_SECONDS)


def _shares(views: list[str]) -> list[ViewShare]:
    """Return the views with their shares of the page: two thirds for the first view."""
    first, *others = views
    return [ViewShare(first, 2.0), *(ViewShare(name, 1 / len(others)) for name in others)]


def _progress(options: argparse.Namespace, answer: Callable[[], None]) -> Progress:
    show = options.live.stage("drawing")

    def progress(done: float) -> None:
        answer()
        show(done)

    return progress


def _size(text: str) -> tuple[int, int]:
    return SIZES.get(text) or size_given(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration; valid: 0.1 to 3,600 seconds")
    return seconds
