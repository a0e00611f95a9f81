"""The thumbnail of a tour's scene: its machine with loads, from the scene's camera."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.state import State
from app.model.state_groups import StyleState
from app.session.scene_state import SceneSetting
from app.session.scenes import SceneEvaluations
from app.style.theme import Theme
from app.views.machine.geometry import MachineGeometry, shading_of
from app.views.machine.paint import fit
from app.views.machine.picture import Picture, paint_scene
from app.views.machine.scene import compose

SIZE = 480.0, 270.0
"""Size for which the machine is composed; the picture is scaled down."""


def scene_thumbnail(
    number: int, scenes: SceneEvaluations, theme: Theme, width: int, height: int, ratio: float
) -> QImage:
    """Return the picture of a scene, in logical pixels; callable from any thread.

    Raises SpecError: if the scene cannot be built, or its machine has no such part.
    """
    evaluation, scene = scenes.evaluation(number), scenes.tour.scenes[number]
    setting = SceneSetting.of(number, scenes)._replace(step=None)
    state = setting.applied(State(evaluation.case.scenario, evaluation, style=StyleState(theme.scaled(1.0))))
    geometry = MachineGeometry(evaluation.case.network)
    camera = fit(geometry, SIZE, seen=scene.camera)
    shading = shading_of(geometry, state)
    composed = compose(geometry, shading, camera, SIZE, scene.hottest_percent)
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    painter.scale(width / SIZE[0], height / SIZE[1])
    paint_scene(Picture(painter, composed, camera, SIZE, state, QRectF()))
    painter.resetTransform()
    _frame(painter, theme, image)
    painter.end()
    return image


def error_thumbnail(theme: Theme, width: int, height: int, ratio: float) -> QImage:
    """Return the picture for a scene that cannot be shown."""
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    font = painter.font()
    font.setPixelSize(max(height // 7, 8))
    painter.setFont(font)
    painter.setPen(QColor(theme.bad))
    painter.drawText(QRectF(0, 0, width, height), Qt.AlignmentFlag.AlignCenter, "cannot be shown")
    _frame(painter, theme, image)
    painter.end()
    return image


def _frame(painter: QPainter, theme: Theme, image: QImage) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QColor(theme.border))
    painter.drawRect(QRectF(image.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
