"""Every kind of network, job, mapping and routing takes part in the property tests."""

from pathlib import Path

import pytest
from hypothesis import find
from hypothesis import strategies as st

from core.job import AnyPattern
from core.mapping import AnyMapping
from core.network import AnyNetwork, NetworkSpec, Torus
from core.routing import AnyRouting
from core.spec import members
from tests.core import strategies
from tests.core.samples import MOST, MOST_NODES, samples

DRAWN = {"networks": AnyNetwork, "patterns": AnyPattern, "mappings": AnyMapping, "routings": AnyRouting}
"""The union that each strategy of `tests.core.strategies` draws from."""


def line_of(name):
    """Return the file and line where a strategy begins."""
    path = Path(strategies.__file__)
    lines = path.read_text().splitlines()
    number = next(number for number, line in enumerate(lines, start=1) if line.startswith(f"{name} = "))
    return f"tests/core/{path.name}:{number}"


@pytest.mark.parametrize("name", DRAWN)
def test_every_kind_is_drawn(name):
    kinds = [kind for kind in members(DRAWN[name]) if kind not in strategies.FROM_FILES]
    listed = strategies.CHOSEN[DRAWN[name]]
    for kind in kinds:
        cure = f"add a line to {line_of(name)}: `{kind.__name__}: st.builds({kind.__name__}, ...),`"
        assert kind in listed or samples(kind), f"{kind.__name__} has no small instance within its bounds; {cure}"


class Star(Torus, frozen=True, tag="star"):
    """A family that nothing else knows."""


class Huge(Torus, frozen=True, tag="huge"):
    """A family without small instances."""

    def build(self, folder=None):
        """Return a network of more nodes than samples may have."""
        return Torus((64, 64)).build()


def test_samples_of_a_new_kind_follow_from_its_bounds():
    some = samples(Star)
    assert len(some) > 4
    assert len({len(spec.dims) for spec in some}) > 1
    assert {spec.slots_per_node for spec in some} >= {1, 2, 3}


def test_a_new_kind_is_drawn_beside_the_others():
    drawn = strategies.any_of(Star | Torus, {Torus: st.just(Torus((2, 2)))})
    assert isinstance(find(drawn, lambda spec: isinstance(spec, Star)), Star)


def test_a_kind_without_small_instances_has_no_samples():
    assert samples(Huge) == ()


@pytest.mark.parametrize("union", DRAWN.values(), ids=DRAWN)
def test_samples_are_small_and_differ(union):
    for kind in members(union):
        some = samples(kind)
        assert len({repr(spec) for spec in some}) == len(some) <= MOST
        if issubclass(kind, NetworkSpec):
            assert all(spec.build().nodes <= MOST_NODES for spec in some)
