"""The pictures of a report, some of which need widgets and so the GUI thread."""

from threading import Thread

import pytest
from PySide6.QtWidgets import QApplication

from app.report.document import PicturePlace
from app.report.drawings import charts_of, plain_drawings, view_drawings
from app.report.throughput_history import SessionSteps
from app.session.session import Session
from app.style.theme import LIGHT
from core.mapping import Random
from tests.app.scenarios import HALO

PLACES = [PicturePlace(name, name, (700, 220), "") for name in ("machine", "history", "distribution")]


@pytest.fixture
def session(qapp):
    session = Session.of(HALO, theme=LIGHT, sync=True)
    yield session
    session.close()


def test_pictures_drawn_in_other_threads_make_no_widgets(session):
    made = {}
    before = len(QApplication.allWidgets())
    thread = Thread(target=lambda: made.update(plain_drawings(session.state, PLACES)))
    thread.start()
    thread.join()
    assert list(made) == ["machine"]
    assert len(QApplication.allWidgets()) == before


def test_charts_are_drawn_between_events_as_lines_and_texts(session):
    session.choose("mapping", Random(2))
    steps = SessionSteps.of(session.state.history)
    made, counts = {}, []
    for _ in view_drawings(session, PLACES, charts_of(steps), made):
        counts.append(len(made))
    assert set(made) == {"history", "distribution"}
    assert counts == sorted(counts)
    assert {0, 1, 2} <= set(counts)
    for drawing, text in ((made["history"], "GB/s per node"), (made["distribution"], "links by load")):
        for picture in (drawing.light, drawing.dark):
            assert text in picture
            assert "<image" not in picture
            assert "<img" not in picture
    assert made["history"].light != made["history"].dark


def test_without_steps_there_is_no_history(session):
    made = {}
    for _ in view_drawings(session, PLACES, {}, made):
        pass
    assert set(made) == {"distribution"}
