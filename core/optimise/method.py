"""How a search goes about it: one declaration for each method."""

from typing import Annotated, ClassVar

from core.spec import Spec, declare


class Method(Spec, frozen=True):
    """A way to search."""


class Portfolio(Method, frozen=True, tag="portfolio"):
    """Portfolio: rounds of all methods, with blocks, nodes and tasks, each from the best found so far."""

    title: ClassVar[str] = "Portfolio"


class Annealing(Method, frozen=True, tag="annealing"):
    """Annealing: random exchanges; worse ones are taken too, ever more rarely (Kirkpatrick et al., 1983)."""

    title: ClassVar[str] = "Simulated annealing"

    hot: Annotated[
        float, declare("Hot", "part of the worse exchanges that a round takes when it begins", gt=0, le=0.9)
    ] = 0.02
    cold: Annotated[float, declare("Cold", "what part of the temperature is left when a round ends", gt=0, le=1)] = 0.01


class Bottleneck(Method, frozen=True, tag="bottleneck"):
    """Bottleneck: tasks that load the hottest links go where it helps most, and not back for a while (tabu search)."""

    title: ClassVar[str] = "Bottleneck tabu search"

    candidates: Annotated[int, declare("Candidates", "exchanges looked at for each that is made", ge=1, le=10_000)] = 64
    tenure: Annotated[int, declare("Tenure", "exchanges for which a task that moved stays", ge=0, le=1_000_000)] = 50


class TwoOpt(Method, frozen=True, tag="two-opt"):
    """Two-opt: two random tasks change places if the figure strictly falls (thesis, section 3.4)."""

    title: ClassVar[str] = "Two-opt"


AnyMethod = Portfolio | Annealing | Bottleneck | TwoOpt
