"""Options that several commands have in common."""

import argparse

from app.cli.whole_number import whole_number, workers

THEMES = ("dark", "light")


def declare_epilog(parser: argparse.ArgumentParser, text: str) -> None:
    """Add a text below the options, whose lines are printed as they are."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = text


def declare_number(
    parser: "argparse._ActionsContainer", option: str, limits: tuple[int, int], default: int, words: str,
    *, metavar: str = "N",
) -> None:  # fmt: skip
    """Add an option that is a whole number between two limits; `words` describe it, without its default."""
    parser.add_argument(
        option, type=whole_number(*limits), default=default, metavar=metavar, help=f"{words} (default: {default})"
    )


def declare_theme(parser: argparse.ArgumentParser, default: str) -> None:
    """Add --theme to the parser."""
    parser.add_argument("--theme", choices=THEMES, default=default, help=f"colours (default: {default})")


def declare_workers(parser: argparse.ArgumentParser, default: int | None = None, note: str = "all cores") -> None:
    """Add --workers to the parser; `note` describes the default."""
    parser.add_argument(
        "--workers", type=workers, default=default, metavar="N", help=f"number of processes (default: {note})"
    )


def declare_cluster(parser: argparse.ArgumentParser) -> None:
    """Add --cluster to the parser."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="use all workers of the Dask scheduler at tcp://HOST:PORT instead of local processes",
    )
