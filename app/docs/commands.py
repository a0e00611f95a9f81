"""Pages of the commands, from their parsers."""

import argparse
import os
from collections.abc import Iterator
from textwrap import dedent

from app.cli.commands import COMMANDS
from app.cli.help import command_parser
from app.docs.page import Page, fenced, table, terms
from app.wording.reference import as_markdown
from core.text import as_sentence

COMMON = "help", "quiet", "verbose"
"""Options of every command, described once."""
TITLES = {"positional arguments": "Arguments", "options": "Options", "scenario options": "Parts of the scenario"}
USAGE = "usage: "
COLUMNS = "80"
"""Width of the usage, in characters."""


def pages() -> list[Page]:
    """Return an overview and a page for each command."""
    os.environ["COLUMNS"] = COLUMNS
    parsers = {name: command_parser(name) for name in COMMANDS}
    return [_overview(parsers["evaluate"]), *(_page(name, parser) for name, parser in parsers.items())]


def _overview(any_command: argparse.ArgumentParser) -> Page:
    rows = [(f"[`{name}`]({name}.md)", f"{as_markdown(as_sentence(text))}") for name, text in COMMANDS.items()]
    common = [action for action in any_command._actions if action.dest in COMMON]
    parts = [
        "# Command line",
        "`fabriscope COMMAND` does the same as the window, without one. `fabriscope` alone opens the window.",
        table(("Command", "Purpose"), rows),
        "## Options of all commands",
        _options(any_command, common),
        "Invalid input ends a command with exit status 2, and one line on standard error that names the valid values.",
    ]
    return Page("commands/index.md", "Overview", "\n\n".join(parts))


def _page(name: str, parser: argparse.ArgumentParser) -> Page:
    usage = parser.format_usage().replace(f"\n{' ' * len(USAGE)}", "\n").removeprefix(USAGE)
    parts = [f"# fabriscope {name}", as_markdown(parser.description or ""), fenced(usage)]
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.dest not in COMMON]
        if actions:
            title = group.title or ""
            parts += [f"## {TITLES.get(title, title)}", *_description(group), _options(parser, actions)]
    if parser.epilog:
        parts += ["## Notes", *_paragraphs(parser.epilog)]
    return Page(f"commands/{name}.md", name, "\n\n".join(parts))


def _description(group: argparse._ArgumentGroup) -> Iterator[str]:
    if group.description:
        yield as_markdown(" ".join(group.description.split()))


def _options(parser: argparse.ArgumentParser, actions: list[argparse.Action]) -> str:
    formatter = parser._get_formatter()
    return terms(
        (f"`{formatter._format_action_invocation(action)}`", as_markdown(formatter._expand_help(action)))
        for action in actions
    )


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a plain text in Markdown; indented lines are columns."""
    for paragraph in text.strip("\n").split("\n\n"):
        lines = paragraph.split("\n")
        columns = [line for line in lines if line.startswith("  ")]
        prose = " ".join(line for line in lines if line not in columns)
        if prose:
            yield as_markdown(prose)
        if columns:
            yield fenced(dedent("\n".join(columns)))
