"""How is a function compiled with all that it calls?  As one unit, in a library of its own.

By default numba makes a library of every function, with copies of all that it calls, so a leaf function is optimised
and compiled once for every level above it.  Here the called functions are only lowered and compiled with the top
function.  They are internal to the unit, so unused code is dropped.

This relies on numba's internals.  If a version of numba differs, compiled.py does without it.
"""

# mypy: disable-error-code="no-untyped-call, import-untyped, attr-defined"
# numba's compiler and llvmlite have no types.

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import binding
from numba.core import types, untyped_passes
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys
from numba.core.typed_passes import DumpParforDiagnostics, InlineOverloads, NativeLowering

_PART_OPTIONS = {"nopython": True, "nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# Passes for what parts do not use: contexts, closures, inlined functions, literal types.  A quarter of numba's time.
_UNUSED_PASSES = (
    *(untyped_passes.WithLifting, untyped_passes.InlineClosureLikes, untyped_passes.MakeFunctionToJitFunction),
    *(untyped_passes.InlineInlinables, untyped_passes.FindLiterallyCalls, untyped_passes.LiteralUnroll),
    *(untyped_passes.LiteralPropagationSubPipelinePass, InlineOverloads, DumpParforDiagnostics),
)


class _Library(JITCodeLibrary):
    """A library in which the functions named in `parts` are internal."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.parts: set[str] = set()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.name in self.parts:
                function.linkage = binding.Linkage.internal
        super()._optimize_final_module()

    def _optimize_functions(self, module: Any) -> None:
        """Do not optimise each function by itself: all are optimised together."""
        module.data_layout = self._codegen._data_layout

    def _get_module_for_linking(self) -> Any:
        """Keep only function names beside the machine code: no other unit links this one."""
        names = [function.name for function in self.get_defined_functions() if function.name not in self.parts]
        return binding.parse_assembly("\n".join(f'define void @"{name}"() {{ ret void }}' for name in names))


class _Unit:
    """A unit being compiled: its library and the parts in it."""

    def __init__(self) -> None:
        self.library = _Library(cpu_target.target_context.codegen(), "unit")
        self.library.enable_object_caching()
        self.parts: dict[Callable[..., Any], _PartDispatcher] = {}


_open_units: list[_Unit] = []  # a stack: the last is being compiled


class _UnitCompiler(Compiler):
    """Compiles the top function of a unit."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, _open_units[-1].library, *rest)


class _PartCompiler(_UnitCompiler):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags.no_compile = True

    def define_pipelines(self) -> list[PassManager]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [step for step in passes.passes if step[0] not in _UNUSED_PASSES]
        passes.add_pass_after(_Announce, NativeLowering)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _Announce(LoweringPass):
    """Makes a lowered part callable by others."""

    _name = "sought_announce"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        result = state.cr
        key: Any = [].append  # numba identifies a function by a built-in entry point; every list has its own
        state.library.parts.add(result.fndesc.llvm_func_name)
        state.targetctx.insert_user_function(key, result.fndesc)
        state.cr = result._replace(cfunc=key)
        return True


class _PartDispatcher(CPUDispatcher):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=dict(_PART_OPTIONS), pipeline_class=_PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile one version for numbers, not one for each constant."""
        return super().get_call_template(tuple(types.unliteral(argument) for argument in args), kws)


def part(function: Callable[..., Any]) -> Any:
    """The function as a part of the unit being compiled; None if there is none."""
    if not _open_units:
        return None
    parts = _open_units[-1].parts
    if function not in parts:
        parts[function] = _PartDispatcher(function)
    return parts[function]


class _Cache(FunctionCache):
    def load_overload(self, signature: Any, target: Any) -> Any:
        """Load the machine code only: numba's type and library registries are not needed."""
        rtsys.initialize(target)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target)


class _TopDispatcher(CPUDispatcher):
    def enable_caching(self) -> None:
        self._cache = _Cache(self.py_func)


def machine_code(signature: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled function, from the cache if possible."""
    dispatcher = _TopDispatcher(function, targetoptions={"nopython": True, "nogil": True}, pipeline_class=_UnitCompiler)
    dispatcher.enable_caching()
    with _unit():
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


@contextmanager
def _unit() -> Iterator[None]:
    """Functions compiled in this block form one unit.  Garbage collection is off, so that none of it is freed early."""
    with global_compiler_lock:
        _open_units.append(_Unit())
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            _open_units.pop()
            if collects:
                gc.enable()
