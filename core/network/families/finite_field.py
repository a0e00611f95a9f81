"""Finite fields: addition and multiplication tables of q elements, q a prime power.

An element is a polynomial whose coefficients are the digits of its number to the base p. A generator of the nonzero
elements is found by trial. Source: Lidl and Niederreiter, "Finite fields", 1997, chapter 2.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from core.network.network import Ints


class FiniteField(NamedTuple):
    """A field of q elements, 0 to q - 1; 0 and 1 are the neutral elements."""

    powers: Ints
    """(q - 1,) all powers of a generator: 1, x, x^2 ..."""
    plus: Ints
    """(q, q) sums."""
    times: Ints
    """(q, q) products."""

    @property
    def minus(self) -> Ints:
        """Return the differences: ``minus[a, b]`` is a - b."""
        # Each column of sums is a permutation of the elements.
        return np.argsort(self.plus, axis=0).astype(np.int32)


def prime_power(q: int) -> tuple[int, int] | None:
    """Return the prime and the exponent of a prime power, or None if `q` is none."""
    prime = next((p for p in range(2, q + 1) if q % p == 0), None)
    if prime is None:
        return None
    exponent = 0
    while q % prime == 0:
        q, exponent = q // prime, exponent + 1
    return (prime, exponent) if q == 1 else None


def finite_field(q: int) -> FiniteField:
    """Return the field of q elements; q must be a prime power."""
    parts = prime_power(q)
    assert parts is not None
    prime, exponent = parts
    weight = prime ** np.arange(exponent)
    digits = np.arange(q)[:, None] // weight % prime
    plus = ((digits[:, None] + digits[None]) % prime @ weight).astype(np.int32)
    powers = next(p for p in (_powers(c, prime) for c in product(range(prime), repeat=exponent)) if len(p) == q - 1)
    log = np.zeros(q, np.int64)
    log[powers] = np.arange(q - 1)
    times = np.array(powers, np.int32)[(log[:, None] + log[None]) % (q - 1)]
    times[0], times[:, 0] = 0, 0
    return FiniteField(np.array(powers, np.int32), plus, times)


def _powers(rest: tuple[int, ...], prime: int) -> list[int]:
    # All powers of x modulo the polynomial x^n minus the polynomial with these coefficients, until they repeat or
    # vanish.
    powers: list[int] = []
    number = [1] + [0] * (len(rest) - 1)
    while any(number):
        value = sum(digit * prime**k for k, digit in enumerate(number))
        if value in powers:
            return powers if value == 1 else []
        powers.append(value)
        top = number[-1]
        number = [(low + top * r) % prime for low, r in zip([0, *number[:-1]], rest, strict=True)]
    return []
