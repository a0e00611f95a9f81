"""The stage of a window that is not shown."""

import json

import pytest

from app.tour.tour_file import decode_tour
from tests.app.stage.scenes import ROUND, SCENES


@pytest.fixture
def tour(unshown):
    decoded = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [*SCENES, ROUND]}).encode())
    unshown.session.tours.open(decoded, None, saved=decoded)
    return decoded


@pytest.fixture
def stage(unshown, tour, qtbot, monkeypatch):
    # No test that uses this checks pixels of the stage, or of the window, which is shown when the stage closes.
    monkeypatch.setattr(unshown, "show", lambda: None)
    unshown.present(full=False)
    stage = unshown.touring.stage
    stage.setUpdatesEnabled(False)
    stage.activateWindow()
    qtbot.waitUntil(stage.isActiveWindow)
    yield stage
    stage.close()
