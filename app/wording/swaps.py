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
    """Return a note on all suggestions; empty if their gains suffice."""
    if suggestions.declined:
        return suggestions.declined
    now = gbs(suggestions.before.throughput_gbs or 0.0)
    tried = "single swap" if suggestions.complete else f"of the {suggestions.tried:,} single swaps tried"
    if not suggestions.best:
        return f"{'No' if suggestions.complete else 'None'} {tried} helps."
    if suggestions.best[0].gain_gbs > 0 or suggestions.best[0].after.throughput_gbs is None:
        return ""
    limited = f"raises the {now} GB/s, which {plural(suggestions.before.hot, 'link')} limit."
    return f"{'No' if suggestions.complete else 'None'} {tried} {limited} These leave fewer:"


def swap_details(suggestion: SwapSuggestion, unit: str) -> str:
    """Return a sentence on the effect of a swap; `unit` is that of throughputs."""
    other = f"task {suggestion.partner:,}" if suggestion.partner != EMPTY else "an empty slot"
    does = f"Task {suggestion.task:,} changes places with {other}.\n"
    if suggestion.after.throughput_gbs is None:
        return f"{does}Then nothing crosses a link any more."
    outcomes = (suggestion.before, suggestion.after)
    rates = rate([outcome.throughput_gbs for outcome in outcomes], [outcome.seconds for outcome in outcomes], unit)
    hottest = f"hottest links {suggestion.before.hot:,} → {suggestion.after.hot:,}"
    return f"{does}Throughput {rates}; {hottest}."
