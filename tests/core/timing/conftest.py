"""What tests of large machines leave out."""

import pytest

from core.timing import messages


@pytest.fixture
def no_meetings(monkeypatch):
    """Messages that meet on a link are not counted, which takes longer than all else and changes no time."""
    monkeypatch.setattr(messages, "MAX_PARTS", 1)
