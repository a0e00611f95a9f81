"""What tests of large machines leave out."""

import pytest

from core.timing import messages


@pytest.fixture
def no_meetings(monkeypatch):
    """Skip counting messages that meet on a link, which takes longer than the rest and changes no time."""
    monkeypatch.setattr(messages, "MAX_PARTS", 1)
