"""Texts on single swaps that relieve the bottleneck."""

from app.wording.numbers import gbs, rate, significant
from core.load.swap_suggestions import Suggestions, SwapSuggestion
from core.mapping.edit import EMPTY
from core.text import plural


def gain_text(suggestion: SwapSuggestion) -> str:
    """Return the gain ``+3.21 GB/s``, or the remaining number of hottest links: ``120 links``."""
    if suggestion.after.throughput_gbs is None:
        return "no link in use"
    if suggestion.gain_gbs > 0:
        return f"+{significant(suggestion.gain_gbs, 3)} GB/s"
    return plural(suggestion.after.hot, "link")


def suggestions_text(suggestions: Suggestions) -> str:
    """Return a note on the suggestions; empty if their gains need no comment."""
    if suggestions.declined:
        return suggestions.declined
    now = gbs(suggestions.before.throughput_gbs or 0.0)
    tried = "" if suggestions.complete else f" ({suggestions.tried:,} tried)"
    if not suggestions.best:
        return f"No single swap helps{tried}."
    if suggestions.best[0].gain_gbs > 0 or suggestions.best[0].after.throughput_gbs is None:
        return ""
    limiting = f"{suggestions.before.hot:,} limiting links" if suggestions.before.hot > 1 else "limiting link"
    return f"No single swap raises the {now} GB/s{tried}. These reduce the {limiting}:"


def swap_details(suggestion: SwapSuggestion, unit: str) -> str:
    """Return a description of a swap and its effect; `unit` is the unit of throughputs."""
    task, to_empty = f"task {suggestion.task:,}", suggestion.partner == EMPTY
    does = f"Moves {task} to an empty slot.\n" if to_empty else f"Swaps {task} with task {suggestion.partner:,}.\n"
    if suggestion.after.throughput_gbs is None:
        return f"{does}Then no link carries load."
    outcomes = (suggestion.before, suggestion.after)
    rates = rate([outcome.throughput_gbs for outcome in outcomes], [outcome.seconds for outcome in outcomes], unit)
    hottest = f"hottest links {suggestion.before.hot:,} → {suggestion.after.hot:,}"
    return f"{does}Throughput {rates}; {hottest}."
