"""Names of boxes around a ring: none touch, for any number of boxes, and as many as fit are shown."""

import numpy as np
import pytest

from app.views.machine.labels import spread_around

ROOM = np.array([24.0, 14.0])


def ring(count, radius):
    angle = 2 * np.pi * np.arange(count) / count
    return radius * np.stack([np.sin(angle), -np.cos(angle)], axis=1)


@pytest.mark.parametrize("count", [2, 3, 8, 33, 65, 512, 513, 515, 1000, 1025])
def test_names_around_a_ring_are_apart_and_many(count):
    at = ring(count, 260)
    named = spread_around(at, ROOM)
    shown = at[list(named)]
    apart = (np.abs(shown[:, None] - shown) >= ROOM).any(axis=2) | np.eye(len(shown), dtype=bool)
    assert apart.all()
    assert named[0] == 0
    assert len(named) >= min(count, 30)


def test_without_room_only_the_first_is_named():
    assert list(spread_around(ring(7, 3), ROOM)) == [0]
