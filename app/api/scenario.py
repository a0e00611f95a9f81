"""A scenario as an object: a job on a machine, with its mapping and routing."""

from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from app.api.errors import INSIST, arguments_named, integer
from app.api.loads import Loads
from app.api.picture import Picture
from app.cli.failure_curves import DRAWS as CURVE_DRAWS
from app.cli.failure_curves import curve_length
from app.cli.patience import refuse_minutes
from app.cli.scenario_argument import (
    CHOICES,
    MEASURED,
    PLACES,
    parsed_choices,
    scenario_named,
    usual_scenario,
    with_choices,
)
from core.figures.added_cables import CableFigures, added_cables
from core.figures.evaluation import Evaluation, evaluation_of
from core.figures.measured import TOP as TOP_MEASURED
from core.figures.measured import Counted, MeasuredFigures, measured_figures
from core.figures.resilience import (
    COMPONENTS,
    CurveLength,
    FailureCurve,
    Resilience,
    components,
    curve_components,
    curve_of,
    evaluator,
    named_curve,
    summary_of,
    with_pairs,
)
from core.figures.routes import Routed, RouteFigures, route_figures
from core.figures.searched import SearchFigures, search_figures
from core.figures.timeline import TimelineFigures, timeline_figures
from core.files import decode, encode, write_scenario
from core.files.export import export
from core.load.bounds import Bound, bounds
from core.load.evaluate import LoadReport
from core.load.evaluate import evaluate as loads_of
from core.load.rerouting import evaluate_rerouted
from core.load.routes.bisection_bandwidth import DRAWS, MAX_DRAWS
from core.load.scenario import Case
from core.load.scenario import Scenario as Choices
from core.network import AnyFault
from core.network.network import Network
from core.spec import MAX_SEED, Progress, SpecError, no_progress
from core.text import known_names

if TYPE_CHECKING:
    from app.cli.diff import Diff
    from app.cli.explain import Explained

Part = str | Mapping[str, Any]
"""A part of a scenario: a family with its fields, such as ``"torus:dims=8x8x8"``, or a dict as in scenario files."""
SMALL: dict[str, Any] = {
    "fabriscope": 1,
    "network": {"type": "torus", "dims": [2]},
    "job": {"type": "all-to-all", "tasks": 2},
    "mapping": {"type": "sequential"},
    "routing": {"type": "minimal"},
}
"""A scenario whose parts are replaced in order to read a single part."""
PARTS = (*CHOICES, *PLACES, *MEASURED)


class Scenario:
    """A job on a machine, with its mapping and routing; immutable.

    Parameters
    ----------
    source
        A scenario file, the name of a preset, a dict as from `json.load`, or another scenario.
    network, job, mapping, routing, timing
        Parts to replace in `source`: a family with its fields, such as ``"torus:dims=8x8x8"``, or a dict as in
        scenario files. Without `source`, `network` is required; the others are an all-to-all on every slot, mapped in
        order, on all shortest paths.
    hosts, allocation, down, measured
        Host names, nodes of the job, nodes that are down, and counters, as the options of ``fabriscope evaluate``.
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Files named by a dict or by a part are in the current folder.

    Raises Error: naming the invalid field and the valid values.
    """

    def __init__(
        self,
        source: "ScenarioLike | None" = None,
        *,
        network: Part | None = None,
        job: Part | None = None,
        mapping: Part | None = None,
        routing: Part | None = None,
        timing: Part | None = None,
        hosts: Part | None = None,
        allocation: str | None = None,
        down: str | None = None,
        measured: Part | None = None,
        patient: bool = False,
    ) -> None:
        values = (network, job, mapping, routing, timing, hosts, allocation, down, measured)
        given = {name: value for name, value in zip(PARTS, values, strict=True) if value is not None}
        self._patient = patient
        with arguments_named():
            self._choices = _chosen(source, given)

    @classmethod
    def _of(cls, choices: Choices, patient: bool) -> "Scenario":
        made = cls.__new__(cls)
        made._choices, made._patient = choices, patient
        return made

    @property
    def network(self) -> Network:
        """The network as built: vertices, directed links and their classes as arrays."""
        with arguments_named():
            return self._case.network

    def evaluate(self) -> Evaluation:
        """Return the loads of link classes, the throughput, the bottleneck and the upper bound."""
        with arguments_named():
            return evaluation_of(self._report, self._bounds)

    @property
    def loads(self) -> Loads:
        """The loads of all links as NumPy arrays."""
        with arguments_named():
            return Loads.of(self._report)

    def timeline(self, steps: int | None = None) -> TimelineFigures:
        """Return the times of the steps of the job; of the first `steps` only, if given."""
        from core.timing import timeline

        with arguments_named():
            count = None if steps is None else integer("steps", steps, 0)
            return timeline_figures(timeline(self._case, self._progress), count)

    def explain(self, link: tuple[str, str, str] | None = None, *, top: int = 3) -> "Explained":
        """Return the causes of the loads of the `top` hottest links, or of one link, and swaps that reduce them.

        `link` is the class of a link and its two ends, such as ``("LR", "21 d1 12", "21 d0 4")``.
        """
        from app.cli.explain import MAX_TOP, explained, explanations_of, hottest, link_of
        from core.load.crossings import part_crossings
        from core.load.swap_suggestions import suggest_swaps

        with arguments_named():
            report, count = self._report, integer("top", top, 1, MAX_TOP)
            links = hottest(report, count) if link is None else [link_of(report, link)]
            explanations, swaps = explanations_of(report, links, self._progress), suggest_swaps(report, self._progress)
            return explained(report, explanations, swaps, part_crossings(report, self._progress))

    def diff(self, other: "ScenarioLike", *, top: int = 20) -> "Diff":
        """Return the differences between this scenario, A, and another, B, with the `top` most changed links."""
        from app.cli.diff import MAX_TOP, differences
        from app.model.evaluation import Evaluation as Side
        from core.load.compare import Difference, comparable

        with arguments_named():
            count, b = integer("top", top, 0, MAX_TOP), self._same_patience(other)
            sides = [Side(side._case, side._report, (), (), 0.0) for side in (self, b)]
            changes = Difference(self._report, b._report) if comparable(self._case, b._case) else None
            return differences(("A", "B"), (sides[0], sides[1]), changes, count)

    def optimise(
        self,
        *,
        seconds: float | None = None,
        steps: int | None = None,
        seed: int = 0,
        workers: int = 1,
        objective: str = "throughput",
        method: str = "portfolio",
        unit: str = "task",
        within: str = "anywhere",
        pinned: str = "",
        empty: bool = True,
        failures: "int | Sequence[Mapping[str, Any]] | None" = None,
    ) -> "Optimised":
        """Search for a better mapping and return the best one, which is never worse than the initial mapping.

        Parameters
        ----------
        seconds, steps
            Maximum duration, and maximum number of mappings tried (default: 60 seconds). Ctrl-C also ends the search
            and keeps the best mapping.
        seed
            Seed of the random choices. With `steps` and one worker, the same seed gives the same mapping.
        workers
            Number of processes. More than one requires a script with a ``__main__`` guard, as `multiprocessing` does.
        objective, method, unit, within, pinned
            As the options of ``fabriscope optimise``, for example ``"hop-bytes"``, ``"bottleneck:tenure=20"``,
            ``"node"``, ``"supernode"`` and ``"0-63,128"`` (the tasks of ``--pin``).
        empty
            Whether tasks may move to empty slots.
        failures
            Minimises the time under the worst failure: of the given number of cables whose failure is worst for the
            initial mapping, or of a list of faults as in scenarios, such as ``{"type": "link", "src": 0, "dst": 1}``.
        """
        from app.cli.arguments import parse_choice, parse_tasks
        from core.optimise.best import search_best
        from core.optimise.method import AnyMethod
        from core.optimise.move_constraints import MoveConstraints
        from core.optimise.objective import AnyObjective, WorstFailure
        from core.optimise.problem import check_follows
        from core.optimise.request import SECONDS, Request
        from core.optimise.robust import counting, with_failures

        with arguments_named():
            _check_budget(seconds=seconds, steps=steps, seed=seed, workers=workers)
            limit = SECONDS if seconds is None and steps is None else seconds
            goal, way = (
                parse_choice("--objective", objective, AnyObjective),
                parse_choice("--method", method, AnyMethod),
            )
            moves = MoveConstraints(unit, within, parse_tasks(pinned, self._case.job.tasks), empty)
            request = Request(goal, way, moves, limit, steps, seed, workers)
            if failures is not None:
                request = counting(request, _failures(failures))
            if isinstance(request.objective, WorstFailure):
                check_follows(self._case)
                request = with_failures(self._report, request, self._progress)
            best = search_best(self._case, request, self._progress)
            figures = search_figures(best, request, bounds(best.better.case, best.better))
        better = Scenario._of(best.better.case.scenario, self._patient)
        return Optimised(**msgspec.structs.asdict(figures), scenario=better)

    def routes(self, *, draws: int = DRAWS, seed: int = 0) -> RouteFigures:
        """Return how well the paths of the routing, one per pair, use the links.

        `draws` is the number of random matchings for the effective bisection bandwidth, and `seed` their seed.
        """
        with arguments_named():
            count, number = integer("draws", draws, 1, MAX_DRAWS), integer("seed", seed, 0, MAX_SEED)
            progress = refuse_minutes(no_progress, self._patient, INSIST, field="network")
            return route_figures(Routed(self._choices.routes(), count, number, progress))

    def resilience(
        self,
        what: str = "cables",
        *,
        depth: int = 1,
        sample: int | None = None,
        seed: int = 0,
        engine: str | None = None,
    ) -> Resilience:
        """Return the throughput after each failure of a component: cables, switches, nodes or bundles.

        Parameters
        ----------
        what
            Kind of component that fails.
        depth
            Number of components that fail together. With 2, also all pairs of the worst failures, and random pairs.
        sample
            Number of random failures to evaluate instead of all; with a depth of 2, also of random pairs.
        seed
            Seed of random failures.
        engine
            Routing engine of `fabriscope export` that computes new forwarding tables after each failure, and before the
            first; None to keep the routing.
        """
        with arguments_named():
            each = integer("depth", depth, 1, 2)
            count, number = (
                None if sample is None else integer("sample", sample, each),
                integer("seed", seed, 0, MAX_SEED),
            )
            faults = components(self.network, _component(what), count, number)
            report = self._report if engine is None else evaluate_rerouted(self._case, engine, self._progress)
            evaluate_all = evaluator(report, self._progress, engine)
            rows = evaluate_all([(fault,) for fault in faults])
            figures = summary_of(report, what, rows)
            single = list(zip(faults, rows, strict=True))
            return figures if each == 1 else with_pairs(figures, report, single, count, number, evaluate_all)

    def resilience_curve(
        self,
        length: int | str = "10%",
        what: str = "cables",
        *,
        draws: int = CURVE_DRAWS,
        seed: int = 0,
        name: str = "",
    ) -> FailureCurve:
        """Return the throughput after more and more random failures: mean, 5th and 95th percentile.

        Parameters
        ----------
        length
            The curve ends at this number of simultaneous failures, or at a percentage of the components, such as
            ``"10%"``, in 20 steps.
        what
            Kind of component that fails: cables, switches, nodes or bundles.
        draws, seed
            Number of random draws of the components, and their seed.
        name
            Name of the curve (default: the kind of network).
        """
        with arguments_named():
            until = _length(length)
            count, number = integer("draws", draws, 1), integer("seed", seed, 0, MAX_SEED)
            curve_components(self.network, _component(what), until)
            points = curve_of(self._report, what, until, count, number, evaluator(self._report, self._progress))
            return named_curve(name or self._choices.network.title, self._report, what, points)

    def best_cables(self, count: int = 1) -> list[CableFigures]:
        """Return up to `count` cables whose addition helps most, each in addition to all before it."""
        with arguments_named():
            return added_cables(self._report, integer("count", count, 1), self._progress)

    def measured(self, *, top: int = TOP_MEASURED) -> MeasuredFigures:
        """Return the counters of the links compared with the predicted loads, with `top` links in each list."""
        with arguments_named():
            return measured_figures(Counted(self._report, integer("top", top, 0)))

    def render(
        self,
        view: str = "machine",
        *,
        size: tuple[int, int] = (1200, 750),
        theme: str = "light",
        focus: str | None = None,
    ) -> Picture:
        """Return a picture, drawn when it is shown or saved.

        Parameters
        ----------
        view
            ``machine`` or another view of ``fabriscope render --view``.
        size
            Width and height in pixels.
        theme
            ``light`` or ``dark``.
        focus
            Part of the machine to draw, by its name in the window, such as ``"supernode 3"``.
        """
        from app.cli.picture import render_file
        from app.cli.render import check_picture

        with arguments_named():
            check_picture(view, size, theme, focus)
        choices, progress = self._choices, self._progress
        return Picture(
            view, size, lambda out: render_file(choices, view, out, size, theme, focus=focus, progress=progress)
        )

    def export(self, kind: str, part: str | None = None) -> str | bytes:
        """Return a part of the scenario in another tool's format, as ``fabriscope export --to KIND`` writes it."""
        with arguments_named():
            content: str | bytes = export(self._case, kind, part, lambda _: self._report).content
            return content

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the scenario's file, which `json.dump` writes."""
        plain: dict[str, Any] = msgspec.json.decode(encode(self._choices))
        return plain

    def save(self, path: str | Path) -> Path:
        """Write the scenario as a file that the window and all commands open, and return its path."""
        with arguments_named():
            write_scenario(Path(path), self._choices, "path")
        return Path(path)

    def __repr__(self) -> str:
        """Return the four choices in short form."""
        return f"Scenario({', '.join(f'{name}={title!r}' for name, title, _ in self._rows())})"

    def _repr_html_(self) -> str:
        rows = (f"<tr><th>{n}</th><td>{escape(t)}</td><td>{escape(s)}</td></tr>" for n, t, s in self._rows())
        return f"<table><caption>Scenario</caption><tbody>{''.join(rows)}</tbody></table>"

    def _rows(self) -> list[tuple[str, str, str]]:
        specs = ((name, getattr(self._choices, name)) for name in ("network", "job", "mapping", "routing"))
        return [(name, spec.title, spec.summary()) for name, spec in specs]

    def _same_patience(self, other: "ScenarioLike") -> "Scenario":
        return other if isinstance(other, Scenario) else Scenario(other, patient=self._patient)

    @property
    def _progress(self) -> Progress:
        return refuse_minutes(no_progress, self._patient, INSIST)

    @cached_property
    def _case(self) -> Case:
        return self._choices.build()

    @cached_property
    def _report(self) -> LoadReport:
        return loads_of(self._case, self._progress)

    @cached_property
    def _bounds(self) -> tuple[Bound, ...]:
        return bounds(self._case, self._report)


ScenarioLike = str | Path | Mapping[str, Any] | Scenario
"""A scenario, its file, the name of a preset, or a dict as from `json.load`, whose files are in the current folder."""


class Optimised(SearchFigures, frozen=True, kw_only=True):
    """Result of a search, with the best mapping."""

    scenario: Scenario
    """The scenario with the best mapping."""


def choices_in(source: ScenarioLike) -> Choices:
    """Return the choices of a scenario.

    Raises SpecError: naming the error.
    """
    if isinstance(source, Scenario):
        return source._choices
    if isinstance(source, Mapping):
        return decode(msgspec.json.encode(source), Path.cwd(), own=True)
    if not isinstance(source, str | Path):
        raise SpecError("scenario", f"must be a file, the name of a preset, a dict or a Scenario, not {source!r}")
    return scenario_named(Path(source))


def _chosen(source: ScenarioLike | None, given: dict[str, Any]) -> Choices:
    specs = {name: value for name, value in given.items() if not isinstance(value, str)}
    texts = {name: value for name, value in given.items() if isinstance(value, str)}
    read = {name: _part(name, value) for name, value in specs.items()}
    if source is not None:
        return with_choices(replace(choices_in(source), **read), texts)
    if "network" not in given:
        raise SpecError("scenario", "give a scenario file, the name of a preset, a dict, or a network")
    network = read.pop("network", None) or parsed_choices({"network": texts.pop("network")})["network"]
    usual = usual_scenario(network)
    job = {} if "job" in read else {"job": usual.job.tag()}
    return with_choices(replace(usual, **read), job | texts)


def _part(name: str, value: Any) -> Any:
    if not isinstance(value, Mapping | list):
        raise SpecError(name, f"must be a text or a dict as in scenario files, not {value!r}")
    return getattr(decode(msgspec.json.encode(SMALL | {name: value}), Path.cwd(), own=True), name)


def _failures(given: int | Sequence[Mapping[str, Any]]) -> int | tuple[AnyFault, ...]:
    from core.optimise.objective import MAX_CABLES

    if isinstance(given, int):
        return integer("failures", given, 1, MAX_CABLES)
    faults: tuple[AnyFault, ...] = _part("faults", list(given))
    if not faults:
        raise SpecError("failures", "the list is empty; give faults as in scenarios, or a number of cables")
    return faults


def _component(what: str) -> str:
    if what not in COMPONENTS:
        raise SpecError("what", f"{what!r} is not known; {known_names(str(what), list(COMPONENTS), 'components')}")
    return what


def _length(given: int | str) -> CurveLength:
    try:
        return curve_length(str(given))
    except ArgumentTypeError as error:
        raise SpecError("length", str(error)) from error


def _check_budget(**given: float | None) -> None:
    from app.cli.arguments import parse_fields
    from app.model.search_run import Budget

    for name, value in given.items():
        if value is not None:
            parse_fields(f"--{name}", Budget, {name: str(value)})
