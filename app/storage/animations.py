"""Animations as GIF or MP4, written frame by frame to an ffmpeg process."""

import logging
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PySide6.QtGui import QImage

from core.files.atomic import write_atomically
from core.spec import SpecError

RATES = {".mp4": 30, ".gif": 10}
"""Frames a second, by ending: some viewers show GIFs no faster."""
PALETTES = (
    "[0:v]format=gbrp,mpdecimate=hi=1:lo=1:frac=1:max=50,format=rgb24,split[a][b];"
    "[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none"
)
"""ffmpeg filters: a palette of 256 colours for each frame; equal frames are merged, up to five seconds."""
LAST_HUNDREDTHS = "150"
"""Hundredths of a second for which the last frame of a GIF is shown before it restarts."""
OPTIONS: dict[str, dict[str, Any]] = {
    ".mp4": {"codec": "libx264", "quality": 7, "output_params": ["-preset", "veryfast"]},
    ".gif": {
        "codec": "gif",
        "pix_fmt_out": "pal8",
        "output_params": ["-filter_complex", PALETTES, "-final_delay", LAST_HUNDREDTHS],
    },
}


class Animation:
    """An animation being written, of frames of one size; there is no file at its path before it is finished.

    Raises SpecError: if its ending is none of `RATES`.
    """

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        self._path, self._ending = path, path.suffix.lower()
        if self._ending not in RATES:
            raise SpecError("--out", f"{path.name!r} has none of the endings {', '.join(RATES)}")
        # MP4 needs even sizes, as it halves the resolution of colours.
        self._size = size[0] // 2 * 2, size[1] // 2 * 2
        self._folder = TemporaryDirectory(prefix="fabriscope-")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="animation")
        self._stream: Generator[None, bytes | None, None] | None = None
        """The ffmpeg writer, from the first frame on."""
        self._written: Future[None] | None = None
        self._dropped = False

    @property
    def busy(self) -> bool:
        """Return whether the last frame, or the file, is still being written."""
        return self._written is not None and not self._written.done()

    def add(self, image: QImage, times: int = 1) -> None:
        """Write a frame, so many times; wait for the one before.

        Raises SpecError: if ffmpeg cannot be run, or stops.
        """
        self.wait()
        pixels = image.copy(0, 0, *self._size).convertToFormat(QImage.Format.Format_RGB888)
        # Rows of an image are padded.
        lines = np.frombuffer(pixels.constBits(), np.uint8).reshape(self._size[1], pixels.bytesPerLine())
        self._written = self._thread.submit(self._send, lines[:, : 3 * self._size[0]].tobytes(), times)

    def wait(self) -> None:
        """Wait until the last frame, or the file, is written.

        Raises SpecError: if ffmpeg cannot be run, or stops.
        """
        try:
            if self._written is not None:
                self._written.result()
        except (OSError, RuntimeError) as error:
            raise SpecError("--out", f"{self._path.name} cannot be written: {str(error).splitlines()[0]}") from error

    def finish(self) -> None:
        """Begin to finish the file and move it to its path; `wait` reports the result.

        Raises SpecError: if a picture could not be written.
        """
        self.wait()
        self._written = self._thread.submit(self._put)

    def drop(self) -> None:
        """Discard all that was written, without waiting."""
        self._dropped = True
        self._thread.submit(self._clean)
        self._thread.shutdown(wait=False)

    @property
    def _part(self) -> Path:
        return Path(self._folder.name) / f"part{self._ending}"

    def _begin(self) -> Generator[None, bytes | None, None]:
        # Imported on first use, not at the start of the window.
        import imageio_ffmpeg

        # An error of a film cancelled before its first frame is not logged.
        logging.getLogger("imageio_ffmpeg").setLevel(logging.ERROR)
        options = OPTIONS[self._ending]
        stream: Generator[None, bytes | None, None] = imageio_ffmpeg.write_frames(
            str(self._part),
            self._size,
            fps=RATES[self._ending],
            macro_block_size=2,
            ffmpeg_log_level="error",
            **options,
        )
        stream.send(None)
        return stream

    def _send(self, pixels: bytes, times: int) -> None:
        if self._stream is None:
            self._stream = self._begin()
        for _ in range(times):
            if self._dropped:
                break
            self._stream.send(pixels)

    def _put(self) -> None:
        assert self._stream is not None
        self._stream.close()
        if not self._dropped:
            write_atomically(self._path, self._part.read_bytes(), "--out")

    def _clean(self) -> None:
        if self._stream is not None:
            with suppress(OSError, RuntimeError):
                self._stream.close()
        self._folder.cleanup()
