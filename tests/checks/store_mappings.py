"""Store the best mappings of halo exchanges on PERCS: ``python -m tests.checks.store_mappings [FOLDER ...]``.

A folder has scenarios, named ``*.fabriscope.json``. A mapping is stored if it is faster than the stored mapping of its
cell. Optimal mappings become presets, others files in ``resources/papers/percs``. The recorded figures of the tables
and the table of the README are updated.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.files import SUFFIX, decode, write_scenario
from core.load.bounds import bounds, gap
from core.load.evaluate import evaluate
from core.load.scenario import Case, Scenario
from core.mapping.explicit import Explicit, SlotList
from core.network import Percs
from core.papers.percs_best import optimal, other, scenario_of, stored
from tests.core.papers.golden_tables import record
from tests.readme import README, ROOT, with_best_mappings

LINKS = {1: "one D link", 2: "two D links", 4: "four D links", 8: "eight D links", 16: "16 D links"}


def read(path: Path) -> Scenario:
    """Return the scenario of a file, which may have fields of other programs."""
    plain = json.loads(path.read_text())
    own = {name: plain[name] for name in ("fabriscope", "network", "job", "mapping", "routing")}
    return decode(json.dumps(own).encode())


def store(scenario: Scenario) -> str:
    """Store the better of a mapping and the stored mapping of its cell, and return the throughput of both."""
    network = scenario.network
    assert isinstance(network, Percs)
    assert scenario == scenario_of(network, scenario.mapping), "not a cell of the tables"
    place = network.supernodes, network.d_links
    old = [_path(stored(*place))] if _is_stored(*place) else []
    reports = [evaluate(kept.build()) for kept in (*map(read, old), scenario)]
    report = max(reports, key=lambda report: report.throughput_gbs or 0.0)
    distance = gap(bounds(report.case, report), report.time)
    assert distance is not None
    for path in old:
        path.unlink()
    best = replace(
        scenario,
        mapping=Explicit(slots=SlotList(report.case.mapping.slots)),
        note=_note(report.case) if distance.closed else "",
    )
    path = _path(optimal(*place) if distance.closed else other(*place))
    write_scenario(path, best)
    figures = " -> ".join(f"{report.throughput_gbs:.4g}" for report in reports)
    return f"{place}: {figures}, {distance.share}, {path.name}"


def _is_stored(supernodes: int, d_links: int) -> bool:
    return any(_path(place(supernodes, d_links)).exists() for place in (optimal, other))


def _path(place: str) -> Path:
    return ROOT / "resources" / f"{place}{SUFFIX}"


def _note(case: Case) -> str:
    spec = case.network.spec
    assert isinstance(spec, Percs)
    machine = f"Power 775 with {spec.supernodes} supernodes and {LINKS[spec.d_links]} per pair"
    return f"{machine}: a {'lattice colouring' if _is_lattice_colouring(case) else 'mapping'} at its upper bound"


def _is_lattice_colouring(case: Case) -> bool:
    # Whether supernodes are translates of each other: as many translations of the grid permute them.
    assert case.job.grid is not None
    groups = case.mapping.nodes.reshape(case.job.grid) // 32
    number = int(groups.max()) + 1
    moved = (np.roll(groups, step, (0, 1)) for step in np.ndindex(groups.shape))
    return sum(np.unique(groups * number + other).size == number for other in moved) >= number


if __name__ == "__main__":
    for path in sorted(path for folder in sys.argv[1:] for path in Path(folder).glob(f"*{SUFFIX}")):
        print(path.name, store(read(path)))
    record("percs", ("1", "2", "best"))
    README.write_text(with_best_mappings(), encoding="utf-8")
