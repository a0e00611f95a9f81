"""The flows of a job by task, in the form that the kernels of a search read."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock, Phase
from core.load.moved_flows import TaskFlows
from core.optimise.tables import Layers


def crossing_flows(phase: Phase) -> FlowBlock:
    """Return the flows of a phase that may cross links: those between different tasks."""
    flows = FlowBlock.joined(block for _, block in phase.blocks())
    return flows.at(np.flatnonzero((flows.src != flows.dst) & (flows.volume > 0)))


Reals = NDArray[np.float64]


def stacked(
    terms: list[int], flows: list[TaskFlows], paces: list[Reals], tasks: int, delays: Sequence[Reals] = ()
) -> Layers:
    """Return several layers as one: their terms, flows, paces, and delays by link (of size 0 for none)."""
    offsets = np.cumsum([0, *(each.other.size for each in flows)])[:-1]
    start = [each.start + at for each, at in zip(flows, offsets, strict=True)]
    first_in = [each.first_in + at for each, at in zip(flows, offsets, strict=True)]
    return Layers(
        term=np.array(terms, np.int64),
        failure=np.zeros(len(terms), np.int64),
        start=np.array(start, np.int64).reshape(len(terms), tasks + 1),
        first_in=np.array(first_in, np.int64).reshape(len(terms), tasks),
        other=np.concatenate([np.zeros(0, np.int32), *(each.other for each in flows)]),
        volume=np.concatenate([np.zeros(0, np.int64), *(each.volume for each in flows)]),
        pace=np.concatenate([np.zeros(0), *paces]),
        delay=_filled(delays, paces) if any(delay.size for delay in delays) else np.zeros(0),
    )


def _filled(delays: Sequence[Reals], paces: Sequence[Reals]) -> Reals:
    # Zeros for layers without delays, and for injection links.
    return np.concatenate(
        [np.append(delay, np.zeros(pace.size - delay.size)) for delay, pace in zip(delays, paces, strict=True)]
    )


def after_failures(layers: Layers, paces: Sequence[Reals], delays: Sequence[Reals]) -> Layers:
    """Return the layers, and the same layers after each failure, given the paces and delays of all these."""
    count = layers.term.size
    repeats = 1 + len(paces) // count
    return layers._replace(
        term=np.tile(layers.term, repeats),
        failure=np.repeat(np.arange(repeats, dtype=np.int64), count),
        start=np.tile(layers.start, (repeats, 1)),
        first_in=np.tile(layers.first_in, (repeats, 1)),
        pace=np.concatenate([layers.pace, *paces]),
        delay=np.concatenate([layers.delay, *delays]),
    )
