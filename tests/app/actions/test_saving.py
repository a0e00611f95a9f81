"""Saving asks before it writes a scenario with an error, or over what another program has written."""

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.actions.file_commands import Button
from app.model.scenes import Tour
from app.storage.tours import SUFFIX as TOUR
from app.tour.tour_file import read_tour, write_tour
from core.files import read_scenario, write_scenario
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.actions.file_desk import FileDesk, answer
from tests.app.sessions import session_on

SCENARIO = Scenario(Torus((2, 2)), Halo(2, 2), Random(seed=3), DimensionOrder())
MINE, THEIRS = (SCENARIO.with_choice("mapping", Random(seed=seed)) for seed in (4, 5))
INVALID = SCENARIO.with_choice("job", Halo(8, 8))


@pytest.fixture
def desk(qapp, settings, qtbot):
    desk = FileDesk(session_on(SCENARIO, sync=True), settings)
    qtbot.addWidget(desk)
    desk.show()
    yield desk
    desk.session.close()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.fabriscope.json"
    write_scenario(path, SCENARIO)
    return path


@pytest.fixture
def opened(desk, path):
    """A desk on a file with an unsaved change; another program has changed the file too."""
    desk.files.open(path)
    desk.session.propose(MINE)
    write_scenario(path, THEIRS)
    return desk


@pytest.fixture
def save_as(monkeypatch, tmp_path):
    """The file that a dialog for a new name returns."""
    path = tmp_path / "other.fabriscope.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))
    return path


@pytest.fixture
def unasked(monkeypatch):
    """Any question fails the test."""
    monkeypatch.setattr(QMessageBox, "exec", lambda box: pytest.fail(box.text()))


def saved_as(path):
    return read_scenario(path).mapping


def test_changes_of_another_program_are_overwritten_only_on_request(opened, path):
    asked = []
    answer("Cancel", asked)
    assert not opened.files.save()
    assert asked[0].text() == "a.fabriscope.json has changed on disk since you opened or saved it."
    assert saved_as(path) == THEIRS.mapping
    assert opened.session.state.dirty
    answer("Overwrite")
    assert opened.files.save()
    assert saved_as(path) == MINE.mapping
    assert not opened.session.state.dirty


@pytest.mark.usefixtures("unasked")
def test_file_written_only_by_this_window_is_saved_without_asking(desk, path):
    desk.files.open(path)
    for seed in range(3):
        desk.session.propose(SCENARIO.with_choice("mapping", Random(seed=seed)))
        assert desk.files.save()
        assert saved_as(path) == Random(seed=seed)


def test_escape_and_return_cancel(opened, path):
    asked = []
    answer("", asked)
    assert not opened.files.save()
    assert asked[0].defaultButton().text() == "&Cancel"
    assert saved_as(path) == THEIRS.mapping


def test_save_as_keeps_both(opened, path, save_as):
    answer("Save as …")
    assert opened.files.save()
    assert (saved_as(path), saved_as(save_as)) == (THEIRS.mapping, MINE.mapping)
    assert opened.session.state.file.path == save_as


def test_reload_shows_the_file_and_pins_the_users_version_as_a(opened, path):
    answer("Reload")
    assert not opened.files.save()
    state = opened.session.state
    assert (state.wanted.mapping, state.file.path, state.dirty) == (THEIRS.mapping, path, False)
    assert state.comparison.reference.case.scenario.mapping == MINE.mapping
    opened.session.propose(MINE)
    assert opened.files.save()
    assert saved_as(path) == MINE.mapping


def test_compare_shows_the_file_as_a_and_saving_asks_again(opened, path):
    answer("Compare")
    assert not opened.files.save()
    state = opened.session.state
    assert (state.wanted.mapping, state.dirty) == (MINE.mapping, True)
    assert state.comparison.reference.case.scenario.mapping == THEIRS.mapping
    answer("Cancel")
    assert not opened.files.save()
    assert saved_as(path) == THEIRS.mapping


def test_closing_waits_for_the_answer(opened, monkeypatch):
    monkeypatch.setattr(opened.files, "ask_about_changes", lambda: Button.Save)
    answer("Compare")
    assert not opened.files.may_lose_changes()
    answer("Overwrite")
    assert opened.files.may_lose_changes()


def test_file_saved_before_it_is_reopened_is_read_again(desk, path, monkeypatch):
    desk.files.open(path)
    desk.session.propose(MINE)
    monkeypatch.setattr(desk.files, "ask_about_changes", lambda: Button.Save)
    desk.files.open(path)
    assert saved_as(path) == MINE.mapping
    assert desk.session.state.wanted.mapping == MINE.mapping
    assert not desk.session.state.dirty


@pytest.fixture
def invalid(desk, path):
    """A desk on a file whose scenario was made invalid."""
    desk.files.open(path)
    desk.session.propose(MINE)
    desk.session.choose("job", INVALID.job)
    assert desk.session.state.refusal is not None
    return desk


def test_invalid_scenario_is_saved_only_on_request(invalid, path):
    asked = []
    answer("Cancel", asked)
    assert not invalid.files.save()
    assert asked[0].text() == f"These settings have an error:\n{invalid.session.state.refusal.message}"
    assert "GB/s per node" in asked[0].informativeText()
    assert read_scenario(path).job == SCENARIO.job
    answer("Save anyway")
    assert invalid.files.save()
    assert read_scenario(path).job == INVALID.job
    assert not invalid.session.state.dirty


def test_last_valid_state_is_saved_and_the_settings_are_kept(invalid, path):
    answer("Save the last valid state")
    assert invalid.files.save()
    assert (read_scenario(path).job, saved_as(path)) == (SCENARIO.job, MINE.mapping)
    state = invalid.session.state
    assert (state.wanted.job, state.dirty) == (INVALID.job, True)
    invalid.session.editing.undo()
    assert not invalid.session.state.dirty


def test_scenario_saved_with_an_error_opens_with_the_error(invalid, path, desk):
    answer("Save anyway")
    assert invalid.files.save()
    invalid.session.open(SCENARIO, None)
    invalid.files.open(path)
    state = invalid.session.state
    assert (state.wanted.job, state.file.path, state.dirty) == (INVALID.job, path, False)
    assert state.refusal is not None
    # Nobody edited the substitute: there is no last valid state to save.
    invalid.session.choose("job", Halo(9, 9))
    asked = []
    answer("Cancel", asked)
    assert not invalid.files.save()
    assert {button.text().replace("&", "") for button in asked[0].buttons()} == {"Save anyway", "Cancel"}


def test_last_valid_state_of_a_scenario_with_an_error_becomes_a(invalid, path):
    write_scenario(path, THEIRS)
    asked = []
    answer("Reload", asked)
    assert not invalid.files.save()
    assert "your last valid state becomes A" in asked[0].informativeText()
    assert invalid.session.state.comparison.reference.case.scenario.mapping == MINE.mapping


def test_substitute_for_a_file_is_not_compared_with_the_file(invalid, path):
    answer("Save anyway")
    assert invalid.files.save()
    invalid.files.open(path)
    write_scenario(path, THEIRS)
    asked = []
    answer("Reload", asked)
    assert not invalid.files.save()
    assert "Compare" not in {button.text().replace("&", "") for button in asked[0].buttons()}
    assert "your changes are lost" in asked[0].informativeText()
    state = invalid.session.state
    assert (state.wanted.mapping, state.comparison.reference) == (THEIRS.mapping, None)


def test_tour_changed_by_another_program_is_overwritten_only_on_request(desk, tmp_path, save_as):
    path = tmp_path / f"t{TOUR}"
    desk.tours.open_shipped("mapping-on-percs")
    tour = desk.session.state.tour.tour
    write_tour(path, tour)
    desk.tours.open(path)
    desk.session.tours.delete({9})
    write_tour(path, Tour(1, "Theirs", tour.scenes))
    answer("Cancel")
    assert not desk.tours.save()
    assert read_tour(path).title == "Theirs"
    answer("Reload")
    assert not desk.tours.save()
    assert desk.session.state.tour.tour.title == "Theirs"
    assert not desk.session.state.tour_dirty
    desk.session.tours.delete({9})
    assert desk.tours.save()
    assert len(read_tour(path).scenes) == len(tour.scenes) - 1


def test_nothing_is_saved_while_choices_are_being_adapted_to_a_network(qapp, settings, qtbot, path):
    desk = FileDesk(session_on(SCENARIO), settings)
    qtbot.addWidget(desk)
    session, before = desk.session, path.read_bytes()
    session.opened(path)
    session.choose_network(Torus((2, 1)))
    assert not desk.files.save()
    assert "save it once it is shown" in session.state.error.message
    assert path.read_bytes() == before
    qtbot.waitUntil(lambda: session.state.evaluation.case.network.nodes == 2)
    assert desk.files.save()
    saved, shown = read_scenario(path), session.state.evaluation.case.scenario
    session.close()
    assert (saved.network, saved.job) == (Torus((2, 1)), shown.job)
