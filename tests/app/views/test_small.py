"""Every view can be painted at every size that a picture, or a pane of a film, can have."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from app.cli.picture import _painter_of
from app.model.view_table import SPECS
from app.session.session import Session
from core.job import AllToAll, Halo, Sequence
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Mesh
from core.routing import DimensionOrder

PANES = [(1, 1), (2, 40), (40, 2), (10, 10), (24, 14)]
SIZES = [*PANES, (64, 64), (64, 400), (400, 64), (150, 90), (320, 240), (639, 359)]
JOB = Sequence(parts=(Halo(rows=4, cols=4), AllToAll(tasks=16)))
CASES = {
    "with a past": Scenario(Mesh(dims=(4, 4)), JOB, Random(seed=1), DimensionOrder()),
    "one node": Scenario(Mesh(dims=(2, 1)), Halo(rows=1, cols=2), Sequential(), DimensionOrder()),
}


@pytest.fixture(scope="module", params=CASES)
def small_session(request, qapp):
    session = Session.of(CASES[request.param], sync=True)
    if request.param == "with a past":
        for seed in range(5):
            session.propose(replace(session.state.wanted, mapping=Random(seed=seed)))
        session.editing.undo()
    session.timekeeper.look()
    yield session
    session.close()


@pytest.mark.parametrize("view", SPECS)
def test_a_view_is_painted_at_every_size(small_session, view):
    for size in SIZES:
        image = QImage(*size, QImage.Format.Format_RGB32)
        image.fill(0x123456)
        painter = QPainter(image)
        try:
            _painter_of(view, small_session, size, None)(painter, QRectF(0, 0, *size))
        finally:
            painter.end()
        if min(size) >= 64:
            assert len({image.pixel(x, y) for x in range(0, size[0], 3) for y in range(0, size[1], 3)}) > 1, size
