"""NAS benchmarks of the thesis on shortcut networks: volumes between tasks, and the counting of statements."""

from collections import Counter

import pytest

from core.mapping import CirculantStride
from core.papers import shortcut_apps
from core.papers.shortcut_apps import APPLICATIONS, APPS, RANKS, STATEMENTS, seconds
from core.papers.shortcut_cases import COLLECTIVES, circulant, minimal_case
from core.spec import no_progress


def sent(part):
    """Return the bytes between tasks, by pair."""
    volumes = Counter()
    for phase in part.build().phases:
        for _, flows in phase.blocks():
            for a, b, volume in zip(flows.src.tolist(), flows.dst.tolist(), flows.volume.tolist(), strict=True):
                volumes[a, b] += round(1e9 * volume)
    return volumes


def neighbours(task):
    """Return the tasks next to one on a torus of 4 x 4 x 8, x fastest, with the points of a side on 256^3."""
    x, y, z = task % 4, task // 4 % 4, task // 16
    for step in (1, -1):
        yield (x + step) % 4 + 4 * y + 16 * z, 64 * 32
        yield x + 4 * ((y + step) % 4) + 16 * z, 64 * 32
        yield x + 4 * y + 16 * ((z + step) % 8), 64 * 64


def test_mg_sends_sides_of_a_box_to_its_six_neighbours_and_a_quarter_on_the_next_level():
    (twice, finest), (_, next_level), *_ = APPS["MG"].parts()
    assert twice == 2
    wanted = {(task, other): 8 * points for task in range(RANKS) for other, points in neighbours(task)}
    assert sent(finest) == wanted
    assert sent(next_level) == {pair: size // 4 for pair, size in wanted.items()}


def test_ft_and_is_send_all_their_data_and_lu_only_to_neighbours_on_a_grid_of_16_by_8():
    (_, transpose), *_ = APPS["FT"].parts()
    *_, (_, keys) = APPS["IS"].parts()
    # Bruck's algorithm sends half of all blocks in each of its seven steps.
    assert sum(sent(transpose).values()) == pytest.approx(7 / 2 * 256 * 256 * 128 * 16)
    assert sum(sent(keys).values()) == pytest.approx(7 / 2 * 2**23 * 4)
    (planes, sweep), (_, layers), _ = APPS["LU"].parts()
    assert planes == 2 * 62
    for part, size, ways in ((sweep, 8 * 5 * 8, 1), (layers, 2 * 64 * 8 * 5 * 8, 2)):
        assert set(sent(part).values()) == {size}
        assert all(abs(a // 8 - b // 8) + abs(a % 8 - b % 8) == 1 for a, b in sent(part))
        assert len(sent(part)) == ways * (15 * 8 + 16 * 7)


def test_the_time_of_an_iteration_is_the_sum_of_its_parts():
    case = minimal_case(circulant(RANKS), COLLECTIVES["Allreduce"](RANKS), CirculantStride())
    # All messages have their own link: a step waits for two switches, and for its longest message.
    norm = 7 * (2e-7 + 40 / 12.5e9)
    steps = seconds(APPS["LU"], case) - norm
    # Some neighbours send over a link twice, but not more often.
    least = 62 * 2 * (2e-7 + 320 / 12.5e9) + 2e-7 + 40960 / 12.5e9
    assert least <= steps * (1 + 1e-12)
    assert steps <= 2 * least


def test_statements_count_pairs_of_timed_placements(monkeypatch):
    for name, value in {"NODES": RANKS, "DRAWS": 1, "SWAPS": 20}.items():
        monkeypatch.setattr(shortcut_apps, name, value)
    _, part = APPLICATIONS.parts
    cells = {(cell.row, cell.column): cell for cell in part(no_progress)}
    placements = {row for row, column in cells if column == "LU, µs"}
    for statement in STATEMENTS:
        assert placements.issuperset(name for pair in statement.pairs for name in pair)
        if statement.app != "LU":
            continue
        counted = cells[f"LU: {statement.words} (Figure {statement.figure})", "pairs of these"]
        took = {row: cells[row, "LU, µs"].ours for row in placements}
        assert counted.ours == sum(took[better] < took[worse] for better, worse in statement.pairs)
        assert counted.printed == len(statement.pairs)
