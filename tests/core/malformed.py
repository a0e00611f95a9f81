"""Malformed sample files, and what their refusals must name."""

import re

FACT = re.compile(r'\d+|"[^"]*"')


def facts(words):
    """Return what a message is about, however it is worded: its numbers, and what it quotes."""
    return set(FACT.findall(words.replace(",", "")))
