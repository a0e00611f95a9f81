"""`help`: the reference as text, by topic."""

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
from core.text import as_sentence, guess

MAX_WIDTH = 100
MAX_SUGGESTIONS = 3
"""Maximum number of similar topics suggested for an unknown one."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    description = "command, choice (network), value of a choice (torus or network torus), files, units or figures"
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help=f"{description} (default: list of topics)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the help topic, or the list of topics."""
    options.live.end()
    print(page(" ".join(options.topic), text_width()))
    return 0


def text_width() -> int:
    """Return the width of the terminal, at most `MAX_WIDTH`."""
    return min(shutil.get_terminal_size().columns, MAX_WIDTH)


def page(topic: str, width: int) -> str:
    """Return the page of a topic, or the table of contents for an empty topic.

    Raises SpecError: if the topic does not exist, with similar topics.
    """
    if not topic:
        return _contents()
    if topic in COMMANDS:
        return command_parser(topic).format_help().rstrip("\n")
    if topic in CHOICES:
        return choice_text(topic, width)
    if topic == UNITS:
        return units_text(width)
    if topic == FIGURES:
        return figures_text(width)
    if topic == FILES or topic in TOPIC_WORDS:  # fields that are not choices, such as neighbours, are on this page
        return files_text(width)
    choice, _, tag = topic.rpartition(" ")
    texts = [spec_text(name, spec, width) for name, spec in all_specs() if spec.tag() == tag and choice in ("", name)]
    if not texts:
        suggestion = guess(tag, topics(), MAX_SUGGESTIONS)
        raise SpecError("help", f"no such topic: {shown(topic)!r}; {suggestion}see fabriscope help")
    return "\n\n\n".join(texts)


def topics() -> list[str]:
    """Return all topics of one word."""
    return list(dict.fromkeys([*COMMANDS, *CHOICES, FILES, UNITS, FIGURES, *(spec.tag() for _, spec in all_specs())]))


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of a command's options."""
    parser = Parser(prog=f"fabriscope {name}", description=as_sentence(COMMANDS[name]))
    declare_command(parser, name)
    return parser


def _contents() -> str:
    wide = max(map(len, (*COMMANDS, *CHOICES))) + 2
    sections = {
        "Commands": COMMANDS,
        "Choices": {name: TOPIC_WORDS[name] for name in CHOICES},
        "Values of a choice, with or without its name (torus or network torus)": {
            name: " ".join(spec.tag() for spec in members(union)) for name, union in CHOICES.items()
        },
        "Other topics": {
            FILES: "fields of scenario files",
            UNITS: "meaning and units of numbers",
            FIGURES: "every figure that is printed, measured or used in captions",
        },
    }
    lines = ["usage: fabriscope help TOPIC"]
    for heading, topics_with_text in sections.items():
        lines += ["", heading, *(f"  {name:<{wide}}{text}" for name, text in topics_with_text.items())]
    return "\n".join(lines)
