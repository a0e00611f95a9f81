"""Cache of compiled code on disk, for later starts."""

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
from core.kernels.folder import CORE, Folder
from core.kernels.numba_import import lean_import


class KernelCache:
    """Cache of one kernel, a file per signature. numba calls it while holding a lock."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        own = function.__module__.startswith(f"{CORE}.")
        self._package = CORE if own else function.__module__.partition(".")[0]

    @property
    def cache_path(self) -> str:
        """Return the folder of the files."""
        return str(_folder(self._package).path)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code compiled for a signature, or None if it is not cached."""
        # All that cached code needs of numba, whose full import takes as long as loading numba itself.
        rtsys.initialize(context)
        folder, file = _folder(self._package), self._file(signature)
        with lean_import():
            code = _read(context, folder, file)
            if code is None:
                folder.take_turn(file)
                # Another process may have compiled it meanwhile.
                code = _read(context, folder, file)
            if code is not None:
                folder.end_turn()
                return code
            context.refresh()
        compile_events.begin()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store compiled code, if there is a folder for it."""
        compile_events.end()
        folder = _folder(self._package)
        if not result.lifted and not result.library.has_dynamic_globals:
            folder.keep(self._file(signature), _content(result))
        folder.end_turn()

    def flush(self) -> None:
        """Do nothing: newly compiled code replaces the old."""

    def _file(self, signature: Any) -> str:
        digest = blake2b(repr(signature).encode(), digest_size=8).hexdigest()
        return f"{self._name}-{digest}"


def _read(context: Any, folder: Folder, file: str) -> Any:
    # A missing file, or one damaged by a crash, is written again.
    with suppress(Exception):
        return _made(context, folder.read(file))
    return None


def _content(result: Any) -> bytes:
    *parts, environments = result._reduce()
    return bytes(
        dumps(
            (
                parts,
                [
                    (environment.globals.get("__name__"), environment.consts, environment.env_name)
                    for environment in environments
                ],
            )
        )
    )


def _made(context: Any, content: bytes) -> Any:
    parts, environments = pickle.loads(content)
    parts.append([_environment(*parts_of_environment) for parts_of_environment in environments])
    return CompileResult._rebuild(context, *parts)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    # As numba does, except for its module that compiles array functions; compiled code uses the names in it.
    environment = Environment._memo.get(name)
    if environment is None:
        environment = Environment._memo[name] = Environment({"__name__": module})
        environment.consts[:] = constants
        environment.env_name = name
    return environment


@cache
def _folder(package: str) -> Folder:
    return Folder(package)
