"""A report as one self-contained HTML page."""

import re
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

import resources
from app import __version__
from app.report.document import Document
from app.report.drawings import Drawing
from app.storage.record import META
from app.style.theme import DARK, LIGHT, Theme

UNIT = re.compile(r"(?<=\d) (?=(?:%|[KMG]?B(?:/s)?|bytes|s|ms|µs|ns|units?)(?!\w))")
"""The space before a unit."""


def page_of(document: Document, drawings: Mapping[str, Drawing]) -> bytes:
    """Return the page of a report; pictures without a drawing are omitted."""
    text = template("report/page.html").render(
        document=document,
        drawings=drawings,
        version=__version__,
        record_name=META,
        style=Markup(resource("report/report.css")),
        light=colours(LIGHT),
        dark=colours(DARK),
    )
    return text.encode(errors="replace")  # a path may not be valid Unicode


@cache
def template(path: str) -> Template:
    """Return a template in the folder of resources."""
    # Notes and names of a scenario are text and not HTML, so they are escaped.
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=FunctionLoader(resource))
    environment.filters["tied"] = tied
    return environment.get_template(path)


def tied(text: str) -> str:
    """Return a text in which no line ends between a number and its unit."""
    return UNIT.sub("\N{NO-BREAK SPACE}", text)


def resource(path: str) -> str:
    """Return the text of a file in the folder of resources."""
    return files(resources).joinpath(*path.split("/")).read_text(encoding="utf-8")


def colours(theme: Theme) -> Markup:
    """Return the colours of a theme as properties of CSS."""
    roles = (field.name for field in fields(theme) if field.name not in ("name", "roles"))
    return Markup(" ".join(f"--{role.replace('_', '-')}: {getattr(theme, role)};" for role in roles))
