"""Random numbers for all searches. A seed gives the same numbers on every machine."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined

State = NDArray[np.uint64]
"""(1,) the complete state of a random sequence (xorshift64; Marsaglia, "Xorshift RNGs", 2003)."""


def state_of(*seeds: int) -> State:
    """Return the state for one or more non-negative seeds; neighbouring seeds give unrelated states."""
    return np.random.SeedSequence(seeds[0] if len(seeds) == 1 else seeds).generate_state(1, np.uint64) | np.uint64(1)


@inlined
def draw(state: State, below: int) -> int:
    """Return a random integer from 0 to `below` - 1."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    # Converted to signed at once: NumPy turns a mix of signed and unsigned integers into floats.
    return int(np.int64(((x >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)))


@inlined
def chance(state: State) -> float:
    """Return a random number above 0 and at most 1."""
    return (draw(state, 1 << 31) + 1) / (1 << 31)


@inlined
def begin_stream(state: State, seed: int, number: int) -> None:
    """Set a state to the beginning of stream `number` of a `seed`, which is itself a state; streams are far apart.

    The numbers of a stream therefore depend neither on the order of streams nor on threads. The mixing is splitmix64
    (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
    """
    x = np.uint64(seed) + np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state[0] = x ^ (x >> np.uint64(31)) | np.uint64(1)
