"""Animations as GIF or MP4, written picture by picture by ffmpeg, which runs beside this program."""

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
"""Pictures a second, by ending: viewers show no GIF faster than about this everywhere."""
PALETTES = (
    "[0:v]format=gbrp,mpdecimate=hi=1:lo=1:frac=1:max=50,format=rgb24,split[a][b];"
    "[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none"
)
"""What makes 256 colours of each picture its own, and one picture of those alike, for five seconds at most."""
LAST_HUNDREDTHS = "150"
"""Hundredths of a second that the last picture of a GIF is seen before it begins again."""
OPTIONS: dict[str, dict[str, Any]] = {
    ".mp4": {"codec": "libx264", "quality": 7, "output_params": ["-preset", "veryfast"]},
    ".gif": {
        "codec": "gif",
        "pix_fmt_out": "pal8",
        "output_params": ["-filter_complex", PALETTES, "-final_delay", LAST_HUNDREDTHS],
    },
}


class Animation:
    """A file that grows by pictures of one size; nothing stands at its path before it is finished.

    Raises SpecError: if its ending is none of `RATES`.
    """

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        self._path, self._ending = path, path.suffix.lower()
        if self._ending not in RATES:
            raise SpecError("--out", f"{path.name!r} has none of the endings {', '.join(RATES)}")
        # MP4 halves the resolution of colours.
        self._size = size[0] // 2 * 2, size[1] // 2 * 2
        self._folder = TemporaryDirectory(prefix="fabriscope-")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="animation")
        self._stream: Generator[None, bytes | None, None] | None = None
        """Where pictures go, from the first on."""
        self._written: Future[None] | None = None
        self._dropped = False

    @property
    def busy(self) -> bool:
        """Return whether the last picture, or the file, is not written yet."""
        return self._written is not None and not self._written.done()

    def add(self, image: QImage, times: int = 1) -> None:
        """Write a picture, so many times; wait for the one before.

        Raises SpecError: if ffmpeg cannot be run, or stops.
        """
        self.wait()
        pixels = image.copy(0, 0, *self._size).convertToFormat(QImage.Format.Format_RGB888)
        # Lines of an image are padded.
        lines = np.frombuffer(pixels.constBits(), np.uint8).reshape(self._size[1], pixels.bytesPerLine())
        self._written = self._thread.submit(self._send, lines[:, : 3 * self._size[0]].tobytes(), times)

    def wait(self) -> None:
        """Wait until the last picture, or the file, is written.

        Raises SpecError: if ffmpeg cannot be run, or stops.
        """
        try:
            if self._written is not None:
                self._written.result()
        except (OSError, RuntimeError) as error:
            raise SpecError("--out", f"{self._path.name} cannot be written: {str(error).splitlines()[0]}") from error

    def finish(self) -> None:
        """Begin to put the file, of one picture or more, into its place: `wait` tells how that goes.

        Raises SpecError: if a picture could not be written.
        """
        self.wait()
        self._written = self._thread.submit(self._put)

    def drop(self) -> None:
        """Forget all that was written, without waiting for what is being written."""
        self._dropped = True
        self._thread.submit(self._clean)
        self._thread.shutdown(wait=False)

    @property
    def _part(self) -> Path:
        return Path(self._folder.name) / f"part{self._ending}"

    def _begin(self) -> Generator[None, bytes | None, None]:
        # Loaded when first needed, and not with the window.
        import imageio_ffmpeg

        # What is given up before its first picture is nobody's concern.
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
