"""Compiled code on disk, which later starts find there."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.environment import Environment
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from core.kernels import compile_events
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
                return _made(context, _folder(self._package).read(self._file(signature)))
            context.refresh()
        compile_events.begin()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what has been compiled, if there is a place for it."""
        compile_events.end()
        if not result.lifted and not result.library.has_dynamic_globals:
            _folder(self._package).keep(self._file(signature), _content(result))

    def flush(self) -> None:
        """Keep what is there: whatever is compiled anew replaces it."""

    def _file(self, signature: Any) -> str:
        digest = blake2b(repr(signature).encode(), digest_size=8).hexdigest()
        return f"{self._name}-{digest}"


def _content(result: Any) -> bytes:
    *parts, environments = result._reduce()
    return bytes(dumps((parts, [(one.globals.get("__name__"), one.consts, one.env_name) for one in environments])))


def _made(context: Any, content: bytes) -> Any:
    parts, environments = pickle.loads(content)
    parts.append([_environment(*one) for one in environments])
    return CompileResult._rebuild(context, *parts)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    # As numba does, but for the module, which is all that compiles array functions: compiled code has its names in it.
    known = Environment._memo.get(name)
    if known is None:
        known = Environment._memo[name] = Environment({"__name__": module})
        known.consts[:] = constants
        known.env_name = name
    return known


@cache
def _folder(package: str) -> Folder:
    return Folder(package)
