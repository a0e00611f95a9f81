"""Chooses the kind of minimal paths for the legs of Valiant's and UGAL's paths."""

from typing import Annotated, Literal

from core.network.network import Network
from core.routing.group_minimal.scheme import GroupMinimal
from core.spec import SpecError, declare

Legs = Annotated[
    Literal["automatic", "group-minimal", "shortest"],
    declare(
        "Legs",
        "minimal paths of both legs, group-minimal (at most one global link) or shortest (fewest hops) "
        "(automatic: group-minimal on networks with a link between every two groups)",
    ),
]


def has_group_legs(legs: Legs, network: Network) -> bool:
    """Return whether legs are group-minimal.

    Raises SpecError: if they have to be, and some groups of the network have no direct link.
    """
    if legs == "group-minimal":
        try:
            GroupMinimal().check(network)
        except SpecError as error:
            raise SpecError("routing.legs", f"{error.message}; choose shortest or automatic") from error
    return legs != "shortest" and network.spec.groups_joined
