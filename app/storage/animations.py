"""Animations as GIF or MP4, written frame by frame to an ffmpeg process."""

import re
import signal
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile

import numpy as np
from PySide6.QtGui import QImage

from core.files.atomic import check_place, part_for_program, reported, shown
from core.files.complete import is_complete
from core.optional import check_installed, optional
from core.spec import SpecError

FIELD = "--out"
RATES = {".mp4": 30, ".gif": 10}
"""Frames per second by ending; some viewers show GIFs no faster."""
PALETTES = (
    "[0:v]format=gbrp,mpdecimate=hi=1:lo=1:frac=1:max=50,format=rgb24,split[a][b];"
    "[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none"
)
"""ffmpeg filters: a palette of 256 colours per frame; up to five seconds of equal frames are merged."""
LAST_HUNDREDTHS = "150"
"""Hundredths of a second for which the last frame of a GIF is shown before it restarts."""
CODECS: dict[str, list[str]] = {
    ".mp4": ["-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", "15", "-preset", "veryfast"],
    ".gif": ["-vcodec", "gif", "-pix_fmt", "pal8", "-filter_complex", PALETTES, "-final_delay", LAST_HUNDREDTHS],
}
"""ffmpeg options, by ending."""
DECODE = ["-nostdin", "-v", "error", "-xerror", "-i", "{path}", "-f", "null", "-"]
"""ffmpeg options to decode a whole film and stop at the first error."""
ADDRESS = re.compile(r"^\[.*? @ 0x[0-9a-f]+\] *")
"""The location in ffmpeg's code that precedes a message."""
MAX_STDERR = 4096
"""Maximum bytes of ffmpeg's messages that are read."""


class Animation:
    """An animation that is being written, with frames of equal size.

    `source` is recorded in MP4 files; GIF files written by ffmpeg have no comments.

    ffmpeg writes a temporary file in the folder of `path`. It is moved to `path` once ffmpeg has ended successfully and
    has decoded it.

    Raises SpecError: if the ending is not in `RATES`, the file cannot be written, or ffmpeg is not installed.
    """

    def __init__(self, path: Path, size: tuple[int, int], source: str = "") -> None:
        self._path, self._ending = path, path.suffix.lower()
        check_place(path, FIELD, RATES)
        check_installed("imageio_ffmpeg", "film", FIELD)
        # MP4 requires even sizes, since it halves the resolution of colours.
        self._size = size[0] // 2 * 2, size[1] // 2 * 2
        self._source = ["-metadata", f"comment={source}"] if source else []
        self._part = part_for_program(path, FIELD, self._ending)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="animation")
        self._encoder: Ffmpeg | None = None
        """Started with the first frame."""
        self._written: Future[None] | None = None
        self._dropped = False

    @property
    def busy(self) -> bool:
        """Return whether the last frame, or the file, is still being written."""
        return self._written is not None and not self._written.done()

    def add(self, image: QImage, times: int = 1) -> None:
        """Wait for the previous frame, then write a frame `times` times.

        Raises SpecError: if ffmpeg cannot be run, or stops.
        """
        self.wait()
        pixels = image.copy(0, 0, *self._size).convertToFormat(QImage.Format.Format_RGB888)
        # The rows of a QImage are padded.
        lines = np.frombuffer(pixels.constBits(), np.uint8).reshape(self._size[1], pixels.bytesPerLine())
        self._written = self._thread.submit(self._send, lines[:, : 3 * self._size[0]].tobytes(), times)

    def wait(self) -> None:
        """Wait until the last frame, or the file, is written.

        Raises SpecError: if ffmpeg cannot be run, or stops.
        """
        with reported(self._path, FIELD):
            try:
                if self._written is not None:
                    self._written.result()
            except RuntimeError as error:
                raise SpecError(FIELD, f"{shown(self._path.name)} cannot be written: {shown(str(error))}") from error

    def finish(self) -> None:
        """Begin to finish the file and move it to its path; `wait` reports the result.

        Raises SpecError: if a picture could not be written.
        """
        self.wait()
        self._written = self._thread.submit(self._put)

    def drop(self) -> None:
        """Discard everything written, without waiting."""
        self._dropped = True
        self._thread.submit(self._clean)
        self._thread.shutdown(wait=False)

    def _send(self, pixels: bytes, times: int) -> None:
        if self._encoder is None:
            size = f"{self._size[0]}x{self._size[1]}"
            frames = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(RATES[self._ending]), "-i", "-"]
            written = [*CODECS[self._ending], *self._source, str(self._part.path)]
            self._encoder = Ffmpeg(["-y", "-v", "error", *frames, "-an", *written])
        for _ in range(times):
            if self._dropped:
                break
            self._encoder.send(pixels)

    def _put(self) -> None:
        assert self._encoder is not None
        self._encoder.end()
        if self._dropped:
            return
        if not self._complete():
            raise RuntimeError("ffmpeg ended before the film was complete")
        Ffmpeg([word.format(path=self._part.path) for word in DECODE]).end()
        if not self._dropped:
            self._part.commit()

    def _complete(self) -> bool:
        if not self._part.path.stat().st_size:
            return False  # an empty file cannot be mapped
        with self._part.path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
            return is_complete(content, self._ending)

    def _clean(self) -> None:
        if self._encoder is not None:
            self._encoder.kill()
        self._part.discard()


class Ffmpeg:
    """A running ffmpeg process that reads from a pipe.

    Raises RuntimeError: if ffmpeg cannot be run.
    """

    def __init__(self, arguments: list[str]) -> None:
        command = [optional("imageio_ffmpeg", "film", FIELD).get_ffmpeg_exe(), *arguments]
        # A file, since an unread pipe would block ffmpeg when it is full.
        self._messages = TemporaryFile()  # noqa: SIM115 closed when the process ends
        try:
            # A separate session, so that Ctrl-C in a terminal reaches only this program, which then ends ffmpeg.
            self._process = Popen(command, stdin=PIPE, stdout=DEVNULL, stderr=self._messages, start_new_session=True)
        except OSError as error:
            self._messages.close()
            raise RuntimeError(f"ffmpeg cannot be run: {error.strerror}") from error

    def send(self, content: bytes) -> None:
        """Write to the input of ffmpeg.

        Raises RuntimeError: if it has stopped, with its message.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(content)
        except BrokenPipeError:
            self.end()
            raise RuntimeError("ffmpeg stopped reading") from None

    def end(self) -> None:
        """Close the input of ffmpeg and wait for it to end.

        Raises RuntimeError: if its exit status is not 0, with its message.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        status = self._process.wait()
        message = self._last_message()
        if status:
            raise RuntimeError(f"ffmpeg failed: {message or _cause(status)}")

    def kill(self) -> None:
        """End ffmpeg immediately."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        self._messages.close()

    def _last_message(self) -> str:
        with self._messages as file:
            file.seek(0)
            lines = file.read(MAX_STDERR).decode(errors="replace").strip().splitlines()
        return ADDRESS.sub("", lines[-1]).strip() if lines else ""


def _cause(status: int) -> str:
    return f"exit status {status}" if status > 0 else signal.strsignal(-status) or f"signal {-status}"
