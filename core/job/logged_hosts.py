"""The hosts on which the tasks of a job ran, as the log that describes the job names them."""

from typing import NamedTuple


class LoggedHosts(NamedTuple):
    """The place of every task of a job, by task."""

    names: tuple[str, ...]
    """Name of its host."""
    devices: tuple[int, ...]
    """Number of its GPU or NIC on this host; negative if unknown."""
