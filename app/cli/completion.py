"""`completion`: a shell completion script for commands, options and choices."""

import argparse
from pathlib import Path
from typing import Any

EPILOG = """\
bash    add to ~/.bashrc:  eval "$(fabriscope completion bash)"
zsh     add to ~/.zshrc:   eval "$(fabriscope completion zsh)"
fish    run once:          fabriscope completion fish > ~/.config/fish/completions/fabriscope.fish
"""
SHELLS = ("bash", "zsh", "tcsh", "fish", "powershell")


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the completion script for a shell."""
    from shtab import complete

    from app.cli.main import parser_of  # circular at the top

    options.live.end()
    parser = parser_of(None)
    for command in _commands(parser):
        for action in command._actions:
            _hint(action)
    print(complete(parser, options.shell))
    return 0


def _commands(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    (table,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return list(table.choices.values())


def _hint(action: Any) -> None:
    # Set the choices of an argument; the parser is used for completion only.
    from shtab import FILE

    from app.cli.help import topics
    from app.wording.reference import CHOICES, SPELLED
    from core.spec import members

    if action.type is Path:
        action.complete = FILE
    elif action.dest == "topic":
        action.choices = topics()
    elif action.dest in SPELLED and action.choices is None:
        action.choices = [spec.tag() for spec in members(CHOICES[action.dest])]
    elif action.choices is not None:
        action.choices = list(action.choices)  # shtab would take a mapping for commands
