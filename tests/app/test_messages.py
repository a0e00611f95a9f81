"""Message counts have no sizes, so every throughput is shown with the condition that messages are of equal size."""

import re

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from app.cli.main import main
from app.model.comparison_text import throughputs
from app.model.performance import Performance
from app.model.search_run import Budget, SearchSettings
from app.panels.bottleneck.class_bars import ClassBars, bars_of
from app.storage.presets import worked_example
from app.style.theme import DARK
from app.tools.gesture_tip import gesture_text
from app.views.charts.history_table import step_change
from app.wording.swaps import swap_details
from core.files import write_scenario
from core.job import Flows
from core.job.measure import MEASURES, UNITS, strictest
from core.load.scenario import Scenario
from core.load.swap_suggestions import suggest_swaps
from core.mapping import Explicit
from core.mapping.edit import occupants, swapped
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.climbing import climb
from tests.app.sessions import session_on

ALIKE = " for equal messages"
SLOTS = (0, 10, 5, 7)
TRACE = Flows(src=(0, 1, 2), dst=(1, 2, 3), volume=(5.0, 3.0, 1.0), unit="messages")
TRACED = Scenario(Torus(dims=(4, 4)), TRACE, Explicit(SLOTS), DimensionOrder())


@pytest.fixture
def session(qapp):
    session = session_on(TRACED, theme=DARK, sync=True)
    yield session
    session.close()


def swap(session):
    case = session.state.evaluation.case
    occupant = occupants(case.mapping, case.network.slots)
    session.editing.apply(swapped(case.mapping, case.mapping.slots[[0]], case.mapping.slots[[3]], occupant), "swap")


def assert_alike(text):
    """Check that no throughput per node is shown without the condition."""
    assert "GB/s per node" in text
    assert len(re.findall("GB/s per node", text)) == len(re.findall(f"GB/s per node{ALIKE}", text)), text


def test_the_measure_of_several_is_that_whose_throughput_asks_most():
    messages = MEASURES["messages"]
    assert messages.brief_rate == f"GB/s{ALIKE}"
    assert strictest([UNITS, messages, MEASURES["MB"]]) is messages
    assert strictest([UNITS, MEASURES["MB"]]).rate == "GB/s per node"
    assert strictest([]) is UNITS


def test_beside_the_pointer_in_advice_and_in_comparisons(session):
    first = session.state.evaluation
    assert_alike(gesture_text(session.state, None))
    assert_alike(swap_details(suggest_swaps(first.report).best[0], first.case.job.measure.rate))
    swap(session)
    second = session.state.evaluation
    assert_alike(throughputs(first, second)[0])
    assert_alike(throughputs(first, first)[0])
    assert Performance.of(first.report).measure.rate == f"GB/s per node{ALIKE}"


def test_in_the_history_beside_a_job_of_units_too(session):
    swap(session)
    assert_alike(step_change(session.state.history, 0))
    assert_alike(step_change(session.state.history, 1))
    session.propose(worked_example())
    assert_alike(step_change(session.state.history, 2))
    swap(session)
    assert step_change(session.state.history, 3).endswith("GB/s per node")


def test_bars_are_read_aloud_with_it(session, qtbot):
    bars = ClassBars()
    qtbot.addWidget(bars)
    bars.show_state(session.state)
    assert_alike(bars.accessibleDescription())
    assert all(ALIKE in bar.tip for bar in bars_of(session.state) if "allow" in bar.tip)


def test_a_search_says_it_in_its_figures_and_in_its_step(session):
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=Budget(seconds=None, steps=12, workers=1)))
    session.optimiser.start()
    (run,) = session.state.search.runs
    assert run.unit == f"GB/s per node{ALIKE}"
    assert run.name.endswith(f" GB/s{ALIKE}")


def test_everything_in_the_window(window):
    session = window.session
    session.open(TRACED, None)
    swap(session)
    session.advisor.search()
    window.bottleneck.catch_up()
    for page in (window.optimiser, window.views["history"]):
        window.centre.charts.show_page(page)
    shown = [widget for widget in window.findChildren(QWidget) if widget.isVisible()]
    texts = [text for widget in shown for text in (widget.toolTip(), widget.accessibleDescription())]
    texts += [widget.text() for widget in shown if isinstance(widget, QLabel)]
    told = [text for text in texts if "GB/s per node" in text]
    assert len(told) > 1
    for text in told:
        assert_alike(text)


@pytest.mark.parametrize(
    "words", [["evaluate"], ["optimise", "--steps", "100"], ["compare", "--job", "own"]], ids=lambda words: words[0]
)
def test_on_the_command_line(tmp_path, capsys, words):
    path = tmp_path / "trace.fabriscope.json"
    write_scenario(path, TRACED)
    assert main([words[0], str(path), *words[1:]]) == 0
    text = capsys.readouterr().out
    if words[0] == "compare":
        assert f"note: the unit of throughput is GB/s per node{ALIKE}" in text
    else:
        assert_alike(text)
