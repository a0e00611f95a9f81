"""Which commands there are, and the options that all of them have."""

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
"""What the modules of these names do."""


def declare(parser: ArgumentParser, name: str) -> None:
    """Give the parser the options of a command; what they are declared in takes time to load."""
    import_module(f"app.cli.{name}").declare_options(parser)
    declare_talk(parser)


def declare_talk(parser: ArgumentParser) -> None:
    """Give the parser -q and -v, before a command or behind it: what is not given must not undo what is."""
    either = parser.add_mutually_exclusive_group()
    for flag, name, words in (
        ("-q", "--quiet", "say nothing on standard error but what is wrong"),
        ("-v", "--verbose", "say on standard error how long each part of the work took"),
    ):
        either.add_argument(flag, name, action="store_true", default=SUPPRESS, help=words)
