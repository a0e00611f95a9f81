"""The channels of the job on screen, and their links to highlight."""

import numpy as np
from numpy.typing import NDArray

from app.model.channels import Crossings
from app.model.state import State
from core.job.channels import Channels
from core.load.flow_paths import NO_LINKS, Links

Times = NDArray[np.float64]


def drawn_channels(state: State) -> Channels | None:
    """Return the channels to draw on the machine, or None."""
    return state.evaluation.case.job.channels if state.channels.on_machine else None


def chosen_channel(state: State) -> int | None:
    """Return the number of the only channel drawn, or None for all."""
    channels, chosen = state.evaluation.case.job.channels, state.channels.only
    return chosen if channels is not None and chosen is not None and chosen < len(channels.names) else None


def crossings_of(state: State) -> Crossings | None:
    """Return the links that the channels on screen cross more than once, or None if they are not known yet."""
    crossings = state.channels.crossings
    return crossings if crossings is not None and crossings.report is state.evaluation.report else None


def crossed_links(state: State, channel: int) -> tuple[Links, Times]:
    """Return the links that the parts of a channel cross more than once, most crossed first, and how often."""
    crossings, channels = crossings_of(state), state.evaluation.case.job.channels
    if crossings is None or channels is None:
        return NO_LINKS, np.zeros(0)
    name = channels.names[channel]
    parts = [part for part in crossings.parts if channels.parts.channel_of(part.label) == name]
    links = np.concatenate([NO_LINKS, *(part.links for part in parts)])
    times = np.concatenate([np.zeros(0), *(part.times for part in parts)])
    order = np.argsort(-times, kind="stable")
    _, first = np.unique(links[order], return_index=True)  # both directions of a tree may cross a link
    kept = order[np.sort(first)]
    return links[kept], times[kept]


def hop_lines(state: State, source: int, destination: int) -> tuple[str, ...]:
    """Return ``channel 3: hop 12 of 64`` for each channel drawn that has a message from one task to another."""
    channels, chosen = drawn_channels(state), chosen_channel(state)
    if channels is None:
        return ()
    messages = channels.between(source, destination).tolist()
    if chosen is not None:
        messages = [message for message in messages if channels.of_message[message] == chosen]
    return tuple(_hop_line(channels, message) for message in messages)


def _hop_line(channels: Channels, message: int) -> str:
    number, count = channels.hop(message)
    label = channels.parts.labels[int(channels.parts.of_flow[message])]
    return f"{label}: hop {number:,} of {count:,}" if count else f"{label}: level {number:,}"
