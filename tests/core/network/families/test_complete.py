"""Complete graphs, against networkx."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Complete
from core.spec import SpecError


@given(st.integers(2, 24))
def test_links_match_networkx(nodes):
    network = Complete(nodes=nodes).build()
    ours = sorted(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    assert ours == sorted(nx.complete_graph(nodes).to_directed().edges)
    (cut,) = network.cuts
    leaving = [(u, v) for u, v in ours if u < cut.nodes <= v]
    assert cut.leaving == {"link": len(leaving)}


def test_sizes():
    assert Complete(nodes=64).summary() == "64 nodes of degree 63, 2,016 links"
    assert [Complete().sized(nodes).nodes for nodes in (1, 100)] == [2, 100]
    with pytest.raises(SpecError, match="must be at most 10,000,000") as refusal:
        Complete(nodes=1 << 20).build()
    assert refusal.value.field == "network.nodes"
