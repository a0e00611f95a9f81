"""The functions of `import fabriscope`: evaluate, optimise, metrics, routes and measured, without printing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from app.cli.patience import refuse_minutes
from app.cli.scenario_argument import scenario_named
from core.figures.evaluation import Evaluation, evaluation_of
from core.figures.measured import TOP, Counted, MeasuredFigures, measured_figures
from core.figures.network import Measures, measures_of
from core.figures.routes import Routed, RouteFigures, route_figures
from core.figures.searched import Optimised
from core.files import decode, decode_network, encode, write_scenario
from core.load.bounds import bounds
from core.load.evaluate import ClassFigures
from core.load.evaluate import evaluate as loads_of
from core.load.routes.bisection_bandwidth import DRAWS, MAX_DRAWS
from core.load.scenario import Scenario
from core.spec import MAX_SEED, SpecError, no_progress

__all__ = [
    "ClassFigures",
    "Evaluation",
    "MeasuredFigures",
    "Measures",
    "Optimised",
    "RouteFigures",
    "SpecError",
    "evaluate",
    "measured",
    "metrics",
    "optimise",
    "routes",
]

INSIST = "patient=True"
"""The argument that allows long work, as named in errors."""
ScenarioLike = str | Path | dict[str, Any]
"""A scenario file, the name of a preset, or a dict as from `json.load`, whose files are in the current folder."""

ARGUMENTS = {"--pin": "pinned", "FILE": "scenario", "NETWORK": "network"}
"""Arguments by their command-line names; other names only lose their two hyphens."""


@contextmanager
def _as_called_here() -> Iterator[None]:
    # Errors name arguments by their Python names.
    try:
        yield
    except SpecError as error:
        name, colon, rest = error.field.partition(":")
        raise SpecError(ARGUMENTS.get(name, name.removeprefix("--")) + colon + rest, error.message) from error


@_as_called_here()
def evaluate(scenario: ScenarioLike, *, patient: bool = False) -> Evaluation:
    """Return the loads, throughput and bottleneck of a scenario, and the upper bound.

    Parameters
    ----------
    scenario
        A scenario file, the name of a preset, or a dict as from `json.load`.
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Raises SpecError: naming the invalid field and the valid values.
    """
    report = loads_of(_scenario(scenario).build(), refuse_minutes(no_progress, patient, INSIST))
    return evaluation_of(report, bounds(report.case, report))


@_as_called_here()
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
    patient: bool = False,
) -> Optimised:
    """Search for a better mapping and return the best one, which is never worse than the initial mapping.

    Parameters
    ----------
    scenario
        A scenario file, the name of a preset, or a dict as from `json.load`.
    seconds, steps
        Maximum duration, and maximum number of mappings tried (default: 60 seconds). Ctrl-C also ends the search and
        keeps the best mapping.
    seed
        Seed of the random choices. With `steps` and one worker, the same seed gives the same mapping.
    workers
        Number of processes. More than one requires a script with a ``__main__`` guard, as `multiprocessing` does.
    objective, method, together, within, pinned
        As the options of ``fabriscope optimise``, for example ``"hop-bytes"``, ``"bottleneck:tenure=20"``, ``"node"``,
        ``"supernode"`` and ``"0-63,128"`` (the tasks of ``--pin``).
    empty
        Whether tasks may move to empty slots.
    out
        File to which the scenario with the best mapping is written.
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Raises SpecError: naming the invalid argument or field and the valid values.
    """
    from app.cli.arguments import parse_choice, parse_tasks
    from core.figures.searched import search_figures
    from core.optimise.best import search_best
    from core.optimise.method import AnyMethod
    from core.optimise.move_constraints import MoveConstraints
    from core.optimise.objective import AnyObjective
    from core.optimise.request import SECONDS, Request

    _check_budget(seconds=seconds, steps=steps, seed=seed, workers=workers)
    seconds = SECONDS if seconds is None and steps is None else seconds
    goal, way = parse_choice("--objective", objective, AnyObjective), parse_choice("--method", method, AnyMethod)
    case = _scenario(scenario).build()
    moves = MoveConstraints(together, within, parse_tasks(pinned, case.job.tasks), empty)
    request = Request(goal, way, moves, seconds, steps, seed, workers)
    best = search_best(case, request, refuse_minutes(no_progress, patient, INSIST))
    figures, better = search_figures(best, request, bounds(best.better.case, best.better)), best.better.case.scenario
    if out is not None:
        write_scenario(Path(out), better)
    return Optimised(**msgspec.structs.asdict(figures), scenario=msgspec.json.decode(encode(better)))


@_as_called_here()
def metrics(network: ScenarioLike, *, prices: str = "") -> Measures:
    """Return the size, distances, bisection, cables and cost of a network.

    Parameters
    ----------
    network
        A family with fields, such as ``"torus:dims=8x8x8"``, or a scenario; only its network is read.
    prices
        Changes to the default floor plan and prices, such as ``"switch=5000,port=100"``.

    Raises SpecError: naming the invalid field and the valid values.
    """
    from app.cli.networks import entry_of, prices_of
    from core.files.import_report import notes_on_network
    from core.network.metrics.cabling import cabling
    from core.network.metrics.metrics import measure

    if isinstance(network, dict):
        built = decode_network(msgspec.json.encode(network)).build(Path.cwd())
    else:
        entry = entry_of(str(network))
        built = entry.network.build(entry.folder)
    return measures_of(measure(built), cabling(built, prices_of(prices)), notes_on_network(built))


@_as_called_here()
def routes(scenario: ScenarioLike, *, draws: int = DRAWS, seed: int = 0, patient: bool = False) -> RouteFigures:
    """Return how well the paths of a routing use the links; the job and its mapping do not matter.

    Parameters
    ----------
    scenario
        A scenario file, the name of a preset, or a dict as from `json.load`. Its routing must have one path per pair.
    draws, seed
        Number of random matchings for the effective bisection bandwidth, and their seed.
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Raises SpecError: naming the invalid argument or field and the valid values.
    """
    for name, value, low, high in (("draws", draws, 1, MAX_DRAWS), ("seed", seed, 0, MAX_SEED)):
        if not low <= value <= high:
            raise SpecError(name, f"must be a whole number from {low:,} to {high:,}")
    router = _scenario(scenario).routes()
    progress = refuse_minutes(no_progress, patient, INSIST, field="network")
    return route_figures(Routed(router, draws, seed, progress))


@_as_called_here()
def measured(scenario: ScenarioLike, *, top: int = TOP, patient: bool = False) -> MeasuredFigures:
    """Return the counters of a machine's links compared with the loads predicted for a scenario.

    Parameters
    ----------
    scenario
        A scenario file with counters (``measured``), or a dict as from `json.load`.
    top
        Number of links in each list.
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Raises SpecError: naming the invalid argument or field and the valid values.
    """
    if top < 0:
        raise SpecError("top", "must be a whole number from 0")
    report = loads_of(_scenario(scenario).build(), refuse_minutes(no_progress, patient, INSIST))
    return measured_figures(Counted(report, top))


def _scenario(given: ScenarioLike) -> Scenario:
    if isinstance(given, dict):
        return decode(msgspec.json.encode(given), Path.cwd(), own=True)
    return scenario_named(Path(given))


def _check_budget(**given: float | None) -> None:
    from app.cli.arguments import parse_fields
    from app.model.search_run import Budget

    for name, value in given.items():
        if value is not None:
            parse_fields(f"--{name}", Budget, {name: str(value)})
