"""pyqtgraph with the options of this program."""

import os

# It would take PyQt6 if that is installed too.
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

import pyqtgraph as pg

pg.setConfigOptions(antialias=False, mouseRateLimit=-1, imageAxisOrder="row-major", exitCleanup=False)

__all__ = ["pg"]
