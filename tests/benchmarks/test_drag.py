"""A drag of 300 moves, recorded once with a real pointer, replayed on a small and on the largest machine.

The rows give the work of the GUI thread per frame without rasterising, the interval between updates of the colours, and
the number of moves that were dropped because newer ones had arrived. Rasterising happens in paint events, by software
here and by a GPU elsewhere.
"""

import csv
import gc
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.model.changes import ChangeSet
from app.storage.presets import worked_example
from app.window.launch import load_more_kernels, load_view_kernels
from core.job import Halo
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Blocks, Random, Sequential
from core.network import Percs
from core.routing import PercsDirect

RECORDED = Path(__file__).with_name("recorded_drag.csv")
LARGEST = Scenario(Percs(supernodes=512, d_links=1), Halo(rows=256, cols=256), Blocks(), PercsDirect())
HALF = Scenario(Percs(supernodes=512, d_links=1), Halo(128, 256), Sequential(), PercsDirect(), allocation="0-8191")
JOBS = tuple(
    Neighbour(job=Halo(64, 128), mapping=Random(seed), allocation=nodes)
    for seed, nodes in enumerate(("8192-10239", "10240-12287", "12288-14335"))
)
SUPERNODE = 0


def recorded() -> list[tuple[float, float, float]]:
    with RECORDED.open() as stream:
        return [(float(row["ms"]), float(row["x"]), float(row["y"])) for row in csv.DictReader(stream)]


class Replay:
    """Sends recorded moves when they are due; moves that are late are sent at once, as a pointer does."""

    def __init__(self, widget: QObject, moves: list[tuple[float, float, float]]) -> None:
        self.widget, self.moves, self.next = widget, moves, 1
        self.sent: list[float] = []
        self.send(QEvent.Type.MouseButtonPress, 0, Qt.MouseButton.LeftButton)
        self.started = time.perf_counter()
        self.timer = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self.tick)
        self.timer.start()

    @property
    def done(self) -> bool:
        return self.next >= len(self.moves)

    def tick(self) -> None:
        now = 1e3 * (time.perf_counter() - self.started)
        while not self.done and self.moves[self.next][0] <= now:
            self.send(QEvent.Type.MouseMove, self.next, Qt.MouseButton.NoButton)
            self.sent.append(time.perf_counter())
            self.next += 1
        if self.done:
            self.timer.stop()

    def send(self, kind: QEvent.Type, index: int, button: Qt.MouseButton) -> None:
        _, x, y = self.moves[index]
        at = QPointF(x * self.widget.width(), y * self.widget.height())
        held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
        place = QPointF(self.widget.mapToGlobal(QPoint(0, 0))) + at
        QApplication.sendEvent(self.widget, QMouseEvent(kind, at, place, button, held, Qt.KeyboardModifier.NoModifier))


def aimed(widget, moves):
    """Return the moves with a start on a box of the shown machine."""
    geometry = widget.scene.geometry
    boxes = geometry.layout.boxes
    centres = np.column_stack([boxes[:, :2], np.zeros(len(boxes))])
    x, y = widget.camera.project(centres, (widget.width(), widget.height()))[SUPERNODE, :2]
    start = (0.0, x / widget.width(), y / widget.height())
    return [start, *moves[1:]]


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("(512,1)", LARGEST),
        ("half of (512,1), without background jobs", HALF),
        ("half of (512,1), with three background jobs", replace(HALF, neighbours=JOBS)),
        ("(32,4)", worked_example()),
    ],
)
def test_drag(opened, qapp, qtbot, record, name, scenario):
    window = opened(scenario)
    machine, session = window.machine, window.session
    session.set_tool("drag")
    session.set_level(0)
    qtbot.wait(1500)
    load_view_kernels()
    load_more_kernels()
    gc.collect()
    gc.freeze()  # as the program does after its start
    shown: list[float] = []
    session.changed.connect(lambda change: shown.append(time.perf_counter()) if ChangeSet.LOADS in change else None)
    moves, dropped = window.toolbox.moves, window.toolbox.dropped
    qapp.watch()
    replay = Replay(machine, aimed(machine, recorded()))
    qtbot.waitUntil(lambda: replay.done, timeout=60_000)
    qtbot.wait(300)
    qapp.watch(False)
    frames, turns = 1e3 * np.array([*qapp.frames.values()]), 1e3 * np.array(qapp.turns)
    replay.send(QEvent.Type.MouseButtonRelease, -1, Qt.MouseButton.LeftButton)
    moves, dropped = window.toolbox.moves - moves, window.toolbox.dropped - dropped
    gaps = np.array([b - a for a, b in pairwise(shown)])
    middle, high, longest = np.percentile(frames, (50, 95, 100))
    work = f"median {middle:.1f} ms, 95th percentile {high:.1f} ms, maximum {longest:.1f} ms"
    record(f"{name}: work of the GUI thread per frame", work, f"longest event-loop turn {turns.max():.1f} ms")
    used = f"{moves}, of which {dropped} dropped"
    record(f"{name}: moves", used, f"loads changed {len(shown)} times, every {1e3 * np.median(gaps):.0f} ms")
    assert session.state.history.undo_name.startswith("Swap")
