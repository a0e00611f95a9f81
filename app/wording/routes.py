"""The figures of a routing as lines of text."""

from app.wording.numbers import percent, significant
from core.figures.routes import BalanceFigures, BisectionFigures, RouteFigures
from core.load.routes.switch_links import joins_switches
from core.network.network import Network
from core.routing.deadlock.deadlock import Deadlock, DeadlockFigures
from core.text import first_few, plural, plural_noun

MAX_CYCLE = 6
"""Links of a cycle that are named."""


def figure_lines(network: Network, figures: RouteFigures) -> list[tuple[str, str]]:
    """Return names of figures, and sentences with their values."""
    noun = "switch link" if joins_switches(network) else "link"
    return [
        ("pairs", _pairs(figures)),
        ("hops", _hops(figures)),
        ("all-to-all", _all_to_all(figures, noun)),
        ("unused links", unused_text(network, figures)),
        *([] if figures.ebb is None else [("bisection", _bisection(figures.ebb))]),
        *([] if figures.balance is None else [("leaf switches", _balance(figures.balance))]),
        ("deadlock", deadlock_text(figures.deadlock)),
    ]


def unused_text(network: Network, figures: RouteFigures) -> str:
    """Return ``12 of 128 switch links``."""
    noun = "switch link" if joins_switches(network) else "link"
    return f"{figures.unused_links:,} of {plural(figures.switch_links, noun)}"


def cycle_text(deadlock: Deadlock) -> str:
    """Return whether packets can deadlock, without the names of the links."""
    if deadlock.free:
        return "free of deadlocks with one virtual lane: no links wait for each other in a cycle"
    cycle = f"with one virtual lane, {plural(deadlock.cycle.size, 'link')} can wait for each other in a cycle"
    return cycle + _on_lanes(deadlock.lanes, deadlock.lanes_needed, deadlock.free_on_lanes)


def deadlock_text(deadlock: DeadlockFigures) -> str:
    """Return whether packets can deadlock, and over which links."""
    if deadlock["free"]:
        return "free with one virtual lane"
    places = [
        f"{vertex} port {port}" if isinstance(port, int) else f"{vertex} → {port}" for vertex, port in deadlock["cycle"]
    ]
    more = _on_lanes(deadlock["lanes"], deadlock["lanes_needed"], deadlock["free_on_lanes"])
    return f"possible with one virtual lane, over the cycle {first_few(places, MAX_CYCLE)}{more}"


def _on_lanes(lanes: int, needed: int | None, free: bool) -> str:
    scheme = f"; {'free' if free else 'possible'} with the {lanes} virtual lanes of the scheme" if lanes > 1 else ""
    return scheme + (f"; free with {needed} virtual lanes by first fit" if needed is not None and not free else "")


def _pairs(figures: RouteFigures) -> str:
    lost = f"{figures.unreachable:,} of them disconnected" if figures.unreachable else "all of them connected"
    return f"{plural(figures.pairs, 'ordered pair')} of nodes, {lost}"


def _hops(figures: RouteFigures) -> str:
    if figures.mean_hops is None:
        return "none: no pair has a path"
    share = f" ({percent(figures.detours / figures.pairs)} of the pairs)" if figures.detours else ""
    return (
        f"mean {significant(figures.mean_hops)}, at most {figures.max_hops:,}; "
        f"{plural(figures.detours, 'detour')}{share}"
    )


def _all_to_all(figures: RouteFigures, noun: str) -> str:
    if figures.all_to_all_mean is None:
        return f"no flows on {plural_noun(noun)}"
    return (
        f"at most {plural(figures.all_to_all_max, 'flow')} on a {noun}, {significant(figures.all_to_all_mean)} on "
        f"average over used links; hottest {figures.hottest_link}"
    )


def _bisection(ebb: BisectionFigures) -> str:
    return (
        f"{percent(ebb.mean)} of a link's bandwidth, mean of {plural(ebb.draws, 'random matching')} from "
        f"{percent(ebb.min)} to {percent(ebb.max)}; standard deviation {percent(ebb.deviation)}"
    )


def _balance(balance: BalanceFigures) -> str:
    worst = f", at {balance.worst}" if balance.max_spread else ""
    return (
        f"{balance.even:,} of {balance.leaves:,} spread destinations evenly over their links; largest difference "
        f"{plural(balance.max_spread, 'destination')}{worst}"
    )
