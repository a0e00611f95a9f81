"""Studies: the overhead per point in CPU time, and the speed of two workers compared with one in wall-clock time.

The share of the workers' time spent on points does not depend on other load of the machine; wall-clock time does.
"""

import time

import msgspec

from core.sweep.points import Builder, point_row
from core.sweep.run import run_study
from core.sweep.study import decode_study
from tests.benchmarks.timing import cpu_seconds, digits, seconds_text

SMALL = {
    "network": {"type": "torus", "dims": [4, 4]},
    "job": {"type": "halo", "rows": 4, "cols": 4},
    "mapping": {"type": "random"},
    "routing": {"type": "dimension-order"},
}
LARGER = {
    "network": {"type": "percs", "supernodes": 32},
    "job": {"type": "halo", "rows": 64, "cols": 64},
    "mapping": {"type": "random"},
    "routing": {"type": "percs-indirect"},
}
POINTS, LARGER_POINTS = 10_000, 1_500


def study(base, points):
    vary = {"mapping.seed": {"from": 1, "to": points}}
    content = {"fabriscope_study": 1, "base": base, "vary": vary, "measure": ["throughput_gbs", "bottleneck"]}
    return decode_study(msgspec.json.encode(content))


def spent(sweep, folder, workers):
    """Return the CPU seconds of a study's processes, the wall-clock seconds from first to last row, and the rows."""
    rows, times, before = [], [], cpu_seconds()

    def hear(row):
        rows.append(row)
        times.append(time.perf_counter())

    run_study(sweep, folder / f"{time.monotonic_ns()}.csv", workers=workers, on_row=hear)
    return cpu_seconds() - before, times[-1] - times[0], rows


def test_overhead(record, tmp_path):
    spent(study(SMALL, 1), tmp_path, 1)  # compile
    start, _, _ = spent(study(SMALL, 1), tmp_path, 1)
    total, _, rows = spent(study(SMALL, POINTS), tmp_path, 1)
    sweep, builder = study(SMALL, POINTS), Builder()
    point_row(sweep, 0, builder)
    begun = time.process_time()
    for number in range(POINTS):
        point_row(sweep, number, builder)
    own = time.process_time() - begun
    over = max(total - start - own, 0.0) / POINTS
    record(
        f"overhead per point, of {len(rows):,} points",
        seconds_text(over),
        f"work of the point itself: {seconds_text(own / POINTS)}",
    )
    assert over < 5e-3


def test_two_workers(record, tmp_path):
    sweep = study(LARGER, LARGER_POINTS)
    spent(study(LARGER, 1), tmp_path, 1)  # compile
    times = {workers: [spent(sweep, tmp_path, workers)[1:] for _ in range(3)] for workers in (1, 2)}
    single, two = (min(seconds for seconds, _ in times[workers]) for workers in (1, 2))
    busy = max(sum(row["seconds"] for row in rows) / (2 * seconds) for seconds, rows in times[2])
    record(
        f"{LARGER_POINTS:,} points on two workers, best of three runs",
        f"{seconds_text(two)}, {digits(single / two)}× faster than on one",
        f"{busy:.0%} of the two workers' time spent on points",
    )
    assert busy > 0.9
