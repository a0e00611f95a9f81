"""Names of parts of a network, and titles of notes."""

import pytest

from app.model.pointing import Item, exists, groups_of, nodes_of
from app.storage.presets import preset, preset_names
from app.wording.names import brief, headline_of, member_label, top_level
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from core.text import enumerated


@pytest.fixture(scope="module")
def percs():
    return Scenario(Percs(supernodes=4), Halo(rows=8, cols=16), Sequential(), PercsDirect()).build()


@pytest.fixture(scope="module")
def ring():
    return Scenario(Torus(dims=(6,)), Halo(rows=2, cols=3), Sequential(), DimensionOrder()).build()


def test_names_are_joined_to_a_list():
    assert [enumerated([]), enumerated(["X"]), enumerated(["X", "Y", "Z"])] == ["", "X", "X, Y and Z"]


def test_names_come_from_the_network(percs, ring):
    assert (top_level(percs.network), percs.network.group_name(3)) == ("supernode", "supernode 3")
    assert [member_label(percs.network, 0, 3), member_label(percs.network, 1, 13)] == ["3", "d1"]
    assert (top_level(ring.network), ring.network.group_name(3)) == ("node", "node (3)")
    assert ring.network.link_name(0) == "X (0) → (1)"


def test_items_are_in_groups_and_at_nodes(percs):
    bridge = percs.network.link_class("D").links.start
    assert groups_of(Item("link", bridge), percs) == (0, 1)
    assert groups_of(Item("link", 0), percs) == (0,)
    assert groups_of(Item("bundle", 4 * 2 + 3), percs) == (2, 3)
    assert groups_of(Item("group", 3), percs) == (3,)
    assert nodes_of(Item("task", 127), percs) == (31,)
    assert groups_of(Item("node", 40), percs) == (1,)
    assert nodes_of(Item("group", 1), percs) == nodes_of(None, percs) == ()


@pytest.mark.parametrize(
    ("item", "there"),
    [
        (Item("task", 127), True),
        (Item("task", 128), False),
        (Item("bundle", 15), True),
        (Item("bundle", 16), False),
        (Item("node", -1), False),
        (Item("moon", 0), False),
    ],
)
def test_item_exists_or_not(percs, item, there):
    assert exists(item, percs) is there
    if not there:
        assert groups_of(item, percs) == ()


def test_without_levels_each_node_is_a_group(ring):
    assert groups_of(Item("bundle", 6 * 2 + 5), ring) == (2, 5)
    assert groups_of(Item("task", 4), ring) == (4,)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["LL"], "LL"),
        (["X", "Y"], "X and Y"),
        (["X", "Y", "Z"], "X, Y and Z"),
        (["C1", "C2", "C4", "C8"], "C1, C2 and 2 more"),
        (["level 1", "level 2", "level 3"], "level 1, 2 and 3"),
        (["level 1"], "level 1"),
        (["switch link", "node link"], "switch link and node link"),
    ],
)
def test_long_list_of_names_is_shortened(names, text):
    assert brief(names) == text


@pytest.mark.parametrize("name", preset_names())
def test_title_of_a_preset_ends_with_a_clause_of_its_note(name):
    note = preset(name).note
    title = headline_of(note)
    assert 3 < len(title) <= 62
    assert title[-1] not in ",;:"
    begun = title.removesuffix(" …")
    assert note.startswith(begun)
    assert begun == note or note[len(begun)] in ".,:; \n"
