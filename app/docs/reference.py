"""Pages of the reference: the texts that the window's reference shows, and the Python interface."""

import inspect
import re
import sys
from functools import partial
from importlib.resources import files
from pathlib import Path
from shutil import copyfile
from typing import Any

import app.fabriscope
import resources
from app import api
from app.docs.page import Draw, Page, by_heading, indented, picture, slug, table
from app.window.help import reference
from app.wording.reference import CHAPTERS
from core.figures.result import Result, figures_in

PICTURE = re.compile(r"!\[(.*)\]\((.*)-light\.png\)")
"""A picture in the text of a chapter, named for light backgrounds."""
FAMILY = re.compile(r"^## (.+) \(`([^`]+)`\)$", re.MULTILINE)
"""The heading of a value of a choice."""
CHOICES = re.compile(r".* (?:choices|objectives|methods)")
"""Titles of the sections about the values of a choice."""


def pages() -> dict[str, list[Page]]:
    """Return the pages of the window and files, and of the values of choices, by the heading of the navigation."""
    sections = dict(by_heading(reference()))
    choices = [title for title in sections if CHOICES.fullmatch(title)]
    window = [_page(title, text) for title, text in sections.items() if title not in choices]
    return {"Reference": [_overview(window), *window], "Choices": [_page(name, sections[name]) for name in choices]}


def _overview(window: list[Page]) -> Page:
    intro = (files(resources) / "help.md").read_text(encoding="utf-8").partition("\n## ")[0].partition("\n")[2]
    text = [
        "# Reference",
        intro.strip(),
        "These pages are the reference that the window shows by **Help › Reference**.",
        "\n".join(f"- [{page.title}]({page.path.rpartition('/')[2]})" for page in window),
    ]
    return Page("reference/index.md", "Overview", "\n\n".join(text))


def _page(title: str, text: str) -> Page:
    text = FAMILY.sub(r"## \1 (`\2`) { #\2 }", indented(text))
    pictures: dict[str, Draw] = {name: partial(_copy, name) for _, name in PICTURE.findall(text)}
    text = PICTURE.sub(lambda match: picture(match[2], match[1]), text)
    return Page(f"reference/{slug(title)}.md", title, f"# {title}\n\n{text}", pictures)


def _copy(name: str, path: Path, theme: str) -> None:
    copyfile(CHAPTERS / f"{name}-{theme}.png", path)


def python_pages() -> list[Page]:
    """Return the pages of the Python interface, into which mkdocstrings inserts the docstrings of `fabriscope`."""
    functions = [name for name in api.__all__ if inspect.isfunction(getattr(api, name))]
    results = [name for name in api.__all__ if _is_result(getattr(api, name))]
    others = [name for name in api.__all__ if inspect.isclass(getattr(api, name)) and name not in results]
    objects = sorted(set(others) - {"SpecError"}, key=lambda name: name != "Scenario")
    return [
        _python_overview({"functions": functions, "objects": objects, "results": results}),
        _python_page("functions", "Functions", functions),
        _python_page("objects", "Scenarios, loads and pictures", objects),
        _python_page("results", "Results", results),
    ]


def result_fields() -> dict[str, dict[str, str]]:
    """Return the description of each field of the results, by the paths of their classes and by name."""
    kinds = [getattr(api, name) for name in api.__all__ if _is_result(getattr(api, name))]
    return {f"{kind.__module__}.{kind.__name__}": _described(kind) for kind in kinds}


def _described(kind: type) -> dict[str, str]:
    return {
        name: f"{figure.meaning[:1].upper()}{figure.meaning[1:]}{f', in {figure.unit}' if figure.unit else ''}."
        for name, figure in figures_in(kind).items()
    }


def _is_result(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Result)


def _python_overview(names: dict[str, list[str]]) -> Page:
    rows = [
        (f"[`{name}`]({page}.md#{_path_of(name)})", _summary(name)) for page, group in names.items() for name in group
    ]
    text = inspect.cleandoc(app.fabriscope.__doc__ or "")
    return Page("python/index.md", "Overview", "\n\n".join(["# Python", text, table(("Name", "Purpose"), rows)]))


def _summary(name: str) -> str:
    return " ".join((getattr(api, name).__doc__ or "").partition("\n\n")[0].split())


def _python_page(stem: str, title: str, names: list[str]) -> Page:
    return Page(f"python/{stem}.md", title, "\n\n".join([f"# {title}", *(f"::: {_path_of(name)}" for name in names)]))


def _path_of(name: str) -> str:
    """Return the path of a public name; mkdocstrings takes ``fabriscope.study`` for the module of that name."""
    hidden = f"{api.__name__}.{name}" in sys.modules
    return f"{getattr(api, name).__module__}.{name}" if hidden else f"fabriscope.{name}"
