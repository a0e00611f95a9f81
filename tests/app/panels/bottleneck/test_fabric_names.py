"""Names with ports fit into the panel at its usual width: they are shortened, and loads give way."""

import pytest
from PySide6.QtTest import QTest

from app.model.load_parts import LoadPart
from app.model.pointing import Item
from app.panels.bottleneck.panel import BottleneckPanel
from app.panels.bottleneck.part_list import PartList
from app.wording.names import short_name
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges
from core.routing import Minimal
from tests.core.network.test_link_ends import TWO_CABLES

PANEL_PX = 300
"""Width of the panel in a window of 1280 pixels."""


@pytest.fixture
def fabric(tmp_path):
    text = TWO_CABLES.replace("west", "s1_0000").replace("east", "s2_0017").replace("[7]", "[36]").replace("8 ", "36 ")
    (tmp_path / "ib.txt").write_text(text)
    return Scenario(Edges(file="ib.txt"), AllToAll(tasks=2), Sequential(), Minimal(), folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("switch link s1 port 5 → s2 port 12", "switch s1[5] → s2[12]"),
        ("node link n1-nic3 port 1 → s1 port 5", "node n1-nic3[1] → s1[5]"),
        ("X (0) → (1) (parallel 1)", "X (0) → (1) (1)"),
        ("LR 21 · d1 · 12 → 21 · d0 · 4", "LR 21·d1·12 → 21·d0·4"),
        ("switch port 3 of rack 5", "switch port 3 of rack 5"),
    ],
)
def test_names_are_shortened(name, short):
    assert short_name(name) == short


def test_no_end_is_elided_in_the_table(session_of, laid_out, fabric):
    session = session_of(fabric)
    panel = laid_out(BottleneckPanel(session))
    panel.resize(PANEL_PX, 760)
    QTest.qWait(20)
    table = panel.hottest.table
    rows = [[table.model().index(row, column).data() for column in range(3)] for row in range(2)]
    assert ["switch", "s1_0000[1]", "s2_0017[6]"] in rows
    for column in range(3):
        wide = max(table.fontMetrics().horizontalAdvance(row[column]) for row in rows)
        assert table.columnWidth(column) >= wide


def test_loads_give_way_to_names(qtbot):
    parts = PartList("Links")
    qtbot.addWidget(parts)
    name = "switch link s1_0000 port 16 → s2_0017 port 36"
    listed = (LoadPart(name, 1.0, 0.5, Item("link", 0)),)
    advance = parts.fontMetrics().horizontalAdvance
    parts.parts = listed
    assert parts.row_texts(advance(name) + 200) == ([name], True)
    assert parts.row_texts(advance(name)) == ([short_name(name)], True)
    assert parts.row_texts(advance(short_name(name))) == ([short_name(name)], False)
    # Roles of hops stay as they are.
    parts.parts = (LoadPart("on every shortest path", 1.0, 1.0),)
    assert parts.row_texts(10) == (["on every shortest path"], True)
