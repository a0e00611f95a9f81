"""Pages of the tours: each tour as an interactive page, and the text of its scenes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from app.cli.tour import TourFigures
from app.docs.page import Page, table
from app.docs.tutorial import ROOT, TutorialError
from app.storage.tours import tour_names
from app.wording.reference import as_markdown

PLACE = "interactive"
"""Folder of the interactive pages; their names are also names of pages of the site."""


def pages(out: Path) -> list[Page]:
    """Return an overview and a page for each tour; interactive pages are written into the folder `out`."""
    tours = {name: _tour(name) for name in tour_names()}
    (out / PLACE).mkdir(exist_ok=True)
    for name in tours:
        _program("page", name, "--patient", "--out", str(out / PLACE / f"{name}.html"))
    return [_overview(tours), *(_page(name, tour) for name, tour in tours.items())]


def _program(*arguments: str) -> str:
    """Return the output of the program; its status is not 0 if a tour has an error or a false claim."""
    command = [sys.executable, str(ROOT / "main.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise TutorialError(f"fabriscope {' '.join(arguments)}\n{done.stderr}{done.stdout}")
    return done.stdout


def _tour(name: str) -> TourFigures:
    return msgspec.json.decode(_program("tour", name, "--patient", "--json"), type=TourFigures)


def _overview(tours: dict[str, TourFigures]) -> Page:
    rows = [
        (f"[{as_markdown(tour.title)}]({name}.md)", str(len(tour.scenes)), f"`{name}`") for name, tour in tours.items()
    ]
    text = [
        "# Tours",
        "A tour is a talk in scenes, each with a scenario, its views and a caption. The figures in the captions are "
        "computed, and the claims behind them checked, whenever this site is built. Open a tour here as an interactive "
        "page, or in the window by **Tour › More tours**.",
        table(("Tour", "Scenes", "Name for commands"), rows),
    ]
    return Page("tours/index.md", "Overview", "\n\n".join(text))


def _page(name: str, tour: TourFigures) -> Page:
    text = [
        f"# {as_markdown(tour.title)}",
        f"[Open the interactive page]({PLACE}/{name}.html){{ .md-button .md-button--primary target=_blank }}",
        f'<iframe class="tour" src="{PLACE}/{name}.html" title="{tour.title}" loading="lazy"></iframe>',
        f"`fabriscope page {name} --out {name}.html` writes this page. `fabriscope tour {name}` prints the text below.",
        *_scenes(tour),
    ]
    return Page(f"tours/{name}.md", tour.title, "\n\n".join(text))


def _scenes(tour: TourFigures) -> Iterator[str]:
    for number, scene in enumerate(tour.scenes, start=1):
        yield f"## {number}. {as_markdown(scene['title'])}"
        yield scene["text"]
