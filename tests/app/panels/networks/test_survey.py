"""Previews and metrics of networks: pictures first, cached, with reasons for refusals, and stopped on request."""

import threading

import pytest

from app.panels.networks import survey as module
from app.panels.networks.survey import TOO_LARGE, NetworkSurvey
from app.style.theme import DARK, LIGHT
from core.network import Complete, Mesh, Torus
from core.network.metrics.metrics import measure
from core.spec import Cancelled

SMALL = (Torus(dims=(4, 4)), Mesh(dims=(3, 5)))


@pytest.fixture
def survey(qapp):
    survey = NetworkSurvey(sync=True)
    yield survey
    survey.close()


def received_from(survey):
    received = []
    survey.changed.connect(lambda spec: received.append((spec, survey.of(spec).metrics is not None)))
    return received


def test_pictures_come_before_figures(survey):
    received = received_from(survey)
    survey.look(SMALL, None, DARK)
    assert received == [(SMALL[0], False), (SMALL[1], False), (SMALL[0], True), (SMALL[1], True)]
    assert survey.of(SMALL[1]).metrics == measure(SMALL[1].build())
    assert not survey.of(SMALL[1]).picture.isNull()


def test_known_surveys_are_not_repeated(survey):
    survey.look(SMALL, None, DARK)
    received, picture = received_from(survey), survey.of(SMALL[0]).picture
    survey.look(SMALL, None, DARK)
    assert not received
    survey.look(SMALL, None, LIGHT)
    assert [spec for spec, _ in received] == list(SMALL)
    assert survey.of(SMALL[0]).picture != picture
    assert survey.of(SMALL[0]).metrics is not None


def test_network_that_cannot_be_built_has_a_reason_and_others_continue(survey):
    huge = Complete(nodes=1 << 20)
    survey.look([huge, *SMALL], None, DARK)
    assert "directed links" in survey.of(huge).problem
    assert survey.of(huge).picture is None
    assert survey.of(SMALL[1]).metrics is not None


def test_slow_network_is_drawn_but_not_measured(survey, monkeypatch):
    # In the torus all nodes are equivalent.
    monkeypatch.setattr(module, "MAX_VISITS", 100)
    survey.look(SMALL, None, DARK)
    assert survey.of(SMALL[1]).problem == TOO_LARGE
    assert survey.of(SMALL[1]).picture is not None
    assert survey.of(SMALL[0]).metrics is not None


def test_oldest_surveys_are_dropped(survey, monkeypatch):
    monkeypatch.setattr(module, "MAX_KEPT", 1)
    survey.look(SMALL, None, DARK)
    assert survey.of(SMALL[0]).metrics is None
    assert survey.of(SMALL[1]).metrics is not None


def test_measuring_stops_when_cancelled(qtbot, monkeypatch):
    going, stopped = threading.Event(), threading.Event()

    def endless(network, progress):
        try:
            while True:
                going.set()
                progress(0.5)
        except Cancelled:
            stopped.set()
            raise

    monkeypatch.setattr(module, "measure", endless)
    survey = NetworkSurvey()
    survey.look(SMALL[:1], None, DARK)
    qtbot.waitUntil(going.is_set)
    survey.cancel()
    assert stopped.wait(5)
    assert not survey.busy
    survey.close()
