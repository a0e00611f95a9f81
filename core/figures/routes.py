"""Figures of the paths of a routing, as printed by `routes --json`; they depend on no job."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from core.figure import Figure
from core.figures.computing import computed
from core.figures.result import Result
from core.load.routes.bisection_bandwidth import DRAWS, bisection_bandwidths
from core.load.routes.leaf_balance import EVEN, LeafBalance, leaf_balance
from core.load.routes.missing_path import reason_without_path
from core.load.routes.path_totals import PathTotals, path_totals
from core.load.routes.switch_links import switch_links
from core.routing.deadlock.deadlock import Deadlock, DeadlockFigures, deadlock_of
from core.routing.faulty import without_faults
from core.routing.flows import Flags, Volumes
from core.routing.router import Router
from core.spec import Progress, no_progress, subprogress

SHARE = "of the bandwidth of a link"
TOTALS_PART, PATHS_PART = 0.45, 0.5
"""Fractions of the progress after the paths of all pairs, and after the matchings; then follow deadlocks."""


@dataclass(frozen=True, eq=False)
class Routed:
    """The source of the figures of a router with single paths, each computed on demand.

    Raises SpecError: if the routing splits flows. Raises Cancelled: when `progress` does.
    """

    router: Router
    draws: int = DRAWS
    seed: int = 0
    progress: Progress = no_progress

    @cached_property
    def totals(self) -> PathTotals:
        """Return the sums over the paths of all pairs of nodes."""
        return path_totals(self.router, subprogress(self.progress, 0, TOTALS_PART))

    @cached_property
    def bandwidths(self) -> Volumes:
        """Return the mean share of a pair in each random matching, ``(draws,)``."""
        return bisection_bandwidths(
            self.router, self.draws, self.seed, subprogress(self.progress, TOTALS_PART, PATHS_PART)
        )

    @cached_property
    def switch_links(self) -> Flags:
        """Return which links join two switches, ``(links,)``."""
        return switch_links(self.router)

    @property
    def unused(self) -> Flags:
        """Return which links between switches no path crosses, ``(links,)``."""
        return np.asarray(self.switch_links & (self.totals.flows == 0))

    @property
    def hottest(self) -> int | None:
        """Return the link between switches that most paths cross, the first of several; None without paths."""
        flows = np.where(self.switch_links, self.totals.flows, 0)
        return int(flows.argmax()) if flows.any() else None

    @cached_property
    def deadlock(self) -> Deadlock:
        """Return whether packets on all paths together can wait for each other forever."""
        return deadlock_of(self.router, subprogress(self.progress, PATHS_PART, 1))

    @property
    def notes(self) -> list[str]:
        """Return the warnings of the files of the network and of the routing."""
        return [*self.router.network.warnings, *without_faults(self.router).warnings]

    @cached_property
    def balance(self) -> LeafBalance:
        """Return the spread of destinations at each leaf switch."""
        return leaf_balance(self.router, self.totals)


@dataclass(frozen=True)
class BisectionFigures:
    """Effective bisection bandwidth, as a share of the bandwidth of a link."""

    mean: Annotated[
        float,
        Figure("Effective bisection bandwidth", SHARE, "mean share of a pair in random matchings of all nodes",
               better="high"),
    ]  # fmt: skip
    min: Annotated[float, Figure("Lowest bisection bandwidth", SHARE, "mean share in the worst matching")]
    max: Annotated[float, Figure("Highest bisection bandwidth", SHARE, "mean share in the best matching")]
    deviation: Annotated[
        float, Figure("Deviation of bisection bandwidth", SHARE, "standard deviation between matchings")
    ]
    draws: Annotated[int, Figure("Matchings", "", "number of random matchings")]
    seed: Annotated[int, Figure("Seed of matchings", "", "seed of the random matchings")]


@dataclass(frozen=True)
class BalanceFigures:
    """Numbers of destinations over the links of leaf switches to other switches."""

    leaves: Annotated[int, Figure("Leaf switches", "", "switches with nodes and with links to other switches")]
    even: Annotated[
        int, Figure("Even leaf switches", "", f"leaf switches whose spread is at most {EVEN}", better="high")
    ]
    max_spread: Annotated[
        int,
        Figure("Largest spread", "destinations", "most minus fewest destinations over a link, of the worst leaf switch",
               better="low"),
    ]  # fmt: skip
    mean_spread: Annotated[
        float,
        Figure("Mean spread", "destinations", "most minus fewest destinations over a link, mean over leaf switches",
               better="low"),
    ]  # fmt: skip
    worst: Annotated[str, Figure("Worst leaf switch", "", "leaf switch with the largest spread")]


@dataclass(frozen=True)
class UnreachablePair:
    """A pair of nodes without a path."""

    src: Annotated[str, Figure("Source", "", "name of the source")]
    dst: Annotated[str, Figure("Destination", "", "name of the destination")]
    reason: Annotated[str, Figure("Reason", "", "reason for the missing path")]


@dataclass(frozen=True, repr=False)
class RouteFigures(Result):
    """Paths between all nodes."""

    pairs: Annotated[int, Figure("Pairs", "", "ordered pairs of different nodes", lambda r: r.totals.pairs)]
    unreachable: Annotated[
        int,
        Figure("Disconnected pairs", "", "pairs without a path", lambda r: r.totals.unreachable, better="low"),
    ]
    mean_hops: Annotated[
        float | None,
        Figure("Mean hops", "hops", "mean number of links of a path, including links of nodes; none without paths",
               lambda r: r.totals.mean_hops, better="low"),
    ]  # fmt: skip
    max_hops: Annotated[
        int,
        Figure("Most hops", "hops", "number of links of the longest path", lambda r: r.totals.max_hops, better="low"),
    ]
    detours: Annotated[
        int,
        Figure("Detours", "", "paths that are longer than a shortest path over working links",
               lambda r: r.totals.detours, better="low"),
    ]  # fmt: skip
    all_to_all_max: Annotated[
        int,
        Figure("Flows on the hottest link", "flows", "most flows on a link between switches, one flow for each pair",
               lambda r: _most(r), better="low"),
    ]  # fmt: skip
    all_to_all_mean: Annotated[
        float | None,
        Figure("Flows on a used link", "flows", "mean number of flows on used links between switches",
               lambda r: _mean(r), better="low"),
    ]  # fmt: skip
    hottest_link: Annotated[
        str | None,
        Figure("Hottest link", "", "the first link between switches with most flows", lambda r: _hottest(r)),
    ]
    switch_links: Annotated[
        int,
        Figure("Switch links", "", "working links from a switch to another; all working links, if no two switches are "
               "linked", lambda r: int(r.switch_links.sum())),
    ]  # fmt: skip
    unused_links: Annotated[
        int,
        Figure("Unused links", "", "links between switches without any path", lambda r: int(r.unused.sum()),
               better="low"),
    ]  # fmt: skip
    ebb: Annotated[
        BisectionFigures | None,
        Figure("Effective bisection bandwidth", "", "shares of pairs in random matchings; none for a single node",
               lambda r: _bisection(r)),
    ]  # fmt: skip
    balance: Annotated[
        BalanceFigures | None,
        Figure("Balance of leaf switches", "", "destinations over each link of leaf switches; none without leaf "
               "switches", lambda r: _balance(r)),
    ]  # fmt: skip
    deadlock: Annotated[
        DeadlockFigures,
        Figure("Deadlock", "", "cycles of links that wait for each other", lambda r: _deadlock(r)),
    ]
    disconnected: Annotated[
        Sequence[UnreachablePair],
        Figure("List of disconnected pairs", "", "the first pairs without a path", lambda r: _unreachable(r)),
    ]
    notes: Annotated[
        list[str], Figure("Notes", "", "warnings of the files of the network and of the routing", lambda r: r.notes)
    ]


def route_figures(routed: Routed) -> RouteFigures:
    """Return the figures of a router with single paths.

    Raises SpecError: if the routing splits flows. Raises Cancelled: when the progress function of `routed` does.
    """
    return RouteFigures(**computed(RouteFigures, routed))


def _most(routed: Routed) -> int:
    return int(routed.totals.flows[routed.switch_links].max(initial=0))


def _mean(routed: Routed) -> float | None:
    flows = routed.totals.flows[routed.switch_links]
    return float(flows[flows > 0].mean()) if flows.any() else None


def _hottest(routed: Routed) -> str | None:
    return None if routed.hottest is None else routed.router.network.link_name(routed.hottest)


def _bisection(routed: Routed) -> BisectionFigures | None:
    shares = routed.bandwidths
    if not routed.totals.pairs:
        return None
    return BisectionFigures(
        mean=float(shares.mean()),
        min=float(shares.min()),
        max=float(shares.max()),
        deviation=float(shares.std()),
        draws=shares.size,
        seed=routed.seed,
    )


def _balance(routed: Routed) -> BalanceFigures | None:
    leaves, spread = routed.balance.leaves, routed.balance.spread
    if not leaves.size:
        return None
    worst = routed.router.network.vertex_name(int(leaves[spread.argmax()]))
    return BalanceFigures(
        leaves=leaves.size,
        even=int((spread <= EVEN).sum()),
        max_spread=int(spread.max()),
        mean_spread=float(spread.mean()),
        worst=worst,
    )


def _deadlock(routed: Routed) -> DeadlockFigures:
    return routed.deadlock.figures(routed.router.network)


def _unreachable(routed: Routed) -> list[UnreachablePair]:
    network = routed.router.network
    return [
        UnreachablePair(network.vertex_name(u), network.vertex_name(v), reason_without_path(routed.router, u, v))
        for u, v in routed.totals.first_unreachable.tolist()
    ]
