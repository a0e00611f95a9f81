"""The figures as a reference, with name, meaning, unit and older names, by source."""

from core.figure import RATE, VOLUME, Alias, Figure
from core.figures.registry import (
    CLASS,
    EVALUATE,
    MEASURED,
    METRICS,
    NUMBER,
    OPTIMISE,
    RESILIENCE,
    RESULTS,
    ROUTES,
    TIMELINE,
    aliases_of,
    figures,
)
from core.timing.step import SHOWN

TITLES = {
    EVALUATE: "Scenario",
    METRICS: "Network",
    TIMELINE: "Timeline",
    OPTIMISE: "Search, in studies with a search",
    ROUTES: "Routes, in studies with single-path routing",
    MEASURED: "Counters, in scenarios with counters",
    RESILIENCE: "Single failures of cables",
    SHOWN: "Step on the stage, in tours",
}
"""Headings, by the source of figures."""
HOPS, BRIEF_RATE = "hops", "GB/s"
PLACEHOLDERS = (
    f"{CLASS} stands for a link class (level_1 for level 1), {NUMBER} for a number from 0. The commands evaluate, "
    "metrics, timeline, optimise, routes, measured and resilience print these figures with --json, and studies record "
    "them. Captions and claims of tours can use all figures except figures of searches and routes."
)


def grouped() -> dict[str, list[Figure]]:
    """Return the figures that are a number or a text, by heading."""
    entries = figures().values()
    return {TITLES[command]: [entry.figure for entry in entries if entry.command == command] for command in RESULTS}


def heading(figure: Figure) -> str:
    """Return the title of a figure with its abbreviated unit: ``Throughput, GB/s``."""
    unit = {VOLUME: "", HOPS: "", RATE: BRIEF_RATE}.get(figure.unit, figure.unit)
    return f"{figure.title}, {unit}" if unit else figure.title


def unit_text(figure: Figure) -> str:
    """Return the unit of a figure, for any job; empty for a count or a text."""
    return "unit of the job's volumes" if figure.unit == VOLUME else figure.unit


def meaning(figure: Figure) -> str:
    """Return the meaning of a figure, and its older names: ``time of the whole job; also total_ms (× 1000)``."""
    older = " or ".join(_older(alias) for alias in aliases_of(figure) if alias.name != figure.name)
    return f"{figure.meaning}; also {older}" if older else figure.meaning


def _older(alias: Alias) -> str:
    if alias.in_volumes:
        return f"{alias.name} (in units or GB)"
    return f"{alias.name} (× {alias.factor:g})" if alias.factor != 1 else alias.name
