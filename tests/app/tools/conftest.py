"""The machine and the task grid on the screen, driven as by a user."""

import pytest

from tests.app.tools.tool_driver import ToolDriver


@pytest.fixture
def make_driver(qtbot, painted, brisk):
    made = []

    def make(scenario, tool, **kinds):
        made.append(ToolDriver(scenario, tool, **kinds))
        made[-1].show()
        return made[-1]

    yield make
    for one in made:
        one.leave()
