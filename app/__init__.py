"""The window: everything that draws or listens."""

import os

# vispy picks a Qt binding on import; this settles it before.
os.environ.setdefault("QT_API", "pyside6")

__version__ = "0.1.0"
