"""Notes on evaluated scenarios."""

import pytest

from core.figures.notes import notes_of
from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges, Torus
from core.routing import DModK, Minimal


@pytest.mark.parametrize(
    ("rows", "routing", "choice"),
    [
        ("a s; b s; c t; d t; s r; t r; s q; t q", Minimal(), "choose d-mod-k, or minimal with equal shares"),
        ("a s; b t; c u; d u; s t; t u; u s", Minimal(), "choose minimal with equal shares"),
        ("a s; b s; c t; d t; s r; t r; s q; t q", Minimal(spread="equal"), None),
        ("a s; b s; c t; d t; s r; t r; s q; t q", DModK(), None),
    ],
)
def test_single_minimal_paths_on_a_fabric_have_a_note(tmp_path, rows, routing, choice):
    (tmp_path / "net.txt").write_text(rows.replace("; ", "\n"))
    edges = Edges(file="net.txt", hosts="a,b,c,d")
    notes = notes_of(evaluate(Scenario(edges, AllToAll(tasks=4), Sequential(), routing, folder=tmp_path).build()))
    if choice is None:
        assert notes == []
    else:
        (note,) = notes
        assert note.startswith("no InfiniBand fabric routes by minimal with a single path")
        assert note.endswith(choice)


def test_other_networks_have_no_such_note():
    assert notes_of(evaluate(Scenario(Torus((4, 4)), AllToAll(tasks=16), Sequential(), Minimal()).build())) == []
