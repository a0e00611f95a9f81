"""A Qt signal for kernel compilation, which may happen in any thread."""

from PySide6.QtCore import QObject, Signal

from core.kernels import compile_events


class CompilingSignal(QObject):
    """Lives as long as the program, so that no compiling thread ever destroys a Qt object."""

    changed = Signal(bool)

    def begin(self) -> None:
        """Emit that compiling begins."""
        self.changed.emit(True)

    def end(self) -> None:
        """Emit that it has ended."""
        self.changed.emit(False)

    def no_cache_folder(self, reason: str) -> None:
        """Ignore: only the next start is slower."""


compiling = CompilingSignal()
compile_events.listen(compiling)
