"""What `import fabriscope` offers: the commands evaluate, optimise and metrics as functions. No window, no printing."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from core.files import decode, decode_network, encode, read_scenario, write_scenario
from core.load.bounds import bounds
from core.load.evaluate import evaluate as loads_of
from core.load.scenario import Scenario
from core.spec import SpecError

__all__ = ["ClassFigures", "Evaluation", "Measures", "Optimised", "SpecError", "evaluate", "metrics", "optimise"]

ScenarioLike = str | Path | dict[str, Any]
"""The path of a scenario file, or its content as `json.load` gives it, whose files lie in the current folder."""


class ClassFigures(Struct, frozen=True, forbid_unknown_fields=True):
    """The links of one class and what they carry, in units of the job's volume."""

    links: int
    """Directed links."""
    gbs: float
    """Bandwidth of each, GB/s."""
    max_load: float
    mean_load: float
    sum_load: float
    throughput_gbs: float | None
    """What this class alone would allow, GB/s per node; None if it carries nothing."""


class Evaluation(Struct, frozen=True, forbid_unknown_fields=True):
    """How a job goes over a network."""

    throughput_gbs: float | None
    """GB/s per node; None if no link carries anything."""
    bottleneck: str | None
    """The link class that limits."""
    time_per_unit: float
    """Seconds for each task's unit if a unit is 1 GB."""
    links: int
    """Directed links."""
    classes: dict[str, ClassFigures]
    phases: int
    tasks: int
    nodes: int
    bound_gbs: float | None
    """What no mapping of the job passes, GB/s per node; None: unknown."""
    notes: list[str]
    """What else there is to say: warnings of the network, faults, cut flows."""
    plans: list[dict[str, Any]] | UnsetType = UNSET
    """What each phase's plan says, where routing plans."""
    cut_flows: int | UnsetType = UNSET
    """Flows that failed links cut, where some do."""
    cut_volume: float | UnsetType = UNSET
    """What they would carry, in units."""


class Optimised(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a search for a better mapping came to."""

    start_gbs: float | None
    """Throughput of the mapping it began with, GB/s per node."""
    throughput_gbs: float | None
    """Throughput of the best found, as `evaluate` says."""
    bound_gbs: float | None
    """What no mapping passes; None: unknown."""
    start_time: float
    """Seconds per unit to begin with."""
    time: float
    """Seconds per unit with the best found."""
    steps: int
    """Mappings looked at."""
    steps_per_second: float
    seconds: float
    seed: int
    objective: str | UnsetType = UNSET
    """What was searched for, if not throughput."""
    start: float | UnsetType = UNSET
    """Its figure to begin with."""
    found: float | UnsetType = UNSET
    """Its figure with the best found."""
    restarts: int
    """Searches from ever new starts that came to an end."""
    spread: dict[str, float | None] | None
    """The best, median and worst throughput at which they ended; None without any."""
    scenario: dict[str, Any]
    """The scenario with the best mapping, explicit: for `evaluate`, or to write as JSON."""


class Measures(Struct, frozen=True, forbid_unknown_fields=True):
    """What a network measures."""

    nodes: int
    switches: int
    links: int
    """Pairs of vertices that are joined."""
    directed_links: int
    arcs: int
    """Ordered pairs of vertices that are joined."""
    loops: int
    degree_min: int
    degree_max: int
    connected: bool
    diameter: int | None
    """Links on the longest shortest path between nodes; None if some cannot reach each other."""
    aspl: float | None
    """Average shortest path length."""
    aspl_exact: str | None
    """The same as a fraction."""
    distance_sum: int | None
    bisection: dict[str, Any]
    cable: dict[str, Any] | None
    """Lengths in metres; None where single cables are not known."""
    cost: dict[str, Any] | None


def evaluate(scenario: ScenarioLike) -> Evaluation:
    """Return the figures of a scenario.

    Raises SpecError: naming the field that is wrong, and what is right.
    """
    from app.cli.evaluate import summary

    report = loads_of(_scenario(scenario).build())
    return msgspec.convert(summary(report, bounds(report.case, report.cut)), Evaluation)


def optimise(
    scenario: ScenarioLike,
    *,
    seconds: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    workers: int = 1,
    objective: str = "throughput",
    method: str = "portfolio",
    together: str = "task",
    within: str = "anywhere",
    pinned: str = "",
    empty: bool = True,
    out: str | Path | None = None,
) -> Optimised:
    """Return the best mapping that a search finds; never a worse one than it begins with.

    Parameters
    ----------
    seconds, steps
        When it ends, whichever comes first; without either after a minute. Ctrl-C ends it too, and keeps the best.
    seed
        The same seed, with steps and one worker, gives the same mapping.
    workers
        Processes; more than one only from a script that guards its main part, as `multiprocessing` asks.
    objective, method, together, within, pinned
        As the options of ``fabriscope optimise``: ``"two-opt"``, ``"bottleneck:tenure=20"``, ``"0-63,128"``.
    empty
        Whether tasks may go to empty slots.
    out
        Where the scenario with the mapping found is to be written.

    Raises SpecError: naming what is wrong, and what is right.
    """
    from app.cli.optimise import find

    options = Namespace(
        seconds=_text(seconds), steps=_text(steps), seed=_text(seed), workers=_text(workers), objective=objective,
        method=method, together=together, within=within, pin=pinned, no_empty=not empty,
    )  # fmt: skip
    figures, better = find(options, _scenario(scenario))
    if out is not None:
        write_scenario(Path(out), better)
    return msgspec.convert({**figures, "scenario": msgspec.json.decode(encode(better))}, Optimised)


def metrics(network: ScenarioLike, *, prices: str = "") -> Measures:
    """Return what a network measures.

    Parameters
    ----------
    network
        A scenario, of which only the network counts, or a family with fields, such as ``"torus:dims=8x8x8"``.
    prices
        What differs from the usual floor and prices, such as ``"switch=5000,port=100"``.

    Raises SpecError: naming the field that is wrong, and what is right.
    """
    from app.cli.metrics import summary
    from app.cli.networks import entry_of, prices_of
    from core.network.metrics.cabling import cabling
    from core.network.metrics.metrics import measure

    if isinstance(network, dict):
        found = decode_network(msgspec.json.encode(network)).build(Path.cwd())
    else:
        entry = entry_of(str(network))
        found = entry.network.build(entry.folder)
    return msgspec.convert(summary(measure(found), cabling(found, prices_of(prices))), Measures)


def _scenario(given: ScenarioLike) -> Scenario:
    if isinstance(given, dict):
        return decode(msgspec.json.encode(given), Path.cwd(), own=True)
    return read_scenario(Path(given))


def _text(value: float | None) -> str | None:
    return None if value is None else str(value)
