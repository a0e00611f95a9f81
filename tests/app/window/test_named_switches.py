"""A machine whose file names its switches: no text of the window names them by a number."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLabel, QLineEdit, QWidget

from app.model.pointing import Item
from app.session.jobs import add_copy
from core.job import Flows
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.rearrange import exchange
from core.mapping.targets import Target
from core.network import Edges, LinkFault
from core.routing import Minimal
from tests.app.wording.test_file_names import CONF, SWITCHES, assert_named

GROUPS = 5


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "topology.conf").write_text(CONF)
    flows = Flows(src=(0, 1, 2, 3, 4), dst=(4, 5, 6, 7, 0), volume=(1.0, 2.0, 3.0, 4.0, 5.0))
    return Scenario(Edges(file="topology.conf"), flows, Sequential(), Minimal(), folder=tmp_path)


def texts(window):
    for widget in window.findChildren(QWidget):
        yield widget.toolTip()
        yield widget.windowTitle()
        if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
            yield widget.text()
        elif isinstance(widget, QComboBox):
            yield from map(widget.itemText, range(widget.count()))
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            model = widget.model()
            for row in range(model.rowCount()):
                yield " ".join(str(model.index(row, col).data() or "") for col in range(model.columnCount()))


def assert_all_named(window):
    for text in filter(None, texts(window)):
        assert_named(text)


def test_no_text_of_the_window_names_a_switch_by_a_number(unshown):
    window, session = unshown, unshown.session
    network = session.state.evaluation.case.network
    items = [Item("group", group) for group in range(GROUPS)]
    items += [Item("bundle", a * GROUPS + 4) for a in range(4)] + [Item("link", 0), Item("switch", network.nodes)]
    for item in items:
        session.select(item)
        assert_all_named(window)
    session.set_tool("paint")
    for place, name in enumerate(SWITCHES):
        session.set_target(Target(0, place))
        assert name in {line.text() for line in window.findChildren(QLineEdit)}
        assert_all_named(window)


def test_history_and_errors_name_switches(unshown):
    window, session = unshown, unshown.session
    case = session.state.evaluation.case
    swap = exchange(case.mapping, Target(0, 0), Target(0, 2), case.network, session.editing.live.occupant)
    session.editing.apply(swap, f"Swap {Target(0, 0).name(case.network)} with {Target(0, 2).name(case.network)}")
    session.propose(session.state.wanted.with_choice("faults", (LinkFault("core", "west"),)))
    add_copy(session)
    assert_all_named(window)
    assert "west" in session.state.report.disconnected.reason
