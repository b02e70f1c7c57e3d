"""Optimization of an entry and all functions that it calls as one module.

By default numba optimizes each function together with all functions that it calls, and generates machine code
for all of them. In a deep call graph a function passes through LLVM once for each of its direct and indirect
callers. Here the code of a function waits until an entry links it, so that LLVM sees it once.
"""

from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes, InlineInlinables


class _NoMachineCode:
    """Code generator of functions without machine code of their own."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: only machine code reads an environment."""


class InternalLibrary(JITCodeLibrary):
    """Code of a function that only compiled code calls."""

    codegen = _NoMachineCode()
    _module_with_callees: Any = None

    def finalize(self) -> None:
        """Leave linking, optimization and machine code to the library that links this one."""
        self._finalized = True

    def _optimize_functions(self, ll_module: binding.ModuleRef) -> None:
        """Optimize each function with the same passes; numba creates them for each declaration, too."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def get_pointer_to_function(self, name: str) -> int:
        """Return zero: there is no machine code."""
        return 0

    def _get_module_for_linking(self) -> binding.ModuleRef:
        """Return a module with this function and all functions that it calls, directly or not."""
        if self._module_with_callees is None:
            self._module_with_callees = self._own_module().clone()
            for library in self._callees():
                is_internal = isinstance(library, InternalLibrary)
                module = library._own_module() if is_internal else library._get_module_for_linking()
                self._module_with_callees.link_in(module, preserve=True)
        return self._module_with_callees

    def _own_module(self) -> binding.ModuleRef:
        """Return a module with this function only."""
        return super()._get_module_for_linking()

    def _callees(self) -> list[Any]:
        """Return the libraries of all functions that this one calls, directly or not, callers first.

        LLVM links a function only if the module refers to it already.
        """
        libraries: dict[Any, None] = {}

        def visit(library: Any) -> None:
            for each in library._linking_libraries:
                if each not in libraries:
                    if isinstance(each, InternalLibrary):
                        visit(each)
                    libraries[each] = None

        visit(self)
        return list(reversed(libraries))


SKIPPED_PASSES = InlineClosureLikes, InlineInlinables, InlineOverloads, NopythonRewrites
"""Passes for closures, for functions that numba inlines, and for expressions with whole arrays: none of them
occurs in functions with an :class:`InternalLibrary`."""


class InternalCompiler(Compiler):
    """Compiler of functions whose library is an :class:`InternalLibrary`."""

    def define_pipelines(self) -> Any:
        """Create the library, and return the passes of numba's default compiler that are needed."""
        state = self.state
        state.library = InternalLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [each for each in pipeline.passes if each[0] not in SKIPPED_PASSES]
            pipeline.finalize()
        return pipelines
