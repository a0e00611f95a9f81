"""`film`: a tour, a job's timeline, a search or a recording as MP4 or GIF, without a screen."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.patience import declare_insistence, refuse_minutes
from app.cli.picture import offscreen
from app.cli.render import size_given
from app.cli.scenario_argument import declare_choices, scenario_of
from app.cli.tour_argument import names_tour, tour_named
from app.storage.animations import RATES
from app.tour.recording import SUFFIX as RECORDING
from app.tour.recording import read_recording
from core.files.atomic import check_place
from core.spec import Progress, SpecError

if TYPE_CHECKING:
    from app.model.scenes import Tour
    from app.stage.film import Frames
    from app.stage.page import Pages

FILE_HELP = (
    f"tour, recording ({RECORDING}), scenario, - (a scenario on standard input), or the name of a tour or preset"
)
SIZES = {"720p": (1280, 720), "1080p": (1920, 1080)}
ENDINGS = ", ".join(RATES)
EPILOG = """\
Of a tour each scene is seen for some seconds, and what is of one network glides to the next; of a scenario the steps of
its job are played, or with --search what a search finds; a recording is played as it was. Every load is computed."""
Shot = tuple["Tour", Path | None, Callable[["Pages", int], "Frames"]]
"""What is filmed: scenes, the file they are from, and the pictures of them at so many a second."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help=FILE_HELP)
    declare_choices(parser, "in place of a scenario, or of what stands in it")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT", help=f"film to write: {ENDINGS}")
    parser.add_argument(
        "--size", type=_size, default=SIZES["720p"], metavar="SIZE", help="720p, 1080p or WxH pixels (default: 720p)"
    )
    parser.add_argument("--theme", choices=("dark", "light"), default="dark", help="colours (default: dark)")
    parser.add_argument("--seconds", type=_seconds, metavar="S", help="of each scene (6), or of all of it (10)")
    parser.add_argument("--search", type=_seconds, metavar="S", help="film a search of so many seconds")
    parser.add_argument("--progress", action="store_true", help="print how much is done, in percent, line by line")
    declare_insistence(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make a film."""
    if options.out.suffix.lower() not in RATES:
        raise SpecError("--out", f"{options.out.name!r} has none of the endings {ENDINGS}")
    check_place(options.out, "--out")
    with offscreen():
        _film(options)
    return 0


def _film(options: argparse.Namespace) -> None:
    from app.stage.film import shoot
    from app.stage.page import Pages
    from app.style.theme import THEMES

    options.live.stage("reading")
    tour, path, frames = _shot(options)
    patient = refuse_minutes(options.live.stage("loads"), options.patient)
    pages = Pages(tour, path, THEMES[options.theme], options.size, patient)
    try:
        shoot(options.out, pages, partial(frames, pages), _telling(options))
    finally:
        pages.close()


def _shot(options: argparse.Namespace) -> Shot:
    from app.stage.film import recording_frames, timeline_frames, tour_frames

    seconds, file = options.seconds, options.file
    if file is not None and names_tour(file):
        tour, hold = tour_named(file), {} if seconds is None else {"hold": seconds}
        return tour, file, lambda pages, rate: tour_frames(pages, len(tour.scenes), rate, **hold)
    from app.model.scenes import Share
    from app.stage.film import RECORDING_TEXT, TIMELINE_TEXT, WHOLE, scenario_tour

    views = Share("machine", 3.0), Share("job")
    if file is not None and file.name.endswith(RECORDING):
        found = read_recording(file)
        one = scenario_tour(found.start(file.parent), found.title, RECORDING_TEXT, *views, frozen=True)
        return one, file, lambda pages, rate: recording_frames(pages, found, rate, seconds)
    scenario = scenario_of(options)
    title = scenario.note.split("\n")[0] or f"{scenario.job.title} on {scenario.network.title}"
    if options.search is not None:
        from app.stage.searching import recorded_search

        found = recorded_search(scenario, options.search, options.live.stage("search"))
        one = scenario_tour(scenario, f"Search: {title}", RECORDING_TEXT, *views, frozen=True)
        return one, file, lambda pages, rate: recording_frames(pages, found, rate, seconds or WHOLE)
    one = scenario_tour(scenario, title, TIMELINE_TEXT, Share("machine", 2.0), Share("timeline"))
    return one, file, lambda pages, rate: timeline_frames(pages, rate, seconds or WHOLE)


def _telling(options: argparse.Namespace) -> Progress:
    show, last = options.live.stage("drawing"), -1

    def progress(done: float) -> None:
        nonlocal last
        show(done)
        percent = round(100 * done)
        if options.progress and percent != last:
            last = percent
            print(percent, flush=True)

    return progress


def _size(text: str) -> tuple[int, int]:
    return SIZES.get(text) or size_given(text)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.1 <= found <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; give 0.1 to 3600 seconds")
    return found
