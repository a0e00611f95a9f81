"""A report as one self-contained HTML page."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

import resources
from app import __version__
from app.report.document import Document
from app.report.drawings import Drawing
from app.style.theme import DARK, LIGHT, Theme


def page_of(document: Document, drawings: Mapping[str, Drawing]) -> bytes:
    """Return the page of a report; pictures without a drawing are omitted."""
    text = _template().render(
        document=document,
        drawings=drawings,
        version=__version__,
        style=Markup(_resource("report.css")),
        light=_colours(LIGHT),
        dark=_colours(DARK),
    )
    return text.encode(errors="replace")  # a path may not be valid Unicode


@cache
def _template() -> Template:
    # Notes and names of a scenario are text and not HTML, so they are escaped.
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(_resource("page.html"))


def _resource(name: str) -> str:
    return (files(resources) / "report" / name).read_text(encoding="utf-8")


def _colours(theme: Theme) -> Markup:
    roles = (field.name for field in fields(theme) if field.name not in ("name", "roles"))
    return Markup(" ".join(f"--{role.replace('_', '-')}: {getattr(theme, role)};" for role in roles))
