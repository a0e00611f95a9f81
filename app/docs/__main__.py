"""Writes the sources of the site: ``python -m app.docs FOLDER``, as `make docs` does."""

import sys
from pathlib import Path

from app.cli.picture import offscreen
from app.cli.streams import complain
from app.docs.tutorial import TutorialError


def main(folder: Path) -> int:
    """Write the sources; return the exit status."""
    with offscreen():
        from app.docs.site import write

        try:
            write(folder)
        except TutorialError as error:
            complain(str(error), "docs")
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
