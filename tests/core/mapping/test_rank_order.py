"""Orders of a training job's groups: adjacent ranks are in the group named first."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Training
from core.mapping import RankOrder
from core.network import Complete
from core.spec import SpecError

small = st.integers(1, 4)


@given(small, small, small, st.sampled_from(sorted(RankOrder.presets)))
def test_the_first_kind_varies_fastest(t, d, p, order):
    job = Training(tensor=t, data=d, pipeline=p).build()
    slots = RankOrder(order).place(job, Complete(nodes=64).build())
    sizes, names = {"tp": t, "dp": d, "pp": p}, order.split("-")
    for place, index in enumerate(product(*(range(sizes[name]) for name in reversed(names)))):
        at = dict(zip(reversed(names), index, strict=True))
        assert slots[at["tp"] + t * (at["dp"] + d * at["pp"])] == place


def test_other_jobs_are_refused():
    with pytest.raises(SpecError, match="rank-order needs a training job; try sequential") as refusal:
        RankOrder().build(AllToAll(8).build(), Complete(nodes=8).build())
    assert refusal.value.field == "mapping.type"
