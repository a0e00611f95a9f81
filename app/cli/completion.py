"""`completion`: a shell completion script for commands, options, choices, files and names."""

import argparse
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from app.cli.options import declare_epilog

EPILOG = """\
bash    add to ~/.bashrc:  eval "$(fabriscope completion bash)"
zsh     add to ~/.zshrc:   eval "$(fabriscope completion zsh)"
fish    run once:          fabriscope completion fish > ~/.config/fish/completions/fabriscope.fish
"""
SHELLS = ("bash", "zsh", "tcsh", "fish", "powershell")
Completion = dict[str, Any]
"""How each shell completes an argument."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the completion script for a shell."""
    from shtab import complete

    from app.cli.main import parser_of  # circular at the top

    options.live.end()
    parser = parser_of(None)
    for name, command in _commands(parser).items():
        for action in command._actions:
            _hint(action, name)
    print(complete(parser, options.shell))
    return 0


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (table,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    commands: dict[str, argparse.ArgumentParser] = table.choices
    return commands


def _hint(action: Any, command: str) -> None:
    # Set the choices of an argument; the parser is used for completion only.
    from shtab import FILE

    from app.cli.help import topics
    from app.wording.reference import CHOICES, SPELLED
    from core.files.export import kinds
    from core.spec import members

    names = _names_of(action, command)
    if names:
        action.complete = names
    elif action.type is Path:
        action.complete = FILE
    elif action.dest == "topic":
        action.choices = topics()
    elif action.metavar == "LEVEL":
        action.choices = _levels()
    elif action.option_strings == ["--to"] and command == "export":
        action.choices = list(kinds())
    elif action.dest in SPELLED and action.choices is None:
        action.choices = [spec.tag() for spec in members(CHOICES[action.dest])]
    elif action.choices is not None:
        action.choices = list(action.choices)  # shtab would take a mapping for commands


def _names_of(action: Any, command: str) -> Completion | None:
    """Return how an argument that takes a file or a name is completed; None for other arguments."""
    from app.storage.presets import preset_names
    from app.storage.studies import study_names
    from app.storage.tours import SUFFIX as TOUR_SUFFIX
    from app.storage.tours import tour_names

    if action.dest == "networks":
        return _names_or_files("networks", [*_families(), *preset_names()], "*.json")
    if action.option_strings or action.dest not in ("file", "a", "b") or action.type is not Path:
        return None
    if command == "study":
        return _names_or_files("studies", [*study_names(), *preset_names()], "*.json")
    if command == "tour":
        return _names_or_files("tours", tour_names(), f"*{TOUR_SUFFIX}")
    if command == "film" or (command == "page" and action.dest == "file"):
        return _names_or_files("films", [*tour_names(), *preset_names()], "*.json")
    return _names_or_files("scenarios", preset_names(), "*.json")


def _levels() -> list[str]:
    """Return the names of levels that are one word: of all families, with their usual sizes."""
    from core.network import AnyNetwork
    from core.network.network import NetworkSpec
    from core.network.nics import HOST
    from core.optimise.move_constraints import NODE, SOCKET, TASK
    from core.spec import NoFile, members

    families = cast("tuple[type[NetworkSpec], ...]", members(AnyNetwork))
    names = dict.fromkeys((TASK, SOCKET, NODE, HOST))
    for family in families:
        with suppress(NoFile):
            names |= dict.fromkeys(level.name for level in family().build().levels)
    return [name for name in names if " " not in name]


def _families() -> list[str]:
    from app.cli.list import machines
    from core.network import AnyNetwork
    from core.spec import members

    return [*(spec.tag() for spec in members(AnyNetwork)), *(row.name for row in machines() if row.name.isalnum())]


def _names_or_files(kind: str, names: Iterable[str], pattern: str) -> Completion:
    """Return completion by names, files that match a pattern, and folders."""
    from shtab import FILE

    words, function = " ".join(names), f"_fabriscope_{kind}"
    return FILE | {
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
        "preamble": {
            "bash": f"{function}() {{\n"
            f"  compgen -W '{words}' -- $1\n"
            f"  compgen -f -X '!{pattern}' -- $1\n"
            "  compgen -d -S '/' -- $1\n"
            "}",
            "zsh": f"{function}() {{\n"
            f"  _alternative '{kind}:{kind}:({words})' 'files:file:_files -g \"{pattern}\"'\n"
            "}",
            "fish": f"function {function}\n  string split ' ' '{words}'\n  __fish_complete_path (commandline -ct)\nend",
        },
    }
