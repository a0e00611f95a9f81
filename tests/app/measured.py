"""Scenarios with made-up counters: a prediction with noise, one slow link, one with other traffic, some without."""

import numpy as np

from app.model.measurement import LinkSource
from core.counters.measured import Measured
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import DimensionOrder

TORUS = {
    "network": Torus(dims=(4, 4)), "job": Halo(rows=4, cols=4), "mapping": Random(seed=3), "routing": DimensionOrder()
}  # fmt: skip
COUNTED = [source for source in LinkSource if source.needs_counters]
GBS = 0.4
"""Measured bandwidth of the hottest link."""
SLOW, OTHER = 0.5, 2.0
"""Factors of the slow link's bandwidth, and of the link with other traffic."""


def used_links(choices=TORUS):
    """The links of the scenario with more than half of the hottest link's load."""
    load = evaluate(Scenario(**choices).build()).total_load
    return np.flatnonzero(load > 0.5 * load.max())


def planted(choices=TORUS):
    """The slow link, the link with other traffic, and two links without a counter."""
    used = used_links(choices)
    return int(used[0]), int(used[-1]), used[1:3].tolist()


def measured_scenario(folder, choices=TORUS, *, seconds=1.0, waits=True):
    """A scenario with counters of `planted` links in a table of the folder."""
    report = evaluate(Scenario(**choices).build())
    network, (slow, other, missing) = report.case.network, planted(choices)
    gbs = GBS * report.total_load / report.total_load.max()
    wait = np.ones(network.links, int)
    gbs[slow] *= SLOW
    wait[slow] = 1000
    gbs[other] *= OTHER
    rows = [
        f'"{network.link_ends(k)[0]}","{network.link_ends(k)[1]}",{gbs[k] * 1e9:.0f}' + f",{wait[k]}" * waits
        for k in range(network.links)
        if k not in missing
    ]
    (folder / "counters.csv").write_text("src,dst,bytes" + ",wait" * waits + "\n" + "\n".join(rows))
    return Scenario(**choices, folder=folder, measured=Measured(after="counters.csv", seconds=seconds))


LEVELS = (0.25, 1.0, 0.5)
"""Measured bandwidth of the links in each interval of a series, relative to `GBS` on the hottest link."""
SERIES_SECONDS = 30.0


def series_scenario(folder, choices=TORUS, *, seconds=SERIES_SECONDS, levels=LEVELS):
    """A scenario with counters of `planted` links that were read several times, at equal distances.

    The link with other traffic has it in the second interval only.
    """
    report = evaluate(Scenario(**choices).build())
    network, (slow, other, missing) = report.case.network, planted(choices)
    rates = series_rates(report.total_load, slow, other, levels)
    gb = np.concatenate([np.zeros((1, network.links)), np.cumsum(rates * SERIES_SECONDS / len(levels), axis=0)])
    names = [f"{number}.csv" for number in range(len(levels) + 1)]
    for name, values in zip(names, gb, strict=True):
        rows = [
            f'"{network.link_ends(k)[0]}","{network.link_ends(k)[1]}",{values[k] * 1e9:.0f},{ticks(k, slow, values)}'
            for k in range(network.links)
            if k not in missing
        ]
        (folder / name).write_text("src,dst,bytes,wait\n" + "\n".join(rows))
    measured = Measured(before=names[0], between=tuple(names[1:-1]), after=names[-1], seconds=seconds)
    return Scenario(**choices, folder=folder, measured=measured)


def series_rates(load, slow, other, levels=LEVELS):
    """The bandwidth of each link in each interval, GB/s, shape ``(intervals, links)``."""
    rates = GBS * np.array(levels)[:, None] * load / load.max()
    rates[:, slow] *= SLOW
    rates[1, other] *= OTHER
    return rates


def ticks(link, slow, values):
    """Waits in proportion to the traffic, long on the slow link."""
    return round(values[link] * (1000 if link == slow else 1))
