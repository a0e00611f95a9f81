"""The scenario argument of a command: a file, ``-``, the name of a preset, or choices in short form."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.filekind import is_html
from core.files import SUFFIX, decode
from core.files.atomic import STANDARD, shown
from core.files.scenario_file import FAMILIES, content_of
from core.spec import SpecError
from core.text import known_names

if TYPE_CHECKING:
    from core.load.scenario import Scenario
    from core.network.network import NetworkSpec

FILE = "FILE"
FILE_HELP = f"scenario file ({SUFFIX}), report or page (.html), name of a preset, or - for standard input"
CHOICES = {
    "network": "family and fields, such as torus:dims=8x8x8",
    "job": "pattern and fields, such as halo:rows=16,cols=32; without fields, the job uses every slot",
    "mapping": "strategy and fields, such as random:seed=3",
    "routing": "scheme and fields, such as minimal:spread=equal",
    "timing": "timing of the steps, such as fair-share",
}
PLACES = {
    "hosts": "names of all hosts in order, such as n[0001-1024], or file=hosts.txt",
    "allocation": "nodes of the job, by name or number, such as n[0001-0040,0050] or 0-39,49",
    "down": "nodes that are down and hold no tasks, by name or number",
}
"""Options that set a part of a scenario, with their help."""
MEASURED = {"measured": "counters of ports, such as after=after.txt,before=before.txt,seconds=60"}
"""The option for the counters, with its help."""
IN_FILE = "file="
GROUP_TITLE = "scenario options"
VALUES = "'fabriscope help network', 'fabriscope help job' and so on list the possible values."
DESCRIPTION = f"""\
Use instead of FILE, or to override parts of it. Defaults with --network: job all-to-all on every slot, mapping
sequential, routing minimal:spread=equal (group-minimal on dragonflies and Dragonfly+).
{VALUES}"""


def declare_scenario(parser: argparse.ArgumentParser) -> None:
    """Add the argument FILE, and the options that replace it or override parts of it."""
    parser.add_argument("file", type=Path, nargs="?", metavar=FILE, help=FILE_HELP)
    declare_choices(parser)


def declare_choices(parser: argparse.ArgumentParser, description: str = DESCRIPTION) -> None:
    """Add an option for each part of a scenario to the parser, below `description`."""
    group = parser.add_argument_group(GROUP_TITLE, description)
    for options, metavar in ((CHOICES, "WHICH"), (PLACES, "NODES"), (MEASURED, "FILES")):
        for name, help_text in options.items():
            group.add_argument(f"--{name}", metavar=metavar, help=help_text)


def scenario_given(options: argparse.Namespace) -> "Scenario":
    """Return the scenario given by the options.

    Raises SpecError: naming the error.
    """
    texts = choices_of(options)
    if options.file is not None:
        return with_choices(scenario_named(options.file), texts)
    if "network" not in texts:
        raise SpecError(FILE, "give a scenario file, a preset or a --network")
    return scenario_on(texts.pop("network"), texts)


def scenario_on(network: str, texts: dict[str, str]) -> "Scenario":
    """Return the usual scenario on a network in short form, with the given choices in short form, by name.

    Raises SpecError: naming the invalid option.
    """
    usual = usual_scenario(parsed_choices({"network": network})["network"])
    return with_choices(usual, {"job": usual.job.tag()} | texts)


def usual_scenario(network: "NetworkSpec") -> "Scenario":
    """Return an all-to-all on every slot of a network, mapped in order."""
    from core.figures.network_table import Entry, TrafficChoice, scenario_over  # slow to import

    folder = Path.cwd()
    return scenario_over(Entry(network.tag(), network, folder), network.build(folder), TrafficChoice())


def scenario_named(path: Path) -> "Scenario":
    """Return the scenario in a file or on standard input, or the preset with that name.

    Raises SpecError: naming the error.
    """
    if is_file(path):
        return _read(path)
    from app.storage.presets import preset, preset_names  # slow to import

    name, names = str(path), preset_names()
    if name not in names:
        raise SpecError(FILE, f"no such file or preset: {shown(name)!r}; {known_names(name, names, 'presets')}")
    return preset(name)


@contextmanager
def errors_of(path: Path, several: bool) -> Iterator[None]:
    """Let errors in the block name a scenario's file, if there are `several`."""
    try:
        yield
    except SpecError as error:
        if not several or str(path) in error.message:
            raise
        raise SpecError(f"{shown(str(path))}: {error.field}", error.message) from error


def _read(path: Path) -> "Scenario":
    content = content_of(path)
    try:
        return _in_document(content, path.parent) if is_html(content) else decode(content, path.parent)
    except SpecError as error:
        if error.field != "file":
            raise
        name = "standard input" if path == STANDARD else shown(path.name)
        parted = " " if error.message.startswith("is ") else ": "
        raise SpecError("file", f"{name}{parted}{error.message}") from error


def _in_document(content: bytes, folder: Path) -> "Scenario":
    from app.storage.record import records_in, scenario_in  # slow to import

    return scenario_in(records_in(content)[0], folder)


def is_file(path: Path) -> bool:
    """Return whether `path` is meant as a path rather than a name: a file of that path need not exist."""
    return path == STANDARD or path.suffix == ".json" or os.path.lexists(path)


def is_preset(name: str) -> bool:
    """Return whether a text names a preset."""
    if is_file(Path(name)):
        return False
    from app.storage.presets import preset_names

    return name in preset_names()


def with_choices(scenario: "Scenario", texts: dict[str, str]) -> "Scenario":
    """Return the scenario with the given choices in short form, by name.

    Raises SpecError: naming the invalid option.
    """
    if not texts:
        return scenario
    changed: Scenario = replace(scenario, **parsed_choices(texts))
    return _filled(changed) if ":" not in texts.get("job", ":") else changed


def choices_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the given parts of a scenario in short form, by name."""
    texts = {name: getattr(options, name) for name in (*CHOICES, *PLACES, *MEASURED)}
    return {name: text for name, text in texts.items() if text is not None}


def parsed_choices(texts: dict[str, str]) -> dict[str, Any]:
    """Return choices and other parts of a scenario from their short forms, by name.

    Raises SpecError: naming the invalid option.
    """
    from app.cli.arguments import parse_choice

    return {
        name: parse_choice(f"--{name}", text, FAMILIES[name]) if name in CHOICES else _other(name, text)
        for name, text in texts.items()
    }


def _other(name: str, text: str) -> Any:
    if name in PLACES:
        return _place(name, text)
    from app.cli.arguments import parse_spec
    from core.counters.measured import Measured

    return parse_spec(f"--{name}", text, Measured)


def _place(name: str, text: str) -> Any:
    from core.network.hosts import HostsFile

    if not text.strip() and name != "down":  # an unset variable of a script must not mean all nodes
        raise SpecError(f"--{name}", f"is empty; give the {PLACES[name]}, or omit the option")
    if name == "hosts" and text.startswith(IN_FILE):
        return HostsFile(os.path.abspath(text.removeprefix(IN_FILE)))
    return tuple(filter(None, [text])) if name == "down" else text


def _filled(scenario: "Scenario") -> "Scenario":
    network = scenario.machine()
    # The job's size is not known yet: it gets the nodes that the background jobs leave free.
    background = [neighbour.job.build(scenario.folder).tasks for neighbour in scenario.neighbours]
    own, *_ = scenario.allocations(network, [1, *background])
    return replace(scenario, job=scenario.job.resized(network.slots if own is None else own.slots))
