"""The figures that captions and claims may name, each computed on demand from a state."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.model.evaluation import Evaluation
from app.tour.expression import Value
from app.wording.names import listed
from core.load.bounds import gap
from core.load.evaluate import ClassLoad, LoadReport
from core.network.metrics.metrics import Metrics, measure
from core.network.network import Network
from core.spec import SpecError
from core.text import known_names
from core.timing.messages import total
from core.timing.step import Step
from core.timing.timeline import Timeline

IDLE = 1e-12
"""Share of the hottest link's load below which a link carries nothing."""


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of an evaluated scenario, by name."""

    evaluation: Evaluation
    timeline: Timeline | None = None
    """When its steps run; None: not known (yet)."""
    step: int | None = None
    """The step shown, from 0 on; None: the whole job."""
    shown: Evaluation | None = None
    """The evaluation of that step alone."""

    def __getitem__(self, name: str) -> Value:
        """Return a figure by its name.

        Raises SpecError: if there is none of that name, or this state does not have it.
        """
        found = FIGURES[name].of(self) if name in FIGURES else self._of_class(name)
        if found is None:
            raise SpecError("figures", f"{name} is not known here")
        return found

    @property
    def report(self) -> LoadReport:
        """Return the loads of the step shown, else of the whole job."""
        return (self.shown or self.evaluation).report

    @cached_property
    def utilisation(self) -> NDArray[np.float64]:
        """Return the load of every link relative to the hottest, ``(links,)``."""
        return self.report.utilisation

    @property
    def metrics(self) -> Metrics:
        """Return the distances of the network."""
        return _measured(self.evaluation.case.network)

    @property
    def at(self) -> Step | None:
        """Return the step shown."""
        return self.timeline.steps[self.step] if self.timeline is not None and self.step is not None else None

    def _of_class(self, name: str) -> Value | None:
        for one in self.report.classes:
            for ending, figure in CLASS_FIGURES.items():
                if name == f"{figure_name(one.name)}_{ending}":
                    return figure.of(self, one)
        raise SpecError("figures", f"there is no figure {name!r}; {known_names(name, self.names)}")

    @property
    def names(self) -> list[str]:
        """Return the names of all figures of this network."""
        classes = [figure_name(one.name) for one in self.evaluation.case.network.classes]
        return [*FIGURES, *(f"{one}_{ending}" for one in classes for ending in CLASS_FIGURES)]


@lru_cache(maxsize=16)
def _measured(network: Network) -> Metrics:
    return measure(network)


def figure_name(name: str) -> str:
    """Return the name of a link class as figures spell it: ``level_1`` of "level 1"."""
    return re.sub(r"\W+", "_", name).strip("_")


class Quantity(NamedTuple):
    """A figure of a state."""

    meaning: str
    of: Callable[[Figures], Value | None]
    timed: bool = False
    """Whether it needs the timeline."""


class ClassQuantity(NamedTuple):
    """A figure of the links of one class."""

    meaning: str
    of: Callable[[Figures, ClassLoad], Value | None]


def _bound(figures: Figures) -> float | None:
    report, found = figures.evaluation.report, gap(figures.evaluation.bounds, figures.evaluation.report.time)
    return None if found is None else report.throughput(found.bound.time)


def _of_bound(figures: Figures) -> float | None:
    found = gap(figures.evaluation.bounds, figures.evaluation.report.time)
    return None if found is None else 100 * found.reached


def _predicted(figures: Figures) -> float | None:
    return min((one.gbs for one in figures.evaluation.predictions), default=None)


def _idle(figures: Figures) -> int:
    return int(np.count_nonzero(figures.utilisation <= IDLE))


def _mean(figures: Figures) -> float:
    return 100 * float(figures.utilisation.mean())


def _bottleneck(figures: Figures) -> str:
    return listed(list(figures.report.limiting)) or "nothing"


def _rounds(figures: Figures) -> int | None:
    found = figures.timeline
    return None if found is None or found.each_round is None else len(found.each_round)


def _sent(figures: Figures) -> tuple[int, float]:
    return total(figures.report)


def _mean_hops(figures: Figures) -> float | None:
    messages, hops = _sent(figures)
    return hops / messages if messages else None


def _routing_bound(figures: Figures) -> float | None:
    # Phases run one after the other, so the lower bounds on their times add up.
    report = figures.report
    if not any(report.notes) or any(note is not None and "bound" not in note.figures for note in report.notes):
        return None
    times = report.busy.max(axis=1, initial=0.0).tolist()
    # A phase without a plan has no choice of paths, so its time is its own bound.
    return report.throughput(
        sum(time if note is None else note.figures["bound"] for note, time in zip(report.notes, times, strict=True))
    )


def _at(value: Callable[[Step], Value | None]) -> Callable[[Figures], Value | None]:
    return lambda figures: None if figures.at is None else value(figures.at)


def _all(value: Callable[[Timeline], Value | None]) -> Callable[[Figures], Value | None]:
    return lambda figures: None if figures.timeline is None else value(figures.timeline)


def _ms(figures: Figures, time: float) -> float | None:
    # None for message counts, which have no time.
    seconds = figures.report.case.job.measure.seconds(time)
    return None if seconds is None else 1e3 * seconds


def _total_ms(figures: Figures) -> float | None:
    return None if figures.timeline is None else _ms(figures, figures.timeline.seconds)


def _distance(figures: Figures) -> float | None:
    return None if figures.metrics.aspl is None else float(figures.metrics.aspl)


FIGURES: dict[str, Quantity] = {
    "throughput_gbs": Quantity("throughput per node, GB/s", lambda f: f.report.throughput_gbs),
    "time_ms": Quantity("time for a unit of 1 GB, ms", lambda f: _ms(f, f.report.time)),
    "bound_gbs": Quantity("throughput that no mapping passes, GB/s per node", _bound),
    "percent_of_bound": Quantity("the throughput in percent of it", _of_bound),
    "routing_bound_gbs": Quantity("throughput that no routing passes with this mapping", _routing_bound),
    "predicted_gbs": Quantity("throughput by the published formula, GB/s per node", _predicted),
    "bottleneck": Quantity("the link classes that limit, by name", _bottleneck),
    "tasks": Quantity("tasks of the job", lambda f: f.evaluation.case.job.tasks),
    "nodes": Quantity("nodes of the network", lambda f: f.evaluation.case.network.real_nodes),
    "links": Quantity("directed links", lambda f: f.evaluation.case.network.real_links),
    "hottest_links": Quantity("links as hot as the hottest", lambda f: int(f.report.bottleneck_links.size)),
    "idle_links": Quantity("links that carry nothing", _idle),
    "idle_percent": Quantity("these in percent of all links", lambda f: 100 * _idle(f) / max(f.utilisation.size, 1)),
    "mean_percent": Quantity("mean utilisation of all links, percent of the hottest", _mean),
    "hops": Quantity("links that all messages cross, added up", lambda f: _sent(f)[1]),
    "mean_hops": Quantity("links that a message crosses on average", _mean_hops),
    "diameter": Quantity("longest distance of two nodes, links", lambda f: f.metrics.diameter),
    "mean_distance": Quantity("mean distance of two nodes, links", _distance),
    "steps": Quantity("steps of the job", _all(lambda t: len(t.steps)), timed=True),
    "rounds": Quantity("rounds of the whole job, where it is played in rounds", _rounds, timed=True),
    "total_ms": Quantity("time of the whole job, ms", _total_ms, timed=True),
    "messages": Quantity("messages that are sent", _all(lambda t: t.messages), timed=True),
    "step": Quantity("the step shown, from 1 on", lambda f: None if f.step is None else f.step + 1, timed=True),
    "step_name": Quantity("what it is called", _at(lambda s: s.name), timed=True),
    "step_ms": Quantity("how long it takes, ms", lambda f: None if f.at is None else _ms(f, f.at.seconds), timed=True),
    "step_messages": Quantity("messages sent in it", _at(lambda s: s.messages), timed=True),
}  # fmt: skip
"""By name."""
CLASS_FIGURES: dict[str, ClassQuantity] = {
    "gbs": ClassQuantity("throughput that this class alone would allow, GB/s per node", lambda f, c: c.throughput_gbs),
    "max_load": ClassQuantity("load of its hottest link, in units of a task's volume", lambda f, c: c.max_load),
    "mean_load": ClassQuantity("mean load of its links, likewise", lambda f, c: c.mean_load),
    "percent": ClassQuantity(
        "utilisation of its hottest link, percent of the hottest of all",
        lambda f, c: 100 * c.max_load / c.gbs / f.report.time if f.report.time > 0 else 0.0,
    ),
    "mean_percent": ClassQuantity(
        "mean utilisation of its links, percent of the hottest of all",
        lambda f, c: 100 * c.mean_load / c.gbs / f.report.time if f.report.time > 0 else 0.0,
    ),
}
"""By the suffix after the name of the class: ``LR_percent``."""


def meanings() -> dict[str, str]:
    """Return the meaning of each figure, by name, with ``CLASS`` in place of a link class."""
    of_classes = {f"CLASS_{ending}": figure.meaning for ending, figure in CLASS_FIGURES.items()}
    return {name: figure.meaning for name, figure in FIGURES.items()} | of_classes


def is_timed(name: str) -> bool:
    """Return whether a figure needs the timeline."""
    return name in FIGURES and FIGURES[name].timed
