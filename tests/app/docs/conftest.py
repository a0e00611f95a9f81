"""The sources of the site without outputs, and with empty pictures and tours; with the links of the real site."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from app.docs import lists, site, tours, tutorial


def draw_nothing(scenario, path, theme):
    path.write_bytes(b"")


def take_nothing(name, folder, out):
    for theme in ("light", "dark"):
        (out / f"{name}-{theme}.png").write_bytes(b"")
    return ""


def run_nothing(language, text, work):
    """Write empty files where commands would."""
    words = text.split()
    for option, name in pairwise(words):
        if option in ("--out", ">"):
            (work / name).write_bytes(b"")
    return ""


def tour_nothing(*arguments):
    if arguments[0] == "page":
        Path(arguments[arguments.index("--out") + 1]).write_text("<!doctype html><title>Tour</title>")
        return ""
    scene = {"title": "A scene", "views": ["machine"], "text": "**10 GB/s** per node"}
    return json.dumps({"title": arguments[1], "scenes": [scene], "failing": []})


@pytest.fixture(scope="session")
def sources(qapp, tmp_path_factory):
    """The folder of the sources."""
    out = tmp_path_factory.mktemp("docs") / "sources"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "_draw", draw_nothing)
        patch.setattr(tours, "_program", tour_nothing)
        patch.setattr(tutorial, "run", run_nothing)
        patch.setattr(tutorial, "take", take_nothing)
        patch.setattr(tutorial, "check_figures", lambda path, text, printed: None)
        site.write(out)
    return out
