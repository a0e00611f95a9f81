"""Writes the sources of the site: pages, pictures, schemas and interactive tours, and the configuration."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import yaml

from app import __version__
from app.docs import commands, lists, reference, tours
from app.docs.page import Page, indented, slug
from app.docs.tutorial import ROOT, SOURCES, written_page, written_pages
from app.style.theme import THEMES, Theme

TUTORIALS = "tutorials/"
SCHEMES = {"light": "default", "dark": "slate"}
"""Names of the themes in the site."""


def write(out: Path) -> None:
    """Write the sources of the site, with ``mkdocs.yml``, into a folder; an older folder is replaced.

    Raises TutorialError: if a command of a tutorial or tour fails, or the program does not print a quoted figure.
    """
    rmtree(out, ignore_errors=True)
    out = out.resolve()
    docs = out / "docs"
    for folder in ("tutorials", "tours", "schemas", "assets"):
        (docs / folder).mkdir(parents=True)
    sections = _sections(docs)
    for page in chain.from_iterable(sections.values()):
        _write_page(docs, page)
    for name, schema in lists.schemas().items():
        path = docs / "schemas" / f"{name}.schema.json"
        path.write_bytes(msgspec.json.format(msgspec.json.encode(schema), indent=2))
    copyfile(ROOT / "resources" / "desktop" / "fabriscope.svg", docs / "assets" / "logo.svg")
    (docs / "assets" / "colours.css").write_text("\n".join(map(_colours, THEMES.values())), encoding="utf-8")
    _write_configuration(out, sections)


def _sections(docs: Path) -> dict[str, list[Page]]:
    """Return the pages by the heading of the navigation; tours are computed while this process draws."""
    with ThreadPoolExecutor(1) as pool:
        touring: Future[list[Page]] = pool.submit(tours.pages, docs / "tours")
        start, tutorials = _written(docs)
        return {
            "": start,
            "Tutorials": tutorials,
            "Tours": touring.result(),
            **reference.pages(),
            "Lists": lists.pages(),
            "Command line": commands.pages(),
            "Python": reference.python_pages(),
            "Project": [_of_project("CHANGELOG.md"), _of_project(".github/CONTRIBUTING.md")],
        }


def _written(docs: Path) -> tuple[list[Page], list[Page]]:
    """Return the written pages, and the tutorials among them."""
    pages = []
    for path in written_pages():
        with TemporaryDirectory() as work:
            pages.append(written_page(path, Path(work), (docs / path).parent))
    tutorials = [page for page in pages if page.path.startswith(TUTORIALS)]
    return [page for page in pages if page not in tutorials], tutorials


def _of_project(path: str) -> Page:
    text = (ROOT / path).read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ")
    return Page(f"project/{slug(title)}.md", title, indented(text))


def _write_page(docs: Path, page: Page) -> None:
    path = docs / page.path
    path.parent.mkdir(exist_ok=True)
    path.write_text(page.text + "\n", encoding="utf-8")
    for name, draw in page.pictures.items():
        for theme in THEMES:
            draw(path.parent / f"{name}-{theme}.png", theme)


def _colours(theme: Theme) -> str:
    """Return the style sheet of a theme, in the colours of the window."""
    return f"""[data-md-color-scheme="{SCHEMES[theme.name]}"] {{
  --md-default-bg-color: {theme.panel};
  --md-default-fg-color: {theme.text};
  --md-primary-fg-color: {theme.window};
  --md-primary-bg-color: {theme.text};
  --md-primary-bg-color--light: {theme.dim};
  --md-accent-fg-color: {theme.accent};
  --md-typeset-a-color: {theme.accent};
  --md-typeset-color: {theme.text};
  --md-code-bg-color: {theme.field};
  --md-footer-bg-color: {theme.window};
  --md-footer-bg-color--dark: {theme.window};
  --md-footer-fg-color: {theme.text};
}}"""


def _write_configuration(out: Path, sections: dict[str, list[Page]]) -> None:
    """Write the configuration of the site, and the files that it names."""
    (out / "fields.json").write_bytes(msgspec.json.encode(reference.result_fields()))
    copyfile(SOURCES / "result_fields.py", out / "result_fields.py")
    configuration: dict[str, Any] = {
        "INHERIT": os.path.relpath(SOURCES / "mkdocs.yml", out),
        "docs_dir": "docs",
        "theme": {"custom_dir": str(SOURCES / "theme")},
        "plugins": {"mkdocstrings": {"handlers": {"python": {"paths": [str(ROOT), str(ROOT / "app")]}}}},
        "copyright": f"Fabriscope {__version__}, MIT license",
        "nav": _navigation(sections),
    }
    (out / "mkdocs.yml").write_text(yaml.safe_dump(configuration, sort_keys=False, allow_unicode=True), "utf-8")


def _navigation(sections: dict[str, list[Page]]) -> list[dict[str, Any]]:
    """Return the sections with their pages; pages of the section without a title come first, without a heading."""
    listed = {title: [{page.title: page.path} for page in pages] for title, pages in sections.items()}
    return [*listed.pop(""), *({title: pages} for title, pages in listed.items())]
