"""`tour`: a tour on a terminal, its claims checked, or as a document of one scene a page."""

import argparse
from pathlib import Path
from typing import Any

from app.cli.json_output import declare_json, print_json
from app.cli.patience import declare_insistence, refuse_minutes
from app.cli.picture import offscreen
from app.cli.streams import say_written, separate_output
from app.cli.tour_argument import TOUR_HELP, tour_named
from app.session.scenes import SceneEvaluations
from app.tour.figures import meanings
from core.files.atomic import write_atomically
from core.spec import Progress, SpecError, no_progress
from core.text import plural

FAILED = 1
"""Exit status where a scene cannot be shown, or a claim does not hold."""
EPILOG = """\
Prints each scene with its caption, whose figures are computed now, and each of its claims. The exit status is 1 if a
scene cannot be built, a figure of its caption cannot be computed, or a claim does not hold. --out writes a PDF of one
scene a page. With --json, failing lists the titles of these scenes, and the failing of each scene its errors.

Figures that captions and claims may name; of a class by its name, as LR_percent:"""
PAGE = 1280, 720


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    wide = max(map(len, meanings())) + 2
    parser.epilog = "\n".join([EPILOG, *(f"  {name:<{wide}}{meaning}" for name, meaning in meanings().items())])
    parser.add_argument("file", type=Path, metavar="FILE", help=TOUR_HELP)
    declare_json(parser)
    parser.add_argument("--out", type=Path, metavar="OUT.pdf", help="write a document, one scene a page")
    parser.add_argument("--theme", choices=("dark", "light"), default="light", help="its colours (default: light)")
    declare_insistence(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play a tour."""
    with separate_output(options, "out", ".pdf"):
        tour = tour_named(options.file)
        scenes = SceneEvaluations(tour, options.file.parent)
        progress = refuse_minutes(options.live.stage("scenes"), options.patient)
        found = [scene_figures(number, scenes, progress) for number in range(len(tour.scenes))]
        if options.out is not None:
            options.live.stage("drawing")
            _write_document(scenes, options.file, options.out, options.theme)
        options.live.end()
        failed = [one for one in found if "error" in one or one["failing"]]
        if options.json:
            print_json({"title": tour.title, "scenes": found, "failing": [one["title"] for one in failed]})
        else:
            _print(tour.title, found)
        say_written(options.out, options)
    return FAILED if failed else 0


def scene_figures(number: int, scenes: SceneEvaluations, progress: Progress) -> dict[str, Any]:
    """Return a scene's caption and claims, with errors and claims that do not hold; or why it cannot be shown."""
    scene = scenes.tour.scenes[number]
    found: dict[str, Any] = {"title": scene.title, "views": [one.view for one in scene.views]}
    try:
        scenes.prepare(number, progress)
    except SpecError as error:
        return found | {"error": str(error)}
    caption = scenes.caption(number)
    return found | {
        "text": caption.text,
        "throughput_gbs": scenes.evaluation(number).report.throughput_gbs,
        "claims": list(scene.claims),
        "failing": [*(f"text: {error}" for error in caption.errors), *scenes.failing(number)],
    }


def _print(title: str, found: list[dict[str, Any]]) -> None:
    print(f"{title} · {plural(len(found), 'scene')}")
    for number, one in enumerate(found, start=1):
        print(f"\n{number}. {one['title']}  [{', '.join(one['views'])}]")
        if "error" in one:
            print(f"   cannot be shown: {one['error']}")
            continue
        print(f"   {one['text']}")
        for error in one["failing"]:
            if error not in one["claims"]:
                print(f"   error in {error}")
        for claim in one["claims"]:
            print(f"   {'does not hold' if claim in one['failing'] else 'holds'}: {claim}")


def print_and_draw(file: Path, out: Path) -> None:
    """Print a tour, and draw it into a document.

    Raises SpecError: if it is no tour, or the document cannot be written.
    """
    tour = tour_named(file)
    scenes = SceneEvaluations(tour, file.parent)
    found = [scene_figures(number, scenes, no_progress) for number in range(len(tour.scenes))]
    _write_document(scenes, file, out, "dark")
    _print(tour.title, found)


def _write_document(scenes: SceneEvaluations, file: Path, out: Path, theme: str) -> None:
    with offscreen():
        from app.stage.document import document
        from app.style.theme import THEMES

        content = document(scenes, file, THEMES[theme], PAGE)
    write_atomically(out, content, "--out", ".pdf")
