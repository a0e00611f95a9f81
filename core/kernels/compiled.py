"""How a kernel is compiled: once for Python, which calls it, and once for other kernels, into which its code goes.

numba makes of every function code that Python can call and machine code of its own, also where only compiled functions
call it, and has LLVM improve it each time it is put into another. Here that is done once, for what Python calls, with
all that it calls inside: a third of the time.
"""

from collections.abc import Callable
from typing import Any

from numba.core import config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from core.kernels.kept import Kept

# Division by zero gives what it does in numpy, without a test each time.
OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}


def called_from_python(function: Callable[..., Any]) -> Any:
    """Return the function as Python calls it, its compiled code kept in the user's folder."""
    if config.DISABLE_JIT:
        return function
    made = CPUDispatcher(function, targetoptions=OPTIONS, pipeline_class=_CompiledForPython)
    # In place of numba's own cache, which knows a kernel by its own file only and not by what it calls.
    made._cache = Kept(function)
    return made


def called_from_kernels(function: Callable[..., Any], forceinline: bool) -> Any:
    """Return the function as other kernels call it."""
    return _Inner(function, targetoptions=OPTIONS | {"forceinline": forceinline}, pipeline_class=_CompiledForKernels)


class _Inner(CPUDispatcher):
    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the version for a call from a kernel with arguments of these kinds."""
        # One version for all whole numbers, not others for constants and for what an array holds.
        return super().get_call_template([_plain(kind) for kind in args], kws)

    def add_overload(self, result: Any) -> None:
        """Note a version that was compiled."""
        # It begins nowhere by itself; numba knows it by this all the same.
        known = result._replace(entry_point=object())
        self.targetctx.insert_user_function(known.entry_point, known.fndesc, [known.library])
        self.overloads[tuple(known.signature.args)] = known


def _plain(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


class _Part(JITCodeLibrary):
    """Code that waits to be put into that of a caller."""

    def finalize(self) -> None:
        """End without improving anything: the caller's code is improved as a whole."""
        self._finalized = True


class _Whole(JITCodeLibrary):
    """Code together with all that it calls, directly or not."""

    def add_linking_library(self, library: Any) -> None:
        """Take in what is called, and what that calls."""
        if library not in self._linking_libraries:
            super().add_linking_library(library)
            for other in library._linking_libraries if isinstance(library, _Part) else ():
                self.add_linking_library(other)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweredForPython(NativeLowering):
    _name = "lowered_for_python"

    def run_pass(self, state: Any) -> bool:
        """Make code that goes to the cache as a whole; return whether anything was made."""
        state.library = _Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweredForKernels(NativeLowering):
    _name = "lowered_for_kernels"

    def run_pass(self, state: Any) -> bool:
        """Make code without an entry for Python; return whether anything was made."""
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        # Only from here on: numba compiles what it brings itself (np.zeros) anew for callers with other flags.
        state.flags = state.flags.copy()
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        return bool(super().run_pass(state))


class _CompiledForPython(Compiler):
    lowering: type = _LoweredForPython

    def define_pipelines(self) -> Any:
        """Return numba's passes, with the lowering of this compiler in place of its own."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if one is NativeLowering else one, text) for one, text in passes.passes]
        passes.finalize()
        return [passes]


class _CompiledForKernels(_CompiledForPython):
    lowering = _LoweredForKernels
