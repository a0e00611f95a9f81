"""`help`: the reference as text, topic by topic."""

import argparse
import shutil

from app.cli.commands import COMMANDS, declare_command
from app.cli.streams import Parser
from app.wording.reference import (
    CHOICES,
    FIGURES,
    FILES,
    TOPIC_WORDS,
    UNITS,
    all_specs,
    choice_text,
    figures_text,
    files_text,
    spec_text,
    units_text,
)
from core.files.atomic import shown
from core.spec import SpecError, members
from core.text import guess

MAX_WIDTH = 100
MAX_SUGGESTIONS = 3
"""Maximum number of similar topics suggested for an unknown one."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    words = "a command, a choice such as network, one of its tags such as torus or network torus, units, figures, files"
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help=words)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the help topic, or the list of topics."""
    options.live.end()
    print(page(" ".join(options.topic), text_width()))
    return 0


def text_width() -> int:
    """Return the width of text: that of the terminal, up to `MAX_WIDTH`."""
    return min(shutil.get_terminal_size().columns, MAX_WIDTH)


def page(topic: str, width: int) -> str:
    """Return the page of a topic, or the table of contents for an empty topic.

    Raises SpecError: if the topic does not exist, with similar topics.
    """
    if not topic:
        return _contents()
    if topic in COMMANDS:
        return _command_text(topic)
    if topic in CHOICES:
        return choice_text(topic, width)
    if topic == UNITS:
        return units_text(width)
    if topic == FIGURES:
        return figures_text(width)
    if topic == FILES or topic in TOPIC_WORDS:  # fields that are no choice, such as neighbours, are on the file's page
        return files_text(width)
    choice, _, tag = topic.rpartition(" ")
    texts = [spec_text(name, spec, width) for name, spec in all_specs() if spec.tag() == tag and choice in ("", name)]
    if not texts:
        closest = guess(tag, topics(), MAX_SUGGESTIONS)
        raise SpecError("help", f"{shown(topic)!r} is no topic; {closest}fabriscope help lists all")
    return "\n\n\n".join(texts)


def topics() -> list[str]:
    """Return every topic, of one word each."""
    return list(dict.fromkeys([*COMMANDS, *CHOICES, FILES, UNITS, FIGURES, *(spec.tag() for _, spec in all_specs())]))


def _command_text(name: str) -> str:
    parser = Parser(prog=f"fabriscope {name}", description=COMMANDS[name])
    declare_command(parser, name)
    return parser.format_help().rstrip("\n")


def _contents() -> str:
    wide = max(map(len, (*COMMANDS, *CHOICES))) + 2
    lines = ["fabriscope help TOPIC, where TOPIC is", "", "a command"]
    lines += [f"  {name:<{wide}}{words}" for name, words in COMMANDS.items()]
    lines += ["", "a choice"]
    lines += [f"  {name:<{wide}}{TOPIC_WORDS[name]}" for name in CHOICES]
    lines += ["", "what is chosen, with or without the name of the choice"]
    lines += [f"  {name:<{wide}}{' '.join(spec.tag() for spec in members(union))}" for name, union in CHOICES.items()]
    lines += ["", "or", f"  {FILES:<{wide}}the scenario file", f"  {UNITS:<{wide}}what numbers mean"]
    return "\n".join([*lines, f"  {FIGURES:<{wide}}every figure that is printed, measured or named in captions"])
