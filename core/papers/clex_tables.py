"""CLEX networks and their algorithm: the paper's tables, and simulations of its algorithm.

Source: Lenzen and Wattenhofer, "CLEX: yet another supercomputer architecture?", 2016. Tables I to IV are for 32^4 and
64^3 nodes, each of which sends and receives the same number of random messages; they are simulated here at full size.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean

import msgspec
import numpy as np

from core.job import RandomTraffic
from core.network import Clex
from core.network.metrics.metrics import measure
from core.papers.bounds import Bounds, moore
from core.papers.papers import Cell, Paper, PaperTable, as_printed, cell, drawn_cell
from core.papers.printed_figures import printed_figures
from core.spec import Progress, no_progress, subprogress
from core.timing.clex_rounds import Algorithm, ClexRounds, LevelRounds, by_clique, rounds_of

PRINTED = printed_figures("clex")


@dataclass(frozen=True)
class PrintedRun:
    """A table of the paper: A(levels) on k^levels nodes."""

    name: str
    k: int
    levels: int
    messages: int
    """Per node."""
    copies: int
    """Relay copies, chosen to match the table, since the paper does not print them."""
    asks: bool
    """Whether relays are requested first, as in dense traffic."""
    draws: int

    def printed(self, column: str) -> list[float]:
        """Return the printed figures of a column, by level from 1."""
        return [PRINTED[self.name, f"level {level}", column].value for level in range(1, self.levels + 1)]

    @property
    def title(self) -> str:
        """Return the row title."""
        return f"A({self.levels}) on {self.k}^{self.levels} nodes, {self.messages} messages from and to each"


RUNS = (
    PrintedRun("I", k=32, levels=4, messages=28, copies=2, asks=True, draws=1),
    PrintedRun("II", k=64, levels=3, messages=57, copies=2, asks=True, draws=3),
    PrintedRun("III", k=32, levels=4, messages=4, copies=3, asks=False, draws=3),
    PrintedRun("IV", k=64, levels=3, messages=5, copies=4, asks=False, draws=3),
)
SPREAD = "the maximum over calls depends on the draw, and on the number of relay copies, which the paper leaves open"
ROUNDS = "the number of relay copies is not given in the paper, and its schedule does not match its tables"
LOAD = "no call of the algorithm holds as many messages, since each copy receives only its drawn targets"
COLUMNS: tuple[tuple[str, Callable[[LevelRounds], float], str], ...] = (
    ("max rounds", lambda level: level.max_rounds, SPREAD),
    ("mean rounds", lambda level: level.mean_rounds, ROUNDS),
    ("max mean load", lambda level: level.max_mean_load, LOAD),
    ("mean hops", lambda level: level.mean_hops, ROUNDS),
)
"""Columns of each table: name, figure, and the reason for differences on level 1."""
SINGLE = "a single value that depends on the draw; see the largest number of rounds in Table I"
ABOVE = "the paper's nodes send more on this level, as its loads show"
"""The reason for differences of rounds on the other levels."""


_played: dict[tuple[PrintedRun, int], ClexRounds] = {}


def simulated(run: PrintedRun, seed: int, progress: Progress = no_progress) -> ClexRounds:
    """Simulate one draw of a table."""
    if (run, seed) not in _played:
        job = RandomTraffic(run.k**run.levels, run.messages, "permutation", seed).build()
        target = np.concatenate([block.dst for _, block in job.phases[0].blocks()])
        source = np.repeat(np.arange(job.tasks, dtype=np.int32), run.messages)
        algorithm = Algorithm(run.k, run.levels, run.copies, run.asks, seed=seed)
        messages = by_clique(algorithm, source, target)
        del job, source, target
        _played[run, seed] = rounds_of(algorithm, messages, progress)
    progress(1.0)
    return _played[run, seed]


def table(name: str, progress: Progress) -> Iterator[Cell]:
    """Yield the cells of a table of rounds, by level."""
    run = next(candidate for candidate in RUNS if candidate.name == name)
    draws = [simulated(run, seed + 1, subprogress(progress, seed, seed + 1, run.draws)) for seed in range(run.draws)]
    for number in range(run.levels):
        for name, figure, reason in COLUMNS:
            why = ABOVE if number and reason != LOAD else reason
            yield _drawn(run.name, f"level {number + 1}", name, [figure(d.levels[number]) for d in draws], why)


def _drawn(where: str, row: str, column: str, ours: list[float], why: str) -> Cell:
    printed = PRINTED[where, row, column].value
    return drawn_cell(where, row, column, ours, printed, f"{100 * (mean(ours) / printed - 1):+.1f} %: {why}")


def loads(progress: Progress) -> Iterator[Cell]:
    """Yield the expected load of a link, and its mean load in simulation."""
    for number, run in enumerate(RUNS):
        levels = simulated(run, 1, subprogress(progress, number, number + 1, len(RUNS))).levels
        twice = levels[0].mean_hops / 2 ** (run.levels - 1) - 1
        for level in levels:
            row = f"{run.name}, level {level.level}"
            relayed = 1 + twice if level.level == 1 else 1.0
            expected = run.messages * 2 ** (run.levels - level.level) * relayed / run.k
            note = f"S 2^(t-1) (1 + f) / k, f = {twice:.4f} as played" if level.level == 1 else "S 2^(t-l) / k"
            bounds = _load_bounds(run, level.level)
            yield cell("loads", row, "expected", expected, None, note, bounds)
            yield cell("loads", row, "played", run.messages * level.mean_hops / run.k, None, note, bounds)


def _load_bounds(run: PrintedRun, level: int) -> Bounds:
    # Every message crosses a link of the level 2^(t - l) times. On level 1 it may use a relay instead, in two hops; if
    # relays are not requested, all its copies may do so in every phase.
    least = run.messages * 2.0 ** (run.levels - level) / run.k
    if level > 1:
        return least, least
    return least, least * (2 if run.asks else 1 + 2 * run.copies * MAX_PHASES)


def phases(progress: Progress) -> Iterator[Cell]:
    """Yield the numbers of phases of calls of A(1), and the statements of the text on Tables I and II."""
    dense = [run for run in RUNS if run.asks]
    for number, run in enumerate(dense):
        outcome = simulated(run, 1, subprogress(progress, number, number + 1, len(dense)))
        calls = by_phases(outcome.calls)
        for phase in range(1, MAX_PHASES + 1):
            row = f"{run.name}: calls over after phase {phase}"
            printed = PRINTED.value("figure-3", row, "calls")
            remark = "drawn, without numbers" if printed is None else SINGLE
            over, total = calls[phase] if phase < len(calls) else 0, (2 * run.k) ** (run.levels - 1)
            yield cell("figure-3", row, "calls", over, printed, remark, (0, total))
        most, note = calls.index(max(calls)), "most are over after three"
        yield PRINTED.cell("figure-3", f"{run.name}: phases of most calls", "phases", most, note)
        level = outcome.levels[0]
        yield _beyond_least(run, "rounds", level.mean_rounds, run.printed("mean rounds")[0], 5)
        yield _beyond_least(run, "traffic", level.mean_hops, run.printed("mean hops")[0], 10)


def _beyond_least(run: PrintedRun, what: str, ours: float, by_paper: float, to: float) -> Cell:
    # The text rounds to 5 or 10 percent.
    least, place = 2 ** (run.levels - 1), ("figure-3", f"{run.name}: {what} on level 1 beyond the least", "%")
    more, by_table = (100 * (figure / least - 1) for figure in (ours, by_paper))
    about = PRINTED[place].value
    shown = PRINTED.cell(*place, more, f"about {about:g} in the text, {by_table:.3g} by its table")
    return msgspec.structs.replace(shown, agrees=abs(more - about) <= to / 2)


def by_phases(calls: Sequence[int]) -> list[int]:
    """Return the numbers of calls of 0, 1, 2 ... phases from the numbers of calls of 0, 1, 2 ... rounds."""
    # One phase takes 1 round, p > 1 phases take 2 p + 1.
    return [*calls[:2], *calls[5::2]]


MAX_PHASES = 5
"""Phases of any call on 32^4 nodes."""


def derived(progress: Progress) -> Iterator[Cell]:
    """Yield figures that sections III-A and III-B derive from the tables, by printed and corrected formulas."""
    for number, run in enumerate(RUNS):
        levels = simulated(run, 1, subprogress(progress, number, number + 1, len(RUNS))).levels
        rounds, hops = [level.mean_rounds for level in levels], [level.mean_hops for level in levels]
        their_rounds, their_hops = run.printed("mean rounds"), run.printed("mean hops")
        ours, by_paper = (_propagation(run, some) for some in (rounds, their_rounds))
        yield _derived(f"{run.name}: propagation", "times a straight way", ours, by_paper)
        yield from _against_torus(run, "hops", "times fewer", (rounds, their_rounds))
        if run.levels == 3:
            row, literal = f"{run.name}: hops, 64^3 as printed", 3 * run.k**3 / (2 * sum(rounds))
            note = "the formula is printed with 64^3; its value has 64, the side of the torus"
            printed = PRINTED["derived", f"{run.name}: hops", "times fewer"].value
            yield cell("derived", row, "times fewer", literal, printed, note)
        if run.asks:
            yield from _against_torus(run, "bandwidth", "times more", (hops, their_hops))
            yield from _all_to_all(run)


def _all_to_all(run: PrintedRun) -> Iterator[Cell]:
    # Section II-C, with the parameters of section III.
    side, ways = run.k ** (run.levels / 3), 2**run.levels - 1
    note = f"about 10, by a diameter of 2^t - 1: {1.5 * side / ways:.3g}; the diameter is t"
    yield PRINTED.cell(
        "derived", f"{run.name}: most hops of an all-to-all", "times fewer", 1.5 * side / run.levels, note
    )
    longer = sum(float(run.k ** (-level / 3)) for level in range(run.levels))
    note = "stated to be close to the square root of 3, unlike its formula, the sum of n^(-i s / 3)"
    yield PRINTED.cell("derived", f"{run.name}: way of an all-to-all", "times the longest link", longer, note)


def _propagation(run: PrintedRun, rounds: list[float]) -> float:
    # Distances grow with the side of a cube of that number of nodes.
    grows = float(run.k ** (1 / 3))
    return sum(some / grows ** (run.levels - level) for level, some in enumerate(rounds, 1))


def _against_torus(run: PrintedRun, what: str, unit: str, sums: tuple[list[float], list[float]]) -> Iterator[Cell]:
    ours, by_paper = (3 * run.k ** (run.levels / 3) / (2 * sum(some)) for some in sums)
    row = f"{run.name}: {what}"
    yield _derived(row, unit, ours, by_paper)
    note = "3k/2 is the diameter of a torus of side k; nodes are 3k/4 apart on average, which is half the gain"
    # Each of 2^t - 1 calls or crossings takes at least a round, and no more than a call of all phases.
    most = 3 * run.k ** (run.levels / 3) / (4 * (2**run.levels - 1))
    yield cell("derived", f"{row}, consistent", unit, ours / 2, None, note, (most / (2 * MAX_PHASES + 1), most))


def _derived(row: str, unit: str, ours: float, by_paper: float) -> Cell:
    follows = as_printed(ours, PRINTED["derived", row, unit].value)
    note = "" if follows else f"the formula gives {by_paper:.4g} of the printed means"
    return PRINTED.cell("derived", row, unit, ours, note)


def graphs(progress: Progress) -> Iterator[Cell]:
    """Yield figures of small networks for which the paper has a formula."""
    cases = [(3, 2, False), (4, 2, False), (3, 3, False), (4, 3, False), (2, 4, False), (4, 2, True), (3, 3, True)]
    for number, (k, t, fat) in enumerate(cases):
        row, network = f"{k}^{t}{', fat' if fat else ''}", Clex(k=k, levels=t, fat_links=fat)
        metrics = measure(network.build())
        degree = k + t - 2 if fat else k * t - 1
        yield cell("graphs", row, "nodes", metrics.nodes, k**t, "n")
        yield cell("graphs", row, "arcs", metrics.directed_links, k**t * degree, "including loops and parallel links")
        yield cell("graphs", row, "out-degree", metrics.degree_max, degree, "section II-B")
        # A node whose coordinates l - 1 and l are equal has a loop of level l.
        loops, (near, mean_near) = (t - 1) * k ** (t - 1), moore(k**t, degree + 1)
        yield cell("graphs", row, "loops", metrics.loops, None, bounds=(loops, loops))
        yield cell("graphs", row, "simple arcs", metrics.arcs, None, bounds=(k**t, k**t * degree - loops))
        note = f"the paper's 2^t - 1 = {2**t - 1} is an upper bound; without fat links it is t"
        yield cell("graphs", row, "diameter", float(metrics.diameter or 0), None, note, (near, 2**t - 1))
        yield cell("graphs", row, "ASPL", float(metrics.aspl or 0), None, f"{metrics.aspl}", (mean_near, 2**t - 1))
        progress((number + 1) / len(cases))


PAPER = Paper(
    "Lenzen and Wattenhofer, CLEX: yet another supercomputer architecture?, 2016",
    (
        *(PaperTable(run.name, f"Table {run.name}. {run.title}", partial(table, run.name)) for run in RUNS),
        PaperTable("loads", "messages per link, expected and simulated", loads),
        PaperTable("figure-3", "phases of A(1) in dense traffic (Figure 3 and the text on Tables I and II)", phases),
        PaperTable("derived", "gains over a torus, and the length of a signal's path", derived),
        PaperTable("graphs", "small networks", graphs),
    ),
    (
        "relay copies of a message: 2 in Tables I and II, where relays are requested first; 3 in III, 4 in IV",
        "a call that requests relays is two rounds longer; a message that arrives in phase p needs 2 p - 1 rounds",
        f"draws: {', '.join(f'{run.draws} of Table {run.name}' for run in RUNS)}",
    ),
    (
        ("Figures 1 and 2", "illustrations without figures"),
        ("Theorems and corollaries of section II", "bounds up to unknown constants for networks of any size"),
    ),
    together=True,
)
