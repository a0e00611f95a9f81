"""The option to insist on work that takes minutes."""

import argparse

from app.background.patience import OPTION as OPTION
from app.background.patience import refuse_minutes as refuse_minutes


def declare_insistence(parser: argparse.ArgumentParser) -> None:
    """Add the option to insist to the parser."""
    parser.add_argument(OPTION, action="store_true", help="take minutes where it takes minutes")
