"""The window: everything that draws or listens."""

import os

# vispy and pyqtgraph each pick a Qt binding on import; this settles it before any of them is imported.
os.environ.setdefault("QT_API", "pyside6")

__version__ = "0.1.0"
