"""Compiled code on disk, which later starts find there."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from core.kernels import news
from core.kernels.folder import Folder
from core.kernels.lean import lean_import


class Kept:
    """The compiled code of one kernel: a file for each signature. Called by numba, which holds a lock meanwhile."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._package = function.__module__.partition(".")[0]

    @property
    def cache_path(self) -> str:
        """Return where the files are."""
        return str(_folder(self._package).path)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what was compiled for a signature; None: it has to be compiled."""
        # Of all that numba can compile, which takes as long to load as numba, compiled code needs but this.
        rtsys.initialize(context)
        with lean_import():
            # No file, or whatever a crash of the machine has left of one: it is written anew.
            with suppress(Exception):
                content = _folder(self._package).read(self._file(signature))
                return CompileResult._rebuild(context, *pickle.loads(content))
            context.refresh()
        news.begin()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what has been compiled, if there is a place for it."""
        news.end()
        if not result.lifted and not result.library.has_dynamic_globals:
            _folder(self._package).keep(self._file(signature), dumps(result._reduce()))

    def flush(self) -> None:
        """Keep what is there: whatever is compiled anew replaces it."""

    def _file(self, signature: Any) -> str:
        digest = blake2b(repr(signature).encode(), digest_size=8).hexdigest()
        return f"{self._name}-{digest}"


@cache
def _folder(package: str) -> Folder:
    return Folder(package)
