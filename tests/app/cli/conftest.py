"""The application exists before a command renders: without one it would begin without a screen, for all later tests."""

import pytest


@pytest.fixture(autouse=True)
def application(qapp):
    return qapp
