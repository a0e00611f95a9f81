"""Qt signals for kernel compilation, which may happen in any thread."""

from PySide6.QtCore import QObject, Signal, Slot

from app.background.timer import timer
from core.kernels import compile_events

SETTLED_MS = 150
"""Delay until the end of compilation is reported, since the next kernel may be compiled immediately afterwards."""
FIRST_USE = f"{compile_events.COMPILING[:1].upper()}{compile_events.COMPILING[1:]} …"
"""The text that the window shows during compilation."""


class CompilingSignal(QObject):
    """A signal that lives as long as the program, so that no compiling thread ever destroys a Qt object."""

    changed = Signal(bool)

    def begin(self) -> None:
        """Emit that compilation begins."""
        self.changed.emit(True)

    def end(self) -> None:
        """Emit that compilation has ended."""
        self.changed.emit(False)

    def no_cache_folder(self, reason: str) -> None:
        """Do nothing, since only the next start is slower."""


compiling = CompilingSignal()
compile_events.listen(compiling)


class CompilingWatch(QObject):
    """Reports in the GUI thread whether kernels are being compiled, without flicker between kernels."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.active = False
        self._latest = False
        self._settling = timer(self, SETTLED_MS, single_shot=True)
        self._settling.timeout.connect(self._settle)
        compiling.changed.connect(self._on_changed)

    @Slot(bool)
    def _on_changed(self, compiles: bool) -> None:
        self._latest = compiles
        if not self._settling.isActive():
            self._settling.start()

    def _settle(self) -> None:
        if self.active != self._latest:
            self.active = self._latest
            self.changed.emit()
