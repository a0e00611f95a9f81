"""Links with little load are visible in pictures, however many share the space and however thin they are."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from app.cli.picture import _painter_of
from app.session.session import Session
from app.storage.pictures import picture_content
from app.storage.presets import preset
from app.style.theme import DARK, LIGHT
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit

SIZE = (1200, 750)


@pytest.fixture(scope="module")
def training(qapp):
    session = Session.of(preset("training-1024-gpus"), sync=True)
    yield session
    session.close()


def drawn(ending, paint, theme):
    content = picture_content(ending, SIZE, theme, paint)
    image = QImage.fromData(content) if ending == ".png" else QImage(*SIZE, QImage.Format.Format_RGB32)
    if ending == ".svg":
        painter = QPainter(image)
        QSvgRenderer(content).render(painter)
        painter.end()
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(SIZE[1], image.bytesPerLine())
    return rows[:, : 3 * SIZE[0]].reshape(SIZE[1], SIZE[0], 3).astype(int)


@pytest.mark.parametrize("ending", [".png", ".svg"])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_cold_links_between_leaves_and_spines_are_seen(training, theme, ending):
    training.set_theme(theme)
    report = training.state.report
    network, classes = report.case.network, [link_class.name for link_class in report.case.network.classes]
    spine = np.flatnonzero(network.class_of == classes.index("spine"))
    assert report.utilisation[spine].max() < 0.05
    geometry = MachineGeometry(network)
    at = fit(geometry, SIZE, HEAD).project(geometry.layout.positions, SIZE)[:, :2]
    ends = at[np.concatenate([network.src[spine], network.dst[spine]])]
    (left, top), (right, bottom) = ends.min(axis=0).astype(int), ends.max(axis=0).astype(int)
    margin = (bottom - top) // 4  # clear of the switches
    pixels = drawn(ending, _painter_of("machine", training, SIZE, None), theme)
    between = pixels[top + margin : bottom - margin, left + margin : right - margin]
    contrast = np.abs(between - QColor(theme.panel).getRgb()[:3]).max(axis=2)
    assert np.median(contrast) >= 15
    assert (contrast >= 3).mean() > 0.8
