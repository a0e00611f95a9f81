"""Small machines with a mapping drawn at random, and choices of tasks, for hypothesis."""

from functools import cache
from itertools import product
from math import prod

import numpy as np
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.mapping import Mapping
from core.mapping.mapping import check_injection
from core.network import Percs, Torus
from tests.core.strategies import one_of_these

NETWORKS = (Percs(2, 1).build(), Torus(dims=(2, 3, 4), slots_per_node=2).build(), Torus(dims=(8,)).build())
SIDES = (1, 2, 3, 4, 6)


@cache
def grids(slots):
    """Rows and columns of up to `slots` tasks: a strategy."""
    return st.sampled_from([grid for grid in product(SIDES, SIDES) if prod(grid) <= slots])


@st.composite
def machines(draw):
    """A network, a job that fits, and its mapping, which leaves some slots empty or none."""
    network = draw(one_of_these(NETWORKS))
    rows, cols = draw(grids(network.slots))
    full = draw(st.booleans())
    job = (AllToAll(tasks=network.slots) if full else Halo(rows, cols)).build()
    slots = np.random.default_rng(draw(st.integers(0, 99))).permutation(network.slots)[: job.tasks]
    return network, job, Mapping(slots.astype(np.int32), network.slots_per_node)


def choices(job):
    """Different tasks in any order."""
    return st.lists(st.integers(0, job.tasks - 1), unique=True, max_size=40)


def edited(edit, mapping, network):
    """The mapping after an edit, which is asserted to be undoable."""
    after = edit.applied(mapping)
    check_injection(after.slots, network.slots)
    assert (np.diff(edit.tasks) > 0).all()
    assert (edit.old != edit.new).all()
    np.testing.assert_array_equal(mapping.slots[edit.tasks], edit.old)
    np.testing.assert_array_equal(edit.inverse().applied(after).slots, mapping.slots)
    return after
