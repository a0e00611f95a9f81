"""The mapping that a job had when it ran, if its log names the hosts of its ranks."""

from typing import ClassVar

import numpy as np

from core.hostlist import compress
from core.job.job import Job
from core.job.logged_hosts import LoggedHosts
from core.mapping.mapping import Mapping, MappingSpec, Slots
from core.network.network import Ints, Network
from core.spec import SpecError
from core.text import natural_order, plural


class Logged(MappingSpec, frozen=True, tag="logged"):
    """As logged: every rank on the host and the GPU that the job's log names."""

    title: ClassVar[str] = "As logged"
    needs_log = True
    sees = "slots"

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slot of each task: slot d of its host for GPU d; free slots in rank order if GPUs are ambiguous.

        Raises SpecError: if the log names no hosts, the network does not have them, or a host has too few slots.
        """
        logged = job.logged_hosts
        if logged is None:
            raise SpecError("mapping.type", "is logged, but no log names the hosts of this job; try sequential")
        host = hosts_in(network, logged)
        if host is None:
            raise SpecError("mapping.type", f"is logged, but {unknown_hosts(network, logged)}")
        ranks, room = np.bincount(host, minlength=network.host_slots.count), network.host_slots.room
        if (ranks > room).any():
            first = int((ranks > room).argmax())
            has = f"has {plural(int(room[first]), 'slot')}"
            raise SpecError(
                "mapping.type",
                f"is logged, but the log has {plural(int(ranks[first]), 'rank')} on {network.host_names[first]}, which "
                f"{has}; choose a network with enough slots per {network.host_word}",
            )
        device = np.array(logged.devices, np.int32)
        order = np.lexsort((np.arange(device.size), host))
        turn = np.empty_like(device)
        turn[order] = np.arange(order.size) - np.searchsorted(host[order], host[order])
        distinct = np.unique(np.stack([host, device]), axis=1).shape[1] == host.size
        is_slot = distinct and bool(((device >= 0) & (device < room[host])).all())
        return network.host_slots.slots_at(host, device if is_slot else turn)


def hosts_in(network: Network, logged: LoggedHosts) -> Ints | None:
    """Return the host of each task in a network, shape ``(tasks,)``; None if the network lacks one of them."""
    number = {name: network.host_named(name) for name in dict.fromkeys(logged.names)}
    if None in number.values():
        return None
    return np.array([number[name] for name in logged.names], np.int32)


def unknown_hosts(network: Network, logged: LoggedHosts) -> str:
    """Return why ranks cannot be placed as logged in a network without the hosts of the log, and the remedy."""
    names = sorted(dict.fromkeys(logged.names), key=natural_order)
    unknown = [name for name in names if network.host_named(name) is None]
    missing = f"the network has no {network.host_word} {unknown[0]}, which the log names"
    if len(unknown) == len(names) == network.host_slots.count:
        return f"{missing}; name its {network.host_word}s {compress(names)} (hosts)"
    return f"{missing}; name its {network.host_word}s as the log does (hosts)"


def note_on_logged(job: Job, network: Network, mapping: Mapping) -> str:
    """Return that ranks are not on the hosts in the job's log; empty if they are, or the log names none."""
    if job.logged_hosts is None:
        return ""
    host = hosts_in(network, job.logged_hosts)
    if host is None:
        return f"ranks are not placed as in the log: {unknown_hosts(network, job.logged_hosts)}"
    placed, _ = network.host_slots.place_of(mapping.slots)
    moved = int((placed != host).sum())
    if not moved:
        return ""
    where = f"on their {network.host_word}s in the log; the mapping logged places them there"
    return f"{moved:,} of {plural(host.size, 'rank')} are not {where}"
