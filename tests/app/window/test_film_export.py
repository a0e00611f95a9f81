"""Films from the window: made by another process while the window responds, cancelled and refused; and recordings."""

import json

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from app.storage.presets import preset
from app.tour.recording import decode_recording, encode_recording
from app.tour.tour_file import decode_tour, encode_tour
from app.window.film_export import FilmExport
from core.files import encode
from core.mapping.edit import Edit
from core.routing import PercsIndirect
from tests.app.stage.scenes import SCENES

SMALL = ["--progress", "--size", "160x90"]


@pytest.fixture
def export(session, qtbot, tmp_path):
    parent = QWidget()
    qtbot.addWidget(parent)
    messages = []

    def begin(arguments, content, name):
        return FilmExport(session, arguments, content, None, tmp_path / name, messages.append, parent), messages

    return begin


def test_a_tour_is_filmed_in_another_process(export, qtbot, tmp_path):
    tour = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES[:2]}).encode())
    film, messages = export(["film", "-", *SMALL, "--seconds", "0.2"], encode_tour(tour), "x.gif")
    seen = []
    film.process.readyReadStandardError.connect(lambda: seen.append((film.dialog.labelText(), film.dialog.value())))
    qtbot.waitUntil(lambda: bool(messages), timeout=120_000)
    drawn = [value for text, value in seen if text == "Exporting x.gif: drawing …"]
    assert drawn == sorted(drawn)
    assert drawn[-1] == 100
    assert messages == [f"Wrote {tmp_path / 'x.gif'}"]
    assert (tmp_path / "x.gif").read_bytes().startswith(b"GIF89a")


@pytest.mark.parametrize("command", [["film", "-", *SMALL, "--seconds", "0.2"], ["tour", "-"]])
def test_errors_in_a_tour_are_reported_with_the_file_written(export, session, qtbot, tmp_path, command):
    scenes = [{**SCENES[0], "text": "{througput}"}]
    tour = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": scenes}).encode())
    name = "x.gif" if command[0] == "film" else "x.pdf"
    _, messages = export(command, encode_tour(tour), name)
    qtbot.waitUntil(lambda: bool(messages), timeout=120_000)
    wrote = f"Wrote {tmp_path / name}, but some captions or claims fail"
    assert messages == [f"{wrote}; fabriscope tour lists them"]
    assert session.state.error is None


def test_a_tour_that_cannot_be_filmed_is_reported_in_one_line(export, session, qtbot, tmp_path):
    _, messages = export(["film", "-", *SMALL], b'{"fabriscope": 1}', "x.mp4")
    qtbot.waitUntil(lambda: bool(messages), timeout=120_000)
    assert messages == [""]
    assert str(session.state.error).startswith("file: network: is missing")
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_film_leaves_nothing(export, session, qtbot, tmp_path):
    film, messages = export(["film", "-", *SMALL], encode(session.state.wanted), "x.mp4")
    film.dialog.canceled.emit()
    qtbot.waitUntil(lambda: bool(messages), timeout=120_000)
    assert messages == [""]
    assert session.state.error is None
    assert list(tmp_path.iterdir()) == []


def swap(session, a, b):
    slots = session.state.evaluation.case.mapping.slots
    tasks = np.array([a, b], np.int32)
    session.editing.apply(Edit(tasks, slots[tasks].copy(), slots[tasks[::-1]].copy()), "Swap")


def test_edits_of_the_mapping_are_recorded_and_played_back(session):
    start = session.state.evaluation.case
    session.recorder.begin()
    assert session.state.tour.recording
    swap(session, 0, 9)
    swap(session, 1, 30)
    session.editing.undo()
    wanted = session.state.evaluation.case.mapping.slots.copy()
    session.recorder.end()
    swap(session, 2, 40)
    assert session.state.tour.recorded
    recorded = decode_recording(encode_recording(session.recorder.recorded))
    played = list(recorded.played(start.mapping.slots, start.network.slots))
    assert len(played) == 3
    assert np.array_equal(played[-1][1], wanted)


@pytest.mark.parametrize(
    "change",
    [lambda s: s.open(preset("power775-largest"), None), lambda s: s.choose("routing", PercsIndirect())],
    ids=["network", "routing"],
)
def test_another_change_ends_a_recording(session, change):
    session.recorder.begin()
    swap(session, 0, 9)
    change(session)
    assert session.recorder.message.startswith("Recorded 1 change.")
    assert not session.state.tour.recording
    assert len(session.recorder.recorded.edits) == 1
