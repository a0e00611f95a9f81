"""The figures of a network as text for cards and tables."""

from app.wording.numbers import short_number, significant
from core.network.metrics.bisection import Bisection
from core.network.metrics.metrics import Metrics

DASH, WAITING = "–", "…"
SHORTENED_FROM = 1_000_000
"""Smallest count that is shortened to three digits; for estimates a tenth of it."""
NAMES = ("nodes", "switches", "links", "degree", "diameter", "avg. path", "bisection")
"""The figures of a card, from top to bottom."""
MEANINGS = (
    "nodes: vertices that host tasks; hosts × NICs if hosts have several NICs",
    "switches: nodes that forward traffic count as switches, too",
    "links: connected pairs of vertices",
    "degree: smallest and largest number of links of a vertex",
    "diameter: length of the longest shortest path between two nodes, in links",
    "avg. path: mean length of the shortest paths between two nodes, in links (ASPL)",
    "bisection: directed links from one half of the nodes to the other; ≤: upper bound, found by a search",
)


def figure_texts(metrics: Metrics | None, *, waiting: bool = False) -> tuple[str, ...]:
    """Return the texts for `NAMES`; dashes for unknown figures, dots for figures not measured yet."""
    if metrics is None:
        return (WAITING if waiting else DASH,) * len(NAMES)
    return (
        nodes_text(metrics),
        f"{metrics.switches:,}",
        count_text(metrics.links),
        degree_text(metrics.degree_min, metrics.degree_max),
        DASH if metrics.diameter is None else f"{metrics.diameter:,}",
        DASH if metrics.aspl is None else significant(float(metrics.aspl)),
        bisection_text(metrics.bisection),
    )


def nodes_text(metrics: Metrics) -> str:
    """Return the number of nodes, or of hosts and their NICs: ``1,024``, ``9,472 × 4``."""
    nics, rest = divmod(metrics.nodes, metrics.hosts)
    return f"{metrics.nodes:,}" if rest or nics == 1 else f"{metrics.hosts:,} × {nics}"


def count_text(value: int, long: int = SHORTENED_FROM) -> str:
    """Return a count in full, or shortened to three digits: ``98,304``, ``2.1M``."""
    return f"{value:,}" if value < long else short_number(value)


def degree_text(low: int, high: int) -> str:
    """Return the least and the greatest degree: ``6`` or ``5–8``."""
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def bisection_text(bisection: Bisection) -> str:
    """Return the links of the bisection: ``64``, or ``≤ 64`` for an upper bound found by search."""
    return (
        count_text(bisection.links) if bisection.declared else f"≤ {count_text(bisection.links, SHORTENED_FROM // 10)}"
    )
