"""The machine and the task grid on the screen, used as by a user."""

import pytest

from tests.app.tools.tool_driver import ToolDriver


@pytest.fixture
def make_driver(qtbot, painted, brisk):
    """Nothing is drawn unless a test asks for it: drawing takes most of the time of a gesture."""
    made = []

    def make(scenario, tool, *, drawn=False, **kinds):
        made.append(ToolDriver(scenario, tool, **kinds))
        made[-1].show()
        made[-1].setUpdatesEnabled(drawn)
        return made[-1]

    yield make
    for driver in made:
        driver.leave()
