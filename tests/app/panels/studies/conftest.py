"""A studies window on a small torus that runs studies in a thread, since processes need seconds to start."""

import time

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.panels.studies.window import StudiesWindow
from app.report.study import study_steps
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.sweep.points import Builder, point_row
from core.sweep.run import Summary
from core.sweep.table import open_table

LEFT = Qt.MouseButton.LeftButton
TORUS = Scenario(Torus(dims=(4, 4)), Halo(4, 4), Sequential(), DimensionOrder())


class Here:
    """Runs a study in the calling thread, and pauses on request."""

    def __init__(self):
        self.holds_at, self.reached, self.order, self.workers = None, False, None, 1

    def __call__(self, study, out, *, on_row, cancelled, resume, cluster, workers, on_workers):
        self.cluster = cluster
        on_workers(self.workers)
        table, builder = open_table(out, study, resume), Builder()
        for number in (n for n in self.order or range(len(study.points)) if n not in table.done):
            while number == self.holds_at and not cancelled():
                self.reached = True
                time.sleep(0.01)
            if cancelled():
                break
            row = point_row(study, number, builder)
            table.add([row])
            on_row(row)
        table.close()
        return Summary(len(study.points), len(table.done), table.failed, 0.0)


@pytest.fixture
def here(monkeypatch):
    runs = Here()
    monkeypatch.setattr("app.panels.studies.study_run.run_study", runs)
    return runs


class Ask:
    """Answers where to write."""

    path = None

    def __call__(self, title, kinds, *endings):
        assert self.path.name.endswith(endings)
        return self.path


@pytest.fixture
def ask(tmp_path):
    return Ask()


@pytest.fixture
def opened(session_of, laid_out, tmp_path, ask):
    window = laid_out(StudiesWindow(session_of(TORUS), tmp_path / "studies", ask, study_steps), 1180, 760)
    yield window
    window.shut_down()


def click_box(box):
    """Tick the check box at the left end of a widget."""
    QTest.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))


def vary(window, path, text):
    """Type values."""
    line = window.form.rows[path].line
    line.clear()
    QTest.mouseClick(line, LEFT)
    QTest.keyClicks(line, text)


def choose(box, text):
    """Choose an entry of a combo box."""
    index = box.findText(text)
    assert index >= 0
    box.setCurrentIndex(index)
    box.activated.emit(index)


def run(window, qtbot):
    """Run the study of the form to its end."""
    QTest.mouseClick(window.button, LEFT)
    qtbot.waitUntil(lambda: not window.run.busy)
