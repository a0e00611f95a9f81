"""Small instances of declared choices, derived from the bounds of their fields."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import product
from random import Random

import msgspec

from core.job.job import JobSpec
from core.network.network import NetworkSpec
from core.spec import SpecError, fields_of, from_plain, to_plain

SPREAD = 6
"""Integers tried from the lower bound of a field on."""
LONGEST = 3
"""Maximum entries of a tuple."""
DRAWS, MOST = 400, 16
MOST_NODES, MOST_TASKS = 48, 48


@cache
def samples(kind):
    """Return up to 16 different small, valid instances of a kind of network, job, mapping or routing.

    Networks and jobs can be built.
    """
    specs = {}
    for spec in _drawn(kind):
        if len(specs) < MOST and spec not in specs and _small(spec):
            specs[spec] = None
    return tuple(specs)


def _drawn(kind) -> Iterator:
    random = Random(kind.__name__)
    choices = {field.name: _values(field) for field in fields_of(kind)}
    for _ in range(DRAWS):
        values = {name: random.choice(some) for name, some in choices.items() if some}
        if len(values) == len(choices):
            with suppress(msgspec.ValidationError):  # lists have separate bounds
                yield from_plain({"type": kind.tag(), **to_plain(values)}, kind)


def _values(field):
    """Return values of a field to choose from: small numbers, each choice, or else its default, if any."""
    if field.choices:
        return field.choices
    if field.kind is bool:
        return (False, True)
    if field.kind is int and not field.optional:
        return _integers(field)
    if field.kind is tuple and not field.optional and field.entry is not None and field.entry.kind is int:
        longest = min(LONGEST, field.max_length or LONGEST)
        few = _integers(field.entry)[:4]
        return tuple(some for count in range(1, longest + 1) for some in product(few, repeat=count))
    return () if field.required else (field.default,)


def _integers(field):
    low = int(field.low or 0)
    return tuple(range(low, int(min(low + SPREAD, field.high if field.high is not None else low + SPREAD)) + 1))


def _small(spec):
    try:
        if isinstance(spec, NetworkSpec):
            return spec.build().nodes <= MOST_NODES
        if isinstance(spec, JobSpec):
            return spec.build().tasks <= MOST_TASKS
    except SpecError:
        return False
    return True
