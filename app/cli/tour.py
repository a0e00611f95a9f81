"""`tour`: the scenes of a tour with current figures and checked claims, as text or as a PDF."""

import argparse
from pathlib import Path
from typing import Any

from msgspec import Struct

from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog, declare_theme
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.picture import offscreen
from app.cli.scene_figures import SceneFigures, failing, figures_of, shown_error, status_of
from app.cli.streams import print_written, separate_output
from app.cli.tour_argument import TOUR_HELP, tour_named
from app.session.scenes import SceneEvaluations
from core.files.atomic import write_atomically
from core.spec import no_progress
from core.text import plural

EPILOG = """\
For each scene, the caption with newly computed figures and the claims are printed. The exit status is 1 if a scene
cannot be shown, a figure of its caption cannot be computed, or a claim does not hold.

Fields that --json prints:
  title     the title of the tour
  scenes    title, views, text (the caption), throughput_gbs and claims of each scene; failing lists the claims that do
            not hold and the errors, and unchecked why a claim cannot be checked; error replaces all figures of a scene
            that cannot be shown
  failing   the titles of the scenes with errors or claims that do not hold

Captions and claims may use the figures that evaluate, metrics, timeline, measured and resilience print with --json, by
their paths, such as {classes.LR.percent} or {timeline.steps[0].seconds}, and figures of the step shown on the stage.
'fabriscope help figures' lists all.
"""
PAGE = 1280, 720


class TourFigures(Struct, frozen=True):
    """A tour's scenes with current figures."""

    title: str
    scenes: list[SceneFigures]
    failing: list[str]
    """Titles of scenes with errors, or with claims that do not hold."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("file", type=Path, metavar="FILE", help=TOUR_HELP)
    declare_json(parser, TourFigures)
    parser.add_argument("--out", type=Path, metavar="OUT.pdf", help="write a PDF with one scene per page")
    declare_theme(parser, "light")
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a tour, and write it as a document if --out is given."""
    with separate_output(options, "out", ".pdf"):
        tour = tour_named(options.file)
        scenes = SceneEvaluations(tour, options.file.parent)
        progress = refuse_minutes(options.live.stage("scenes"), options.patient)
        figures = figures_of(scenes, progress)
        if options.out is not None:
            options.live.stage("drawing")
            _write_document(scenes, options.file, options.out, options.theme)
        options.live.end()
        if options.json:
            print_json(TourFigures(tour.title, figures, [scene["title"] for scene in failing(figures)]))
        else:
            _print(tour.title, figures)
        print_written(options.out, options)
    return status_of(figures)


def _print(title: str, scenes: list[dict[str, Any]]) -> None:
    print(f"{title} · {plural(len(scenes), 'scene')}")
    for number, scene in enumerate(scenes, start=1):
        print(f"\n{number}. {scene['title']}  [{', '.join(scene['views'])}]")
        if "error" in scene:
            print(f"   cannot be shown: {scene['error']}")
            continue
        print(f"   {scene['text']}")
        for error in scene["failing"]:
            print(f"   {shown_error(error, scene)}")
        for claim in scene["claims"]:
            if claim not in scene["failing"]:
                print(f"   holds: {claim}")


def print_and_draw(file: Path, out: Path) -> int:
    """Print a tour, write it as a document, and return the exit status.

    Raises SpecError: if `file` is not a tour, or the document cannot be written.
    """
    tour = tour_named(file)
    scenes = SceneEvaluations(tour, file.parent)
    figures = figures_of(scenes, no_progress)
    _write_document(scenes, file, out, "dark")
    _print(tour.title, figures)
    return status_of(figures)


def _write_document(scenes: SceneEvaluations, file: Path, out: Path, theme: str) -> None:
    with offscreen():
        from app.stage.document import document
        from app.style.theme import THEMES

        content = document(scenes, file, THEMES[theme], PAGE)
    write_atomically(out, content, "--out", ".pdf")
