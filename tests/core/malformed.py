"""Malformed sample files, and what their refusals must name."""

import re

FACT = re.compile(r'\d+|"[^"]*"')


def facts(words):
    """Return the subject of a message, independent of its wording: its numbers and quotations."""
    return set(FACT.findall(words.replace(",", "")))
