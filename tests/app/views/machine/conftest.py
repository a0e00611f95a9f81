"""Machines that tests show."""

import pytest

from app.views.machine.view import MachineView


@pytest.fixture
def machine(painted, brisk, session_of, shown):
    """Show the machine of a scenario."""
    return lambda scenario, width=660, height=600: shown(MachineView(session_of(scenario)), width, height)


@pytest.fixture
def accelerated(brisk, session_of, shown):
    """Show the machine of a scenario by OpenGL; its canvas is closed with the test."""
    views = []

    def make(scenario, width=660, height=600):
        views.append(MachineView(session_of(scenario)))
        return shown(views[-1], width, height)

    yield make
    for view in views:
        view.close()
        view.canvas.close()
