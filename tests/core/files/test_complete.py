"""Truncated or damaged files are not complete, for files of every library."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PySide6.QtCore import QBuffer, QIODevice, QRect
from PySide6.QtGui import QImage, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from core.files.atomic import write_atomically
from core.files.complete import CHECKS, is_complete
from core.spec import SpecError


def drawn(device):
    painter = QPainter(device)
    painter.drawText(20, 20, "a drawing")
    painter.fillRect(QRect(5, 5, 40, 30), "#a03050")
    painter.end()


def by_qt(form):
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if form == ".svg":
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        drawn(generator)
    elif form == ".pdf":
        drawn(QPdfWriter(buffer))
    else:
        image = QImage(64, 48, QImage.Format.Format_RGB32)
        image.fill("white")
        drawn(image)
        image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def box(name, content):
    return (len(content) + 8).to_bytes(4, "big") + name + content


def content_of(form):
    stream = io.BytesIO()
    if form == ".parquet":
        pq.write_table(pa.table({"load": np.arange(1000)}), stream)
    elif form == ".npz":
        np.savez_compressed(stream, load=np.arange(1000))
    elif form == ".html":
        stream.write(b"<!doctype html>\n<html><body><p>loads</p></body></html>\n")
    elif form == ".gif":
        stream.write(b"GIF89a" + bytes(30) + b";")
    elif form == ".mp4":
        stream.write(box(b"ftyp", b"isom") + box(b"mdat", bytes(200)) + box(b"moov", bytes(100)))
    else:
        stream.write(by_qt(form))
    return stream.getvalue()


@pytest.mark.parametrize("form", CHECKS)
def test_a_truncated_file_replaces_no_file(tmp_path, qapp, form):
    content, path = content_of(form), tmp_path / f"file{form}"
    write_atomically(path, content, "--out", form)
    last = len(content.rstrip()) - 1
    for end in (*range(0, last, len(content) // 20 + 1), last):
        assert not is_complete(content[:end], form), end
        with pytest.raises(SpecError, match=f"file{form} cannot be written: its {form} content is incomplete"):
            write_atomically(path, content[:end], "--out", form)
    assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("form", [".png", ".npz"])
def test_a_changed_byte_breaks_the_checksum(qapp, form):
    content = bytearray(content_of(form))
    content[len(content) // 2] ^= 0x55
    assert not is_complete(bytes(content), form)


def test_formats_without_a_check_are_accepted():
    assert is_complete(b"", ".csv")
