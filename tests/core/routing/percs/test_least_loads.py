"""Cases of the middle hop of indirect routing; for all pairs see tests/core/load/bounds/test_bounds.py."""

import numpy as np
import pytest

from core.network import Percs
from core.routing import PercsDirect, PercsIndirect
from core.routing.percs.least_loads import (
    LL_IN_BUCKET,
    LR_IN_BUCKET,
    coarse_groups,
    direct_load,
    indirect_load,
    inside_load,
)


@pytest.mark.parametrize(
    ("supernodes", "w", "sizes"),
    [
        (32, 32, [(8, 4), (1, 32)]),
        (64, 16, [(32, 2), (4, 16)]),
        (32, 8, [(4, 8)]),
        (32, 1, [(32, 1)]),
        (4, 16, [(1, 4)]),
        (12, 32, []),
        (20, 8, []),
    ],
)
def test_groups_of_supernodes_by_gate(supernodes, w, sizes):
    assert [(g.supernodes, g.groups) for g in coarse_groups(supernodes, w, 8)] == sizes


def test_chain_begins_with_the_groups_of_the_middle_hop():
    (chain,) = PercsIndirect().router(Percs(64, 2).build()).partitions()
    assert [p.name for p in chain] == ["octet of congruence classes", "congruence class", "supernode", "drawer", "node"]
    assert [p.least["LR"] for p in chain] == [2.5, 1.5, 1.5, 1.0, 0.0]
    assert [p.least["LL"] for p in chain] == [0.4375, 1.4375, 0.4375, 0.875, 1.75]
    (plain,) = PercsIndirect(count_middle_hop=False).router(Percs(64, 2).build()).partitions()
    assert [p.name for p in plain] == ["supernode", "drawer", "node"]
    # As many residues as supernodes: every unit that leaves one has a middle hop.
    (chain,) = PercsIndirect().router(Percs(8, 4).build()).partitions()
    assert [p.name for p in chain] == ["supernode", "drawer", "node"]
    assert chain[0].least["LL"] == 1.4375


def test_only_links_in_a_bucket_carry_middle_hops():
    names = {d: PercsIndirect().router(Percs(32, d).build()).link_sets().keys() for d in (1, 2, 4, 8, 16, 32)}
    plain = {"LL", "LR", "D"}
    small, wide = {*plain, LL_IN_BUCKET}, {*plain, LR_IN_BUCKET}
    assert names == {1: plain, 2: wide, 4: plain, 8: small, 16: small, 32: plain}
    assert PercsDirect().router(Percs(32, 8).build()).link_sets().keys() == plain


def test_loads_of_a_unit():
    assert inside_load(1, striped=True, mates=8) == {"LL": 0.875, "LR": 1.0, "D": 0.0}
    assert inside_load(2, striped=False, mates=8) == {"LL": 1.0, "LR": 0.0, "D": 0.0}
    assert direct_load(16, 2, 8) == {"LL": 0.375, "LR": 1.5, "D": 1.0}
    assert direct_load(1, 32, 8) == {"LL": 0.0, "LR": 0.0, "D": 1.0}
    assert indirect_load(np.full(8, 4), 32, 4, 8) == {"LL": 0.4375, "LR": 1.5, "D": 1.9375}
