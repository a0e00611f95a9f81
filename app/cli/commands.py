"""The commands, and the options common to all."""

from argparse import SUPPRESS, ArgumentParser
from importlib import import_module

COMMANDS = {
    "evaluate": "loads, throughput and bottleneck of a scenario",
    "explain": "causes of the load on the hottest links, and swaps that reduce it",
    "diff": "differences between two scenarios, by link class and by link",
    "timeline": "start and duration of each step of a job, and how busy the links are",
    "reproduce": "a paper's tables, recomputed and compared with the printed values",
    "optimise": "search for a better mapping, with a proved upper bound",
    "resilience": "throughput after each failure of a cable, switch, node or bundle of links",
    "metrics": "size, distances, bisection, cables and cost of a network",
    "routes": "hops, hottest link, bisection bandwidth and balance of the paths of a single-path routing",
    "measured": "counters of links compared with predicted loads: correlation, traffic of other jobs, slow links",
    "compare": "metrics of several networks side by side, and a job's throughput on each",
    "study": "figures for every combination of field values, on all cores or a cluster",
    "export": "network, job, mapping, routing or loads of a scenario in another tool's file format",
    "report": "self-contained HTML report on a scenario or a study",
    "page": "interactive HTML page of a scenario, two scenarios or a tour, in one file",
    "render": "picture of a scenario as PNG, SVG or PDF, without a display",
    "tour": "scenes of a tour with current figures and checked claims, as text or PDF",
    "film": "MP4 or GIF film of a tour, timeline, search or recording, without a display",
    "list": "names of presets, tours, machines, studies and formats",
    "schema": "every choice, field, unit, bound and default, as text or JSON Schema",
    "completion": "shell completion script",
    "help": "reference as text, topic by topic",
}
"""The help of each command, by the name of its module."""


def declare_command(parser: ArgumentParser, name: str) -> None:
    """Add the options of a command to the parser; imports the command's module."""
    import_module(f"app.cli.{name}").declare_options(parser)
    declare_verbosity(parser)


def declare_verbosity(parser: ArgumentParser) -> None:
    """Add -q, -v and --progress, valid before and after a command.

    They have no defaults, so that neither position resets the other.
    """
    either = parser.add_mutually_exclusive_group()
    for flag, name, description in (
        ("-q", "--quiet", "print only errors to standard error"),
        (
            "-v",
            "--verbose",
            "print the contents of imported files, and to standard error the duration of each stage",
        ),
    ):
        either.add_argument(flag, name, action="store_true", default=SUPPRESS, help=description)
    parser.add_argument(
        "--progress", action="store_true", default=SUPPRESS, help="print progress to standard error as JSON lines"
    )
