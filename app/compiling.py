"""What the command line says of compiling: one line on standard error."""

import sys

from core.kernels import news


class Teller:
    """Says on standard error, once each, what is worth it."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def begin(self) -> None:
        """Say nothing yet."""

    def end(self) -> None:
        """Say nothing."""

    def unkept(self, reason: str) -> None:
        """Say why every start is slow."""
        self._say(f"compiled code can be kept nowhere, so every start compiles it anew: {reason}")

    def _say(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            sys.stderr.write(f"fabriscope: {line}\n")


_teller = Teller()


def tell_on_terminal() -> None:
    """Let the command line tell of compiling from now on."""
    news.listen(_teller)
