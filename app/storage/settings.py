"""Settings that are kept between starts: recent files, theme, type scale, link values, and the window's layout."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from app.storage.safety_copy import autosave_folder
from app.style.theme import FONT_SCALES

RECENT = 8


class Settings:
    """A typed wrapper of QSettings.

    `autosaves` is the folder for copies of unsaved work; by default in the platform's data folder.
    """

    def __init__(self, store: QSettings | None = None, autosaves: Path | None = None) -> None:
        self._store = store if store is not None else QSettings("fabriscope", "fabriscope")
        self.autosaves = autosaves if autosaves is not None else autosave_folder()

    @property
    def studies(self) -> Path:
        """Return the folder of the results of studies."""
        return self.autosaves.parent / "studies"

    @property
    def recent(self) -> list[Path]:
        """Return the recent files that still exist, newest first."""
        value = self._store.value("recent", [])
        names = value if isinstance(value, list) else [value]
        return [path for path in (Path(str(name)) for name in names) if path.is_file()]

    def add_recent(self, path: Path) -> None:
        """Move a file to the front of the recent files."""
        files = [path.resolve(), *(other for other in self.recent if other != path.resolve())]
        self._store.setValue("recent", [str(file) for file in files[:RECENT]])

    @property
    def theme(self) -> str:
        """Return ``system``, ``dark`` or ``light``."""
        return str(self._store.value("theme", "system"))

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def font_scale(self) -> float:
        """Return the scale of type and marks; 1 if the stored value is not an offered scale."""
        try:
            scale = float(str(self._store.value("font_scale", 1.0)))
        except ValueError:
            return 1.0
        return scale if FONT_SCALES[0] <= scale <= FONT_SCALES[-1] else 1.0

    @font_scale.setter
    def font_scale(self, scale: float) -> None:
        self._store.setValue("font_scale", scale)

    @property
    def link_values(self) -> str:
        """Return the id of the quantity that colours links in scenarios with counters."""
        return str(self._store.value("link_values", "load"))

    @link_values.setter
    def link_values(self, name: str) -> None:
        self._store.setValue("link_values", name)

    @property
    def steps_done(self) -> frozenset[str]:
        """Return the names of the first steps that are done, or all names if the steps were dismissed."""
        return frozenset(filter(None, str(self._store.value("first_steps", "")).split(" ")))

    @steps_done.setter
    def steps_done(self, names: frozenset[str]) -> None:
        self._store.setValue("first_steps", " ".join(sorted(names)))

    @property
    def layout(self) -> str:
        """Return the stored layout of the window's panels as text; empty if there is none."""
        return str(self._store.value("layout", ""))

    @layout.setter
    def layout(self, text: str) -> None:
        self._store.setValue("layout", text)

    def bytes(self, key: str) -> QByteArray | None:
        """Return a stored geometry, or None if there is none."""
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else None

    def set_bytes(self, key: str, value: QByteArray) -> None:
        """Store a geometry."""
        self._store.setValue(key, value)
