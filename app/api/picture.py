"""Pictures of scenarios, which notebooks show."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from app.api.errors import arguments_named
from core.files.atomic import check_place

Draw = Callable[[Path], None]
FORMATS = (".png", ".svg", ".pdf")


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture of a scenario; the last line of a notebook cell shows it."""

    view: str
    """The view: ``machine`` or another name of ``fabriscope render --view``."""
    size: tuple[int, int]
    """Width and height in pixels."""
    draw: Draw
    """Draws it into a file with one of the endings `FORMATS`."""

    @cached_property
    def svg(self) -> str:
        """The picture as SVG."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "picture.svg"
            self.draw(path)
            return path.read_text(encoding="utf-8")

    def save(self, path: str | Path) -> Path:
        """Write the picture as PNG, SVG or PDF, by the ending of `path`, and return the path.

        Raises Error: if the ending is another one, or the file cannot be written.
        """
        with arguments_named():
            check_place(Path(path), "path", FORMATS)
            self.draw(Path(path))
        return Path(path)

    def __repr__(self) -> str:
        """Return the view and the size."""
        return f"Picture({self.view!r}, {self.size[0]}x{self.size[1]})"

    def _repr_svg_(self) -> str:
        return self.svg
