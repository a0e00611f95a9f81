"""The family that CONTRIBUTING adds is one of today's code."""

import re
import sys
import types
from pathlib import Path

import networkx as nx
import pytest

CONTRIBUTING = Path(__file__).resolve().parent / "CONTRIBUTING.md"


@pytest.fixture
def star(monkeypatch):
    module = types.ModuleType("star")
    monkeypatch.setitem(sys.modules, "star", module)  # where msgspec looks up what annotations name
    (source,) = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(), re.S)
    exec(source, module.__dict__)
    return module.Star


def test_it_is_a_star(star):
    network = star(nodes=8).build()
    links = zip(network.src.tolist(), network.dst.tolist(), strict=True)
    assert nx.is_isomorphic(nx.Graph(links), nx.star_graph(8))
    assert (network.nodes, network.links) == (8, 16)
    assert star().sized(1).nodes == 2
    assert star(nodes=1024).summary() == "1,024 nodes on one switch"
