"""The application exists before a command renders; a command would create it offscreen for all later tests."""

import pytest


@pytest.fixture(autouse=True)
def application(qapp):
    return qapp
