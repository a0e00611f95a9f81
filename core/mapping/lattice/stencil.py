"""Halo exchanges as stencils: the offsets of a task's neighbours on a torus, and the messages to them."""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from core.job.halo import DIRECTIONS, Halo
from core.job.halo_nd import HaloNd
from core.job.job import Job
from core.spec import SpecError

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stencil:
    """Messages that every task of a torus sends; with each offset the opposite offset has the same volume."""

    dims: tuple[int, ...]
    offsets: Ints
    """(n, messages)"""
    weights: Ints
    """(messages,) volume of each message, in multiples of `part`, without a common divisor."""
    part: float
    """Volume of a message of weight 1, in the job's unit."""


def stencil_of(job: Job) -> Stencil:
    """Return the stencil of a halo exchange; the border of a grid without periods is treated as the inside.

    Raises SpecError: if the job is not a halo exchange.
    """
    spec = job.spec
    if isinstance(spec, Halo):
        offsets = np.array(DIRECTIONS).T
        return Stencil((spec.rows, spec.cols), offsets, np.ones(len(DIRECTIONS), np.int64), spec.size.volume)
    if isinstance(spec, HaloNd):
        shares = spec.shares()
        least = min(shares)
        weights = [share / least for share in shares]
        part = Fraction(1, _common(weights))
        sizes = np.array([int(weight / part) for weight in weights])
        return Stencil(spec.dims, np.array(spec.offsets).T, sizes, spec.size.volume * float(part))
    raise SpecError("mapping.type", "lattice-colouring needs a halo exchange (halo or halo-nd); try structured")


def _common(weights: list[Fraction]) -> int:
    denominator = 1
    for weight in weights:
        denominator *= weight.denominator // gcd(denominator, weight.denominator)
    return denominator
