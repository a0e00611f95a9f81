"""A page as HTML: pictures, figures and the data for its script, which makes them interactive."""

from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from hashlib import sha256

import msgspec
from markupsafe import Markup

from app import __version__
from app.model.state import State
from app.page.content import PageContent
from app.report.document import PicturePlace
from app.report.drawings import Drawing, drawing_of, machine_in
from app.report.page import colours, resource, template
from app.storage.record import META
from app.style.theme import DARK, LIGHT
from core.spec import Progress, no_progress

SCRIPTS = (
    "data", "machine", "scene", "draw", "find", "labels", "pane", "state", "texts", "table", "legend", "steps", "page",
)  # fmt: skip
"""The files of the script, in order; together they are one."""
SIZE = 1032, 660
"""Size of the pictures shown without scripts."""
MAX_SVG_BYTES, MAX_STILLS = 200_000, 3_000_000
"""Largest drawing of such a picture, and maximum number of characters of all pictures; further ones are omitted."""
PIXEL_RATIO = 1.0
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""Characters that could end a script, in the data."""


def page_of(content: PageContent, made: str, progress: Progress = no_progress) -> bytes:
    """Return the page of some content; `made` is its last line.

    Needs a running application for its fonts. Raises Cancelled: when `progress` does.
    """
    script = "".join(resource(f"page/{name}.js") for name in SCRIPTS)
    text = template("page/page.html").render(
        content=content,
        stills=stills(content.stills, progress),
        made=made,
        version=__version__,
        record_name=META,
        data=_data(content),
        script=Markup(script),
        digest=b64encode(sha256(script.encode()).digest()).decode(),
        style=Markup(resource("page/page.css")),
        light=colours(LIGHT),
        dark=colours(DARK),
        drawings={},
    )
    return text.encode(errors="replace")  # a path may not be valid Unicode


def _data(content: PageContent) -> Markup:
    text = msgspec.json.encode(content.data).decode()
    for character, escape in ESCAPES.items():
        text = text.replace(character, escape)
    return Markup(text)


def stills(states: Sequence[State | None], progress: Progress = no_progress) -> list[Drawing | None]:
    """Return the pictures that are shown without scripts; None where there is none."""
    room, drawings = MAX_STILLS, list[Drawing | None]()
    for number, state in enumerate(states):
        progress(number / len(states))
        drawing = None
        if state is not None and room > 0:
            place = PicturePlace(f"still-{number}", "Machine", SIZE)
            drawing = drawing_of(place, partial(machine_in, state), MAX_SVG_BYTES, PIXEL_RATIO)
            room -= len(drawing.light) + len(drawing.dark)
        drawings.append(drawing if room >= 0 else None)
    return drawings
