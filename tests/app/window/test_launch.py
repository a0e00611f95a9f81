"""The window that opens on a file: an invalid scenario has its error marked, an unreadable file says why."""

import os
from dataclasses import replace

import pytest

from app.storage.presets import worked_example
from app.window.launch import first, make_window
from core.files import write_scenario
from core.job import Flows, Halo
from core.mapping import ModColour
from core.network import Percs
from core.spec import SpecError, no_progress

SMALL = replace(worked_example(), network=Percs(2, 4), job=Halo(4, 4), mapping=ModColour(), note="", snapshots=())


@pytest.fixture
def opened(qtbot, settings, tmp_path, monkeypatch):
    """Return a function that opens the window on a file of the content."""
    monkeypatch.setattr("app.storage.settings.Settings", lambda: settings)
    windows = []

    def open_on(content):
        path = tmp_path / "a.fabriscope.json"
        path.write_bytes(content)
        windows.append(make_window(path, first(path, no_progress)))
        windows[-1].show()
        return windows[-1]

    yield open_on
    for window in windows:
        # Nothing of a file that is merely opened is unsaved.
        assert window.close()


def content(tmp_path, scenario):
    write_scenario(tmp_path / "content", scenario)
    return (tmp_path / "content").read_bytes()


def test_a_scenario_that_does_not_fit_is_shown_fitted_with_its_error(opened, tmp_path):
    window = opened(content(tmp_path, replace(SMALL, job=Halo(128, 64))))
    state = window.session.state
    assert (state.wanted.job, state.file.path.name) == (Halo(128, 64), "a.fabriscope.json")
    assert state.evaluation.case.scenario.network == Percs(2, 4)
    assert "8,192 tasks" in state.refusal.message
    assert window.build.sections[state.refusal.field].message.text() == state.refusal.message
    assert window.files.recent == [state.file.path]


def test_a_scenario_without_its_trace_is_in_the_forms_with_the_worked_example_on_screen(opened, tmp_path):
    window = opened(content(tmp_path, replace(SMALL, job=Flows(file="gone.csv"))))
    state = window.session.state
    assert (state.wanted.network, state.refusal.field) == (Percs(2, 4), "job.file")
    assert state.evaluation.case.scenario.network == worked_example().network
    assert window.windowTitle().startswith("a.fabriscope.json")
    assert window.statusBar().text.text().endswith("showing another scenario")
    window.session.report_error(SpecError("file", "b.fabriscope.json cannot be opened"))
    assert window.statusBar().text.text() == "b.fabriscope.json cannot be opened · showing another scenario"


def test_a_file_that_is_not_a_scenario_opens_the_worked_example_with_the_reason(opened):
    window = opened(b"no JSON")
    state = window.session.state
    assert (state.file.path, state.dirty) == (None, False)
    assert state.evaluation.case.scenario == worked_example()
    assert window.statusBar().text.text().startswith("a.fabriscope.json cannot be opened: ")


def test_a_file_that_does_not_exist_opens_no_window(tmp_path):
    with pytest.raises(SpecError, match="cannot be read"):
        first(tmp_path / "gone.fabriscope.json", no_progress)


def test_a_named_pipe_opens_no_window_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.fabriscope.json")
    with pytest.raises(SpecError, match=r"pipe\.fabriscope\.json cannot be read: it is a named pipe"):
        first(tmp_path / "pipe.fabriscope.json", no_progress)


@pytest.mark.parametrize("suffix", [".fabriscope.json", ".fabriscope-tour.json"])
@pytest.mark.parametrize("error", [ValueError("year 0"), RecursionError("deep"), MemoryError()])
def test_an_exception_while_the_file_is_read_is_one_line(tmp_path, monkeypatch, capsys, suffix, error):
    def fail(*arguments):
        raise error

    path = tmp_path / f"a{suffix}"
    path.write_text("{}")
    for reader in ("core.files.decode", "app.tour.tour_file.decode_tour"):
        monkeypatch.setattr(reader, fail)
    outcome = first(path, no_progress)
    assert outcome.work is None
    assert (outcome.error.field, outcome.error.message.count("\n")) == ("file", 0)
    assert outcome.error.message.startswith(f"{path.name} cannot be opened: this ")
    assert ("Traceback" in capsys.readouterr().err) != isinstance(error, MemoryError)


def test_an_exception_of_a_reader_of_its_files_is_one_line(opened, tmp_path, monkeypatch, capsys):
    def fail(*arguments):
        raise ValueError("year 0")

    (tmp_path / "m.csv").write_text("0,1\n1,0\n")
    monkeypatch.setattr("core.job.flows.read_matrix", fail)
    window = opened(content(tmp_path, replace(SMALL, job=Flows(file="m.csv"))))
    refusal = window.session.state.refusal
    assert (refusal.field, refusal.message.count("\n")) == ("job.file", 0)
    assert "ValueError: year 0" in refusal.message
    capsys.readouterr()
