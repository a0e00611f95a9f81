"""An unsaved tour is offered again after a crash, as scenarios are."""

import json

import msgspec
import pytest

from app.session.autosave import TOUR, Autosave
from app.session.session import Session
from app.storage.disk_watch import DiskWatch
from app.storage.presets import preset
from app.storage.safety_copy import leftovers
from app.tour.tour_file import decode_tour
from app.window.recovery_banner import TourRecoveryBanner
from tests.app.stage.scenes import SCENES


@pytest.fixture
def tour():
    return decode_tour(json.dumps({"fabriscope_tour": 1, "title": "Talk", "scenes": SCENES}).encode())


@pytest.fixture
def session_on(qapp):
    opened = []

    def begin():
        opened.append(Session.of(preset("power775-smallest"), sync=True))
        return opened[-1]

    yield begin
    for session in opened:
        session.close()


def test_a_copy_left_by_a_crash_is_offered_and_opened_unsaved(session_on, tour, tmp_path, qtbot):
    crashed = session_on()
    first = Autosave(crashed, tmp_path, TOUR, sync=True)
    crashed.tours.open(tour, tmp_path / "talk.fabriscope-tour.json", saved=tour)
    first.flush()
    assert leftovers(tmp_path, TOUR.form) == []
    renamed = msgspec.structs.replace(tour.scenes[0], title="Renamed")
    crashed.tours.replace(0, renamed, "Rename scene 1")
    first.flush()
    first.copy.release()  # as the end of its process does

    session = session_on()
    autosave = Autosave(session, tmp_path, TOUR, sync=True)
    banner = TourRecoveryBanner(session, autosave, tmp_path, lambda: True, DiskWatch())
    qtbot.addWidget(banner)
    assert "Tour Talk, 4 scenes" in banner.detail.text()
    banner.recover.click()
    state = session.state
    assert state.tour.tour.scenes[0].title == "Renamed"
    assert state.tour.tour_path.name == "talk.fabriscope-tour.json"
    assert state.tour_dirty
    assert banner.isHidden()
    session.tours.saved(tmp_path / "saved.fabriscope-tour.json")
    assert not autosave.copy.file.exists()
    autosave.close()
    first.close()


def test_a_presented_state_is_not_a_tour_to_save(session_on, tour, tmp_path):
    session = session_on()
    autosave = Autosave(session, tmp_path, TOUR, sync=True)
    session.tours.open(tour, None, saved=tour)
    session.presentation.begin(1)
    autosave.flush()
    assert not autosave.copy.file.exists()
    autosave.close()
