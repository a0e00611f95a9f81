"""The commands, and the options common to all."""

from argparse import SUPPRESS, ArgumentParser
from importlib import import_module

COMMANDS = {
    "evaluate": "loads, throughput and bottleneck of a scenario file",
    "explain": "why the hottest links are hot, who causes it, and what to move",
    "diff": "two scenarios side by side, class by class and link by link",
    "timeline": "when each phase of a job runs, and how busy the links are",
    "reproduce": "a paper's tables, ours beside the printed values",
    "optimise": "search for a better mapping; what no mapping can pass beside it",
    "metrics": "sizes, distances, bisection, cables and cost of a network",
    "compare": "several networks side by side, and a job's throughput on each",
    "study": "figures for every combination of some fields, on all cores or a cluster",
    "export": "the network, job, mapping or loads of a scenario file, as a file of another tool",
    "report": "figures, bounds, causes and pictures of a scenario or a study, as one page",
    "render": "draw a scenario file into a picture; needs no screen",
    "tour": "the scenes of a talk with their figures, its claims checked; as a document, too",
    "film": "a tour, a timeline, a search or a recording as MP4 or GIF; needs no screen",
    "schema": "every choice, field, unit, bound and default; as JSON Schema too",
    "completion": "what makes a shell complete commands and options by the Tab key",
    "help": "the reference as text, topic by topic",
}
"""Help of each command, by the name of its module."""


def declare_command(parser: ArgumentParser, name: str) -> None:
    """Add the options of a command to the parser; imports the command's module."""
    import_module(f"app.cli.{name}").declare_options(parser)
    declare_talk(parser)


def declare_talk(parser: ArgumentParser) -> None:
    """Add -q and -v, before or after a command; without defaults, so that the second place does not reset the first."""
    either = parser.add_mutually_exclusive_group()
    for flag, name, words in (
        ("-q", "--quiet", "say nothing on standard error but what is wrong"),
        ("-v", "--verbose", "say on standard error how long each part of the work took"),
    ):
        either.add_argument(flag, name, action="store_true", default=SUPPRESS, help=words)
