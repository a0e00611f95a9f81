"""Results on disk: opened again, resumed and exported; studies are saved for the command."""

import shlex

import pytest
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from app.panels.studies.window import EMPTY, UNKNOWN, StudiesWindow
from app.report.study import study_steps
from app.storage.studies import builtin_study, study_names
from core.sweep.results import read_results
from core.sweep.study import read_study
from tests.app.panels.studies.conftest import LEFT, TORUS, run, vary
from tests.app.report.reader import Page


@pytest.fixture
def stopped(opened, here, qtbot):
    """A window with a run of five points that was stopped after two."""
    here.holds_at = 2
    vary(opened, "network.gbs", "1..5")
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: here.reached and len(opened.results.rows) == 2)
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: not opened.run.busy)
    here.holds_at = None
    return opened


def pick(monkeypatch, path):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(path), ""))


def test_stopped_run_is_resumed(stopped, qtbot):
    QTest.mouseClick(stopped.resume, LEFT)
    qtbot.waitUntil(lambda: not stopped.run.busy)
    assert [row["point"] for row in stopped.results.rows] == [0, 1, 2, 3, 4]
    assert stopped.resume.isHidden()
    (kept,) = stopped._folder.iterdir()
    assert [row["network.gbs"] for row in read_results(kept).rows] == [1, 2, 3, 4, 5]


def test_earlier_studies_are_listed_and_opened_and_resumed(stopped, qtbot, here):
    rows = stopped.results.rows
    vary(stopped, "network.gbs", "7")
    here.holds_at = None
    run(stopped, qtbot)
    assert len(stopped.results.rows) == 1
    stopped._list_earlier()
    names = [action.text() for action in stopped.earlier.menu().actions()]
    assert len(names) == 2 + 1 + len(study_names())  # a line between them
    assert all("network.gbs" in name for name in names[:2])
    stopped.earlier.menu().actions()[1].trigger()
    assert stopped.results.rows == rows
    assert stopped.plot.along.currentData() == "network.gbs"
    index = stopped.table.view_index(1)
    QTest.mouseClick(stopped.table.viewport(), LEFT, pos=stopped.table.visualRect(index).center())
    assert stopped.state.wanted.network.gbs == 2
    QTest.mouseClick(stopped.resume, LEFT)
    qtbot.waitUntil(lambda: not stopped.run.busy)
    assert len(stopped.results.rows) == 5


def test_example_studies_are_offered(stopped):
    stopped._list_earlier()
    action = next(entry for entry in stopped.earlier.menu().actions() if entry.text() == "Sdr alpha")
    action.trigger()
    assert stopped.study.content == builtin_study("sdr-alpha").content
    assert stopped.results.rows == []
    assert stopped.resume.text() == "Run study"


def test_exported_table_is_opened_with_its_study(stopped, ask, tmp_path, monkeypatch):
    rows = stopped.results.rows
    for name in ("table.parquet", "table.csv"):
        ask.path = tmp_path / name
        QTest.mouseClick(stopped.export, LEFT)
        assert stopped.message.isHidden()
        assert list(read_results(ask.path).rows) == rows
        pick(monkeypatch, ask.path)
        QTest.mouseClick(stopped.open, LEFT)
        assert stopped.results.rows == rows
        assert (stopped.message.text() == UNKNOWN) == (name == "table.csv")
    ask.path = tmp_path / "sweep.fabriscope-study.json"
    QTest.mouseClick(stopped.save, LEFT)
    assert read_study(ask.path).digest == stopped.asked.digest
    stopped.load(tmp_path / "table.csv")
    assert stopped.message.isHidden()
    assert stopped.study.digest == stopped.asked.digest


def test_a_report_is_exported(stopped, ask, tmp_path):
    ask.path = tmp_path / "table.html"
    QTest.mouseClick(stopped.export, LEFT)
    page = Page(ask.path.read_bytes())
    assert page.outside == []
    assert [row[0] for row in page.table("point")] == [str(row["point"]) for row in stopped.results.rows]
    assert f"fabriscope report {shlex.quote(str(stopped.path))} --out" in page.text


def test_a_study_from_a_file_is_run(stopped, ask, tmp_path, qtbot):
    ask.path = tmp_path / "sweep.fabriscope-study.json"
    QTest.mouseClick(stopped.save, LEFT)
    stopped.load(ask.path)
    assert stopped.results.rows == []
    assert stopped.resume.text() == "Run study"
    QTest.mouseClick(stopped.resume, LEFT)
    qtbot.waitUntil(lambda: not stopped.run.busy)
    assert len(stopped.results.rows) == 5


@pytest.mark.parametrize("name", ["plot.png", "plot.svg", "plot.pdf"])
def test_the_plot_is_exported(stopped, ask, tmp_path, name):
    ask.path = tmp_path / name
    QTest.mouseClick(stopped.plot.export, LEFT)
    assert ask.path.stat().st_size > 1000
    if name.endswith("png"):
        assert QImage(str(ask.path)).width() == 2 * stopped.plot.plot.width()
    else:
        assert ask.path.read_bytes()[:5] in (b"<?xml", b"%PDF-")


def test_file_without_results_is_refused_with_one_line(stopped, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    rows = stopped.results.rows
    stopped.load(tmp_path / "other.csv")
    assert "does not hold results of a study" in stopped.message.text()
    assert stopped.results.rows == rows
    assert stopped.study is not None


def test_opened_file_does_not_replace_a_run(stopped, here, qtbot):
    here.holds_at, here.reached = 0, False
    study = stopped.asked
    QTest.mouseClick(stopped.button, LEFT)
    qtbot.waitUntil(lambda: here.reached)
    stopped.load(min(stopped._folder.iterdir()))
    assert "Stop the run" in stopped.message.text()
    assert stopped.study is study
    assert stopped.results.rows == []
    QTest.mouseClick(stopped.button, LEFT)
    qtbot.waitUntil(lambda: not stopped.run.busy)


def test_interrupted_study_is_mentioned_at_the_next_start(opened, here, session_of, laid_out, ask, qtbot):
    def mentioned():
        window = laid_out(StudiesWindow(session_of(TORUS), opened._folder, ask, study_steps), 1180, 760)
        message = window.empty.text()
        window.shut_down()
        return message

    assert mentioned() == EMPTY
    vary(opened, "network.gbs", "1, 2, 3")
    here.holds_at = 2
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: here.reached)
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: not opened.run.busy)
    sentence = f"“{opened.path.stem}” stopped after 2 of 3 points. Choose it under Earlier studies, then Resume."
    assert mentioned() == f"{EMPTY}\n{sentence}"
    here.holds_at = None
    QTest.mouseClick(opened.resume, LEFT)
    qtbot.waitUntil(lambda: len(opened.results.rows) == 3 and not opened.run.busy)
    assert mentioned() == EMPTY
    # Unreadable files are not mentioned.
    (opened._folder / "9999 broken.parquet").write_bytes(b"PAR1")
    assert mentioned() == EMPTY
