"""The palette and the font of a theme, and the theme that matches the desktop."""

from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette

from app.style.theme import DARK, LIGHT, Theme


def palette_of(theme: Theme) -> QPalette:
    """Return the palette in a theme's colours."""
    role, palette = QPalette.ColorRole, QPalette()
    colours = {
        theme.window: (role.Window, role.Button),
        theme.panel: (role.Base, role.AlternateBase, role.ToolTipBase),
        theme.text: (role.WindowText, role.Text, role.ButtonText, role.ToolTipText),
        theme.dim: (role.PlaceholderText,),
        theme.accent: (role.Highlight, role.Link),
        theme.on_accent: (role.HighlightedText,),
    }
    for colour, roles in colours.items():
        for colour_role in roles:
            palette.setColor(colour_role, QColor(colour))
    for colour_role in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, colour_role, QColor(theme.dim))
    return palette


def font_of(theme: Theme, factor: float = 1.0) -> QFont:
    """Return the desktop's font at the scale of a theme, times a factor."""
    font = QFont(_desktop_font())
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * theme.scale * factor)
    else:
        font.setPixelSize(max(round(font.pixelSize() * theme.scale * factor), 1))
    return font


@cache
def _desktop_font() -> QFont:
    # Cached before the window sets another application font.
    return QGuiApplication.font()


def system_theme() -> Theme:
    """Return the theme that matches the desktop's colours, or the dark theme if these are unknown."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return LIGHT if scheme == Qt.ColorScheme.Light else DARK
