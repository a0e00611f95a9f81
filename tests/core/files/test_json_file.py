"""Texts in JSON files: a text that could forge a line on a terminal is refused with its place, and never written."""

import json

import pytest

from core.files.json_file import without_controls
from core.files.scenario_file import decode, encode
from core.job import Halo
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario, Snapshot
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.spec import SpecError

SCENARIO = Scenario(Torus((4, 4)), Halo(2, 2), Sequential(), DimensionOrder())
NAMED = Scenario(
    Torus((4, 4)),
    Halo(2, 2),
    Sequential(),
    DimensionOrder(),
    job_name="own",
    hosts=" ".join(f"h{k}" for k in range(16)),
    neighbours=(Neighbour(name="other", job=Halo(2, 2), mapping=Sequential(), allocation="4-7"),),
    note="first\nsecond",
    snapshots=(Snapshot("before", SCENARIO),),
)
PLACES = ("job_name", "hosts", "neighbours[0].name", "note", "snapshots[0].name")


def changed(place, text):
    """The file of the scenario with `text` inserted at a place."""
    content = json.loads(encode(NAMED))
    *parts, last = place.replace("[0]", ".0").split(".")
    at = content
    for part in parts:
        at = at[int(part) if part.isdecimal() else part]
    at[last] = text + at[last]
    return content


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mark", ["\x1b[31m", "\x07", "\x08", "\x0c", "\x7f", "\x9b", "\u202e", "\u2028"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_control_characters_are_refused_with_field_and_line(place, mark, ascii_only):
    content = json.dumps(changed(place, mark), indent=1, ensure_ascii=ascii_only).encode()
    with pytest.raises(SpecError) as refused:
        decode(content)
    lines = enumerate(content.decode().split("\n"), 1)
    line = next(k for k, text in lines if json.dumps(mark)[1:-1] in text or mark in text)
    assert refused.value.field == place
    assert refused.value.message == f"line {line:,} contains the control character U+{ord(mark[0]):04X}; remove it"


@pytest.mark.parametrize("place", PLACES)
def test_line_ends_are_refused_in_names_only(place):
    content = json.dumps(changed(place, "h\n")).encode()
    if place.endswith("name"):
        with pytest.raises(SpecError, match="must be a single line"):
            decode(content)
    else:
        assert decode(content)


@pytest.mark.parametrize(
    "text", ["\\u001b", "C:\\\\u001b", 'quote " and \\ and \\n', "tab\tand\nline", "Zürich → 東京"]
)
def test_texts_similar_to_control_characters_are_read(text):
    assert decode(json.dumps(changed("note", text)).encode()).note == f"{text}first\nsecond"


def test_written_texts_are_read_without_their_control_characters():
    pasted = "a\x1b[31mb\x9bc\u202ed\u2028e\x08\x0c\nf\\u001b"
    written = encode(Scenario(Torus((4, 4)), Halo(2, 2), Sequential(), DimensionOrder(), note=pasted))
    assert decode(written).note == "a[31mbcde\nf\\u001b"
    assert without_controls(written) == written
