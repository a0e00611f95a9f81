"""pyqtgraph with the options of this program."""

import os

# Otherwise pyqtgraph would use PyQt6 if it is installed.
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

import pyqtgraph as pg

pg.setConfigOptions(antialias=False, mouseRateLimit=-1, imageAxisOrder="row-major", exitCleanup=False)

__all__ = ["pg"]
