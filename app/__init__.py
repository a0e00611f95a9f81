"""The window: everything that draws or listens."""

import os

from core import __version__ as __version__

# vispy picks a Qt binding on import; this settles it before.
os.environ.setdefault("QT_API", "pyside6")
