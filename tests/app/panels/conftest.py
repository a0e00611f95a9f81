"""Sessions that answer at once, and panels on the screen."""

import pytest

from app.session import Session
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import ModColour
from core.network import Percs
from core.routing import PercsDirect

HALO = Scenario(Percs(32, 4), Halo(64, 64), ModColour(), PercsDirect())


@pytest.fixture
def session_of(qtbot):
    opened = []

    def open_session(scenario):
        opened.append(Session(scenario, sync=True))
        return opened[-1]

    yield open_session
    for session in opened:
        session.close()


@pytest.fixture
def session(session_of):
    return session_of(HALO)


@pytest.fixture
def show(qtbot):
    def show_widget(widget, width=330, height=940):
        widget.resize(width, height)
        qtbot.addWidget(widget)
        with qtbot.waitExposed(widget):
            widget.show()
        widget.activateWindow()
        qtbot.waitUntil(widget.isActiveWindow)
        return widget

    return show_widget


class Log(list):
    """What a session tells: (changes, initiator), one after the other."""

    def __init__(self, session):
        super().__init__()
        session.changed.connect(lambda changes, initiator: self.append((changes, initiator)))

    def of(self, flag):
        return [entry for entry in self if entry[0] & flag]


@pytest.fixture
def log_of():
    return Log
