"""A bench with the machine and the task grid on the screen."""

import pytest

from tests.app.tools.tool_driver import Bench


@pytest.fixture
def bench(qtbot):
    made = []

    def make(scenario, tool, **kinds):
        made.append(Bench(scenario, tool, **kinds))
        made[-1].show()
        qtbot.waitExposed(made[-1])
        return made[-1]

    yield make
    for one in made:
        one.leave()
