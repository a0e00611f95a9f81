"""That kernels are being compiled, as a signal: they are in whichever thread asks first, the window is in its own."""

from PySide6.QtCore import QObject, Signal

from core.kernels import compile_events


class CompilingSignal(QObject):
    """Lives as long as the program: no thread that compiles may be the last to know a Qt object."""

    changed = Signal(bool)

    def begin(self) -> None:
        """Emit that compiling begins."""
        self.changed.emit(True)

    def end(self) -> None:
        """Emit that it has ended."""
        self.changed.emit(False)

    def no_cache_folder(self, reason: str) -> None:
        """Say nothing: the window is no slower for it, only its next start."""


compiling = CompilingSignal()
compile_events.listen(compiling)
