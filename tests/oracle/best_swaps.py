"""The best single swap, by full evaluation of every swap of two slots."""

from core.load.evaluate import TOLERANCE
from core.mapping.edit import occupants, swapped


def best_of_all(mapping, slots, evaluated):
    """(time, hottest links) after the best swap of two slots, or None if none helps.

    `evaluated` returns (time, hottest links) of a mapping, or None if it is not allowed.
    """
    occupant = occupants(mapping, slots)
    edits = (swapped(mapping, [a], [b], occupant) for a in range(slots) for b in range(a))
    outcomes = [evaluated(edit.applied(mapping)) for edit in edits if edit.count]
    time, hot = evaluated(mapping)
    allowed = [outcome for outcome in outcomes if outcome is not None]
    faster = [outcome for outcome in allowed if outcome[0] < time * (1 - TOLERANCE)]
    cooler = [outcome for outcome in allowed if outcome[0] <= time * (1 + TOLERANCE) and outcome[1] < hot]
    least = min((outcome[0] for outcome in faster or cooler), default=0.0)
    return min(
        (outcome for outcome in faster or cooler if outcome[0] <= least * (1 + TOLERANCE)),
        key=lambda outcome: outcome[1],
        default=None,
    )
