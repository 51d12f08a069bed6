"""How is a function compiled with all that it calls?  As one unit, in a library of its own.

By itself numba makes a library of every function, with copies of all that it calls: the functions at the bottom are
optimised, and made into machine code, once for every level above them.  Here they are lowered only, and the function at
the top takes them in.  Those that call each other are known to nobody else, so that what is not called goes away.

All this goes by what numba keeps to itself.  Where a version of numba has it otherwise, compiled.py goes without.
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

_OF_PARTS = {"nopython": True, "nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# What parts have none of: contexts, closures, inlined functions, literal types.  A quarter of numba's own time.
_UNUSED = (
    *(untyped_passes.WithLifting, untyped_passes.InlineClosureLikes, untyped_passes.MakeFunctionToJitFunction),
    *(untyped_passes.InlineInlinables, untyped_passes.FindLiterallyCalls, untyped_passes.LiteralUnroll),
    *(untyped_passes.LiteralPropagationSubPipelinePass, InlineOverloads, DumpParforDiagnostics),
)


class _Library(JITCodeLibrary):
    """Of the functions in it, `parts` are called from no other library."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.parts: set[str] = set()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.name in self.parts:
                function.linkage = binding.Linkage.internal
        super()._optimize_final_module()

    def _optimize_functions(self, module: Any) -> None:
        """Not each by itself: all of them are optimised together."""
        module.data_layout = self._codegen._data_layout

    def _get_module_for_linking(self) -> Any:
        """What is kept beside the machine code: names of functions.  No other unit takes this one in."""
        names = [function.name for function in self.get_defined_functions() if function.name not in self.parts]
        return binding.parse_assembly("\n".join(f'define void @"{name}"() {{ ret void }}' for name in names))


class _Unit:
    """What is being compiled: a library, and the parts that are in it."""

    def __init__(self) -> None:
        self.library = _Library(cpu_target.target_context.codegen(), "unit")
        self.library.enable_object_caching()
        self.parts: dict[Callable[..., Any], _PartDispatcher] = {}


_open: list[_Unit] = []  # the last is being compiled


class _UnitCompiler(Compiler):
    """Of the function at the top."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, _open[-1].library, *rest)


class _PartCompiler(_UnitCompiler):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags.no_compile = True

    def define_pipelines(self) -> list[PassManager]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [step for step in passes.passes if step[0] not in _UNUSED]
        passes.add_pass_after(_Announce, NativeLowering)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _Announce(LoweringPass):
    """Others may call the part that has been lowered."""

    _name = "sought_announce"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        found = state.cr
        key: Any = [].append  # numba knows a function by its entry point, a built-in one; each list has its own
        state.library.parts.add(found.fndesc.llvm_func_name)
        state.targetctx.insert_user_function(key, found.fndesc)
        state.cr = found._replace(cfunc=key)
        return True


class _PartDispatcher(CPUDispatcher):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=dict(_OF_PARTS), pipeline_class=_PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One version for numbers, not one more for each constant."""
        return super().get_call_template(tuple(types.unliteral(argument) for argument in args), kws)


def part(function: Callable[..., Any]) -> Any:
    """The function as a part of the unit that is being compiled; None if none is."""
    if not _open:
        return None
    parts = _open[-1].parts
    if function not in parts:
        parts[function] = _PartDispatcher(function)
    return parts[function]


class _Cache(FunctionCache):
    def load_overload(self, signature: Any, target: Any) -> Any:
        """Machine code is all there is to load: what numba knows of types and functions of libraries is not needed."""
        rtsys.initialize(target)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target)


class _TopDispatcher(CPUDispatcher):
    def enable_caching(self) -> None:
        self._cache = _Cache(self.py_func)


def machine_code(signature: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as machine code, from the cache if it is there."""
    made = _TopDispatcher(function, targetoptions={"nopython": True, "nogil": True}, pipeline_class=_UnitCompiler)
    made.enable_caching()
    with _unit():
        made.compile(signature)
    made.disable_compile()
    return made


@contextmanager
def _unit() -> Iterator[None]:
    """Functions compiled here by a _UnitCompiler are one unit.  Nothing of it becomes garbage before its end."""
    with global_compiler_lock:
        _open.append(_Unit())
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            _open.pop()
            if collects:
                gc.enable()
