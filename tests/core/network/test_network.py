"""What all families share: words about sizes that nobody can build."""

import re

import pytest

from core.network import Clex, Complete, Dragonfly, FatTree, Mesh, Percs, Shortcut, Torus
from core.spec import SpecError
from core.text import MAX_DIGITS

HUGE = (
    Clex(k=4096, levels=20),
    Clex(k=4096, levels=4),
    Complete(nodes=1 << 20),
    Dragonfly(routers=1024, global_links=1024, groups=4096, nodes_per_router=256),
    FatTree(arity=1024, levels=16),
    Mesh(dims=(65536,) * 8),
    Percs(supernodes=4096, d_links=32),
    Shortcut(nodes=1 << 20, degree=4096),
    Torus(dims=(65536,) * 8),
)


@pytest.mark.parametrize("spec", HUGE, ids=lambda spec: spec.tag())
def test_no_refusal_and_no_summary_holds_a_number_of_fifty_digits(spec):
    with pytest.raises(SpecError, match="at most 10,000,000 fit") as caught:
        spec.build()
    for words in (caught.value.message, spec.summary()):
        digits = [run.replace(",", "") for run in re.findall(r"[\d,]+", words)]
        assert max(map(len, digits)) <= MAX_DIGITS + 1, words
