"""Functions on scenarios and networks, as the commands of the same names."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import msgspec

from app.api.errors import arguments_named
from app.api.scenario import Optimised, Part, Scenario, ScenarioLike
from app.cli.compare import Compared
from core.figures.evaluation import Evaluation
from core.figures.measured import TOP, MeasuredFigures
from core.figures.network import Measures, measures_of
from core.figures.routes import RouteFigures
from core.load.routes.bisection_bandwidth import DRAWS
from core.spec import SpecError, no_progress


def evaluate(scenario: ScenarioLike | None = None, *, patient: bool = False, **parts: Any) -> Evaluation:
    """Return the loads, throughput and bottleneck of a scenario, and the upper bound.

    Parameters
    ----------
    scenario
        A scenario, its file, the name of a preset, or a dict as from `json.load`.
    patient
        Whether to allow computations that take minutes; by default they are refused.
    parts
        Parts to replace in the scenario, as arguments of `Scenario`, such as ``mapping="random:seed=3"``.

    Raises Error: naming the invalid field and the valid values.
    """
    return _given(scenario, patient, **parts).evaluate()


def optimise(
    scenario: ScenarioLike, *, out: str | Path | None = None, patient: bool = False, **options: Any
) -> Optimised:
    """Search for a better mapping and return the best one, which is never worse than the initial mapping.

    Parameters
    ----------
    scenario
        A scenario, its file, the name of a preset, or a dict as from `json.load`.
    out
        File to which the scenario with the best mapping is written.
    patient
        Whether to allow computations that take minutes; by default they are refused.
    options
        Arguments of `Scenario.optimise`, such as ``seconds=10``, ``seed=1`` and ``objective="hop-bytes"``.

    Raises Error: naming the invalid argument or field and the valid values.
    """
    best = _given(scenario, patient).optimise(**options)
    if out is not None:
        with arguments_named():
            best.scenario.save(out)
    return best


def routes(scenario: ScenarioLike, *, draws: int = DRAWS, seed: int = 0, patient: bool = False) -> RouteFigures:
    """Return how well the paths of a routing use the links; the job and its mapping do not matter.

    Parameters
    ----------
    scenario
        A scenario, its file, the name of a preset, or a dict. Its routing must have one path per pair.
    draws, seed
        Number of random matchings for the effective bisection bandwidth, and their seed.
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Raises Error: naming the invalid argument or field and the valid values.
    """
    return _given(scenario, patient).routes(draws=draws, seed=seed)


def measured(scenario: ScenarioLike, *, top: int = TOP, patient: bool = False) -> MeasuredFigures:
    """Return the counters of a machine's links compared with the loads predicted for a scenario.

    Parameters
    ----------
    scenario
        A scenario with counters (``measured``), or its file.
    top
        Number of links in each list.
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Raises Error: naming the invalid argument or field and the valid values.
    """
    return _given(scenario, patient).measured(top=top)


def metrics(network: ScenarioLike | str, *, prices: str = "") -> Measures:
    """Return the size, distances, bisection, cables and cost of a network.

    Parameters
    ----------
    network
        A family with fields, such as ``"torus:dims=8x8x8"``, or a scenario; only its network is read.
    prices
        Changes to the default floor plan and prices, such as ``"switch=5000,port=100"``.

    Raises Error: naming the invalid field and the valid values.
    """
    from app.cli.networks import prices_of
    from core.files.import_report import notes_on_network
    from core.network.metrics.cabling import cabling
    from core.network.metrics.metrics import measure

    with arguments_named():
        built = _network(network)
        return measures_of(measure(built), cabling(built, prices_of(prices)), notes_on_network(built))


def compare(
    *networks: str | Path,
    job: str = "all-to-all",
    routing: str | None = None,
    gbs: str | float | None = None,
    equal: str | None = None,
    to: int | None = None,
    prices: str = "",
) -> Compared:
    """Return the metrics of several networks side by side, and the throughput of a job on each.

    Parameters
    ----------
    networks
        Families with fields, scenario files or presets.
    job
        Pattern and fields; ``"own"`` for the jobs of files, or ``"none"`` for no throughput.
    routing
        Scheme and fields for all networks.
    gbs
        ``"equal"`` for equal bandwidths of nodes, ``"own"``, or the bandwidth of every link in GB/s per direction.
    equal, to
        ``"nodes"`` or ``"degree"`` to resize all networks, and the value (default: of the first network).
    prices
        Changes to the default floor plan and prices, such as ``"switch=5000,port=100"``.

    Raises Error: naming the invalid argument and the valid values.
    """
    from app.cli.compare import compared, entries_of, rows_of, traffic_of
    from app.cli.networks import prices_of

    with arguments_named():
        if equal not in (None, "nodes", "degree"):
            raise SpecError("equal", f"must be 'nodes' or 'degree', not {equal!r}")
        given = Namespace(
            networks=[str(network) for network in networks], more=[], job=job, routing=routing,
            gbs=None if gbs is None else str(gbs), equal=equal, to=to,
        )  # fmt: skip
        traffic = traffic_of(given)
        entries, held = entries_of(given)
        return compared(held, *rows_of(entries, traffic, prices_of(prices), lambda _: no_progress))


def _given(scenario: ScenarioLike | None, patient: bool, **parts: Part) -> Scenario:
    if isinstance(scenario, Scenario) and not parts and not patient:
        return scenario
    return Scenario(scenario, patient=patient, **parts)  # type: ignore[arg-type]


def _network(network: Any) -> Any:
    from app.cli.networks import entry_of
    from core.files import decode_network

    if isinstance(network, Scenario):
        return network.network
    if isinstance(network, dict):
        return decode_network(msgspec.json.encode(network)).build(Path.cwd())
    entry = entry_of(str(network))
    return entry.network.build(entry.folder)
