"""Compilation of a kernel in two versions: one for calls from Python, one for inclusion in other kernels.

For every function numba generates both a Python entry and machine code, even if only compiled functions call it, and
has LLVM optimise it each time it is linked into another. Here each kernel called from Python is optimised once,
together with all that it calls: a third of the time.
"""

from collections.abc import Callable
from typing import Any

from numba.core import config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from core.kernels.call_types import call_types_remembered
from core.kernels.code_cache import KernelCache

# Division by zero as in numpy, without a check each time.
OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}


def called_from_python(function: Callable[..., Any]) -> Any:
    """Return the function as called from Python; its compiled code is stored in the user's folder."""
    if config.DISABLE_JIT:
        return function
    made = CPUDispatcher(function, targetoptions=OPTIONS, pipeline_class=_CompiledForPython)
    # Replaces numba's cache, whose key is the kernel's own file but not the files of the kernels it calls.
    made._cache = KernelCache(function)
    return made


def called_from_kernels(function: Callable[..., Any], forceinline: bool) -> Any:
    """Return the function as called from other kernels."""
    return _Inner(function, targetoptions=OPTIONS | {"forceinline": forceinline}, pipeline_class=_CompiledForKernels)


class _Inner(CPUDispatcher):
    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the version for a call from a kernel with arguments of these types."""
        # One version for all integers, not separate ones for constants and for array entries.
        return super().get_call_template([_plain(kind) for kind in args], kws)

    def add_overload(self, result: Any) -> None:
        """Register a compiled version."""
        # It has no entry point of its own, but numba needs an identity for it.
        inner = result._replace(entry_point=object())
        self.targetctx.insert_user_function(inner.entry_point, inner.fndesc, [inner.library])
        self.overloads[tuple(inner.signature.args)] = inner


def _plain(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


class _Part(JITCodeLibrary):
    """Code to be linked into its caller."""

    def finalize(self) -> None:
        """Skip optimisation, which happens in the caller as a whole."""
        self._finalized = True


class _Whole(JITCodeLibrary):
    """Code linked with all that it calls, directly or indirectly."""

    def add_linking_library(self, library: Any) -> None:
        """Link called code, and the code that it calls."""
        if library not in self._linking_libraries:
            super().add_linking_library(library)
            for other in library._linking_libraries if isinstance(library, _Part) else ():
                self.add_linking_library(other)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweredForPython(NativeLowering):
    _name = "lowered_for_python"

    def run_pass(self, state: Any) -> bool:
        """Generate code that is cached as a whole; return whether anything was generated."""
        state.library = _Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweredForKernels(NativeLowering):
    _name = "lowered_for_kernels"

    def run_pass(self, state: Any) -> bool:
        """Generate code without a Python entry; return whether anything was generated."""
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        # Set only here: with other flags numba would compile its own functions (np.zeros) again for each caller.
        state.flags = state.flags.copy()
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        return bool(super().run_pass(state))


class _CompiledForPython(Compiler):
    lowering: type = _LoweredForPython

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        with call_types_remembered():
            return super().compile_extra(func)

    def define_pipelines(self) -> Any:
        """Return numba's passes, with the lowering replaced by this compiler's."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if step is NativeLowering else step, text) for step, text in passes.passes]
        passes.finalize()
        return [passes]


class _CompiledForKernels(_CompiledForPython):
    lowering = _LoweredForKernels
