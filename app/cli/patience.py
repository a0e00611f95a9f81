"""The option that allows work of several minutes."""

import argparse

from app.background.patience import OPTION as OPTION
from app.background.patience import refuse_minutes as refuse_minutes


def declare_patience(parser: argparse.ArgumentParser) -> None:
    """Add --patient to the parser."""
    parser.add_argument(OPTION, action="store_true", help="allow computations that take minutes")
