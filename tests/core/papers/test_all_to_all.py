"""The poster on all-to-all in a supernode: closed forms of our figures, and their consequences."""

import json
from dataclasses import replace

import pytest

from app.cli.main import main
from core.job import AllToAll
from core.network import Percs
from core.papers import all_to_all
from core.papers.all_to_all import ASSUMPTIONS, PAPER, figures, over_time
from core.timing import messages

OURS = {
    "nodes of a supernode": 32,
    "messages of a task": 1023,
    "pairs in a step of pairwise exchange": 512,
    "pairwise exchange": 896 / 3 + 24576 / 5,
    "new algorithm": 1024 / 5,
    "peak of the links": 1024 / 5,
    "speed-up": (896 / 3 + 24576 / 5) / (1024 / 5),
    "LL in use, new algorithm": 100 * 5 / 24,
    "LR in use, new algorithm": 100,
    # In each of 32 phases 31 of a node's cores send a message to each of 32 others.
    "speed-up under limited injection": (896 / 3 + 24576 / 5) / (32 * 31 * 32 / 31),
    "speed-up with striped messages": 323 / 96,
}


@pytest.fixture(scope="module")
def timed():
    """All figures, with two draws instead of five, and how far it was by its own account.

    Messages that meet on a link are not counted: no figure uses them, and counting takes longer than all else.
    """
    heard = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(all_to_all, "SEEDS", 2)
        patch.setattr(messages, "MAX_PARTS", 1)
        return list(figures(heard.append)), heard


def test_figures_match_closed_forms(timed):
    by_place = {cell.row: cell for cell in timed[0]}
    assert {name: by_place[name].ours for name in OURS} == pytest.approx(OURS)
    assert [cell.row for cell in by_place.values() if cell.agrees is False] == ["speed-up", "reduction of the time"]
    assert all((cell.agrees is None) == (cell.printed is None) for cell in by_place.values())
    # About five for any draw.
    assert 4 < by_place["speed-up over random placement"].ours < 5.5


def test_progress_rises_to_1(timed):
    _, heard = timed
    assert heard == sorted(heard)
    assert (len(heard), heard[-1]) == (4, 1.0)


def test_link_activity_over_time_matches_link_loads(monkeypatch):
    # 2 drawers of 2 nodes with 4 cores: between two nodes go 16 GB, 4 in each of 4 steps, or of 4 phases of the new.
    small = Percs(supernodes=1, drawers=2, nodes_per_drawer=2, ll_gbs=24.0, lr_gbs=5.0, slots_per_node=4)
    jobs = {"PAIRWISE": AllToAll(16, "pairwise", 1e9), "NEW": AllToAll(16, "node-by-node", 1e9, per_node=4)}
    for name, value in {**jobs, "SUPERNODE": small, "SHOWN": {"LL": 1, "LR": 2}}.items():
        monkeypatch.setattr(all_to_all, name, value)
    by_place = list(over_time())
    for name, seconds in (("pairwise", 106 / 15), ("new", 16 / 5)):
        for link, gbs in (("LL", 24), ("LR", 5)):
            shares = [cell.ours for cell in by_place if cell.column == f"{link}, {name}, %"]
            assert len(shares) == 10
            assert sum(shares) / 1000 * seconds == pytest.approx(16 / gbs)
    assert [cell.ours for cell in by_place if cell.column == "LR, new, %"] == pytest.approx([100] * 10)
    assert [(cell.ours, cell.printed) for cell in by_place if cell.column == "number of links"] == [(1, None), (3, 3)]


def test_the_command_prints_figures_and_assumptions(timed, monkeypatch, capsys):
    table = replace(PAPER.tables[0], cells=lambda progress: iter(timed[0]))
    monkeypatch.setattr(all_to_all, "PAPER", replace(PAPER, tables=(table,)))
    assert main(["reproduce", "alltoall", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["paper"], printed["remarks"], printed["left_out"]) == ("alltoall", list(ASSUMPTIONS), [])
    names = [cell["row"] for cell in printed["cells"]]
    assert main(["reproduce", "alltoall"]) == 0
    text = capsys.readouterr().out
    assert "6 of 8 cells agree" in text
    for words in [*names, *ASSUMPTIONS]:
        assert words in text
