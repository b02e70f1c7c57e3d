"""Source and modified copies of a claim's forms and of the functions of its modules that they call.

Code belongs to a *claim* (a section of the ledger, or whatever module a record is written in), to the
*library*, to the shared *oracles*, or to none of these (NumPy, the ledger itself).
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Literal

from rbnotes.ledger.record import Record
from rbnotes.ledger.sources import active_ledger

CodeOwner = Literal["claim", "library", "oracles", "elsewhere"]
FORM_NAMES = ("printed", "library", "reference")
Container = ModuleType | type


class UnreadableFunction(TypeError):
    """Raised for a form that is not a plain function with a source."""


def code_owner(module: str | None) -> CodeOwner:
    """Return the owner of the code of a module: the claims of the active ledger, the library, or another.

    Code that was compiled from a string has no module.
    """
    return _code_owner(module or "", _claim_module_prefixes())


@cache
def _code_owner(module: str, sections: tuple[str, ...]) -> CodeOwner:
    """Return the owner of a module, given the names of the modules of claims."""
    if module.startswith(sections):
        return "claim"
    if module.startswith("rbnotes.ledger.oracles"):
        return "oracles"
    if module == "rbnotes.ledger" or module.startswith("rbnotes.ledger."):
        return "elsewhere"
    if module == "rbnotes" or module.startswith("rbnotes."):
        return "library"
    file = getattr(sys.modules.get(module), "__file__", None)
    if module == "__main__":
        return "claim"
    if file is None:
        return "elsewhere"
    return "elsewhere" if any(Path(file).is_relative_to(folder) for folder in _package_folders()) else "claim"


@cache
def _package_folders() -> frozenset[str]:
    """Return the folders of Python and of the installed packages."""
    return frozenset(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def loaded_modules() -> list[ModuleType]:
    """Return the loaded modules of claims and of the library."""
    sections = _claim_module_prefixes()
    return [
        module
        for name, module in list(sys.modules.items())
        if module is not None and _code_owner(name, sections) in ("claim", "library")
    ]


def _claim_module_prefixes() -> tuple[str, ...]:
    """Return the name prefixes of the modules with records."""
    active = active_ledger()
    subpackages = [f"{active.package}.{source.module}." for source in active.sources if source.module != "."]
    return (*subpackages, *([] if subpackages else [active.package + "."]))


def record_forms(record: Record) -> dict[str, Callable[..., Any]]:
    """Return the forms that a record has, by name."""
    return {name: form for name in FORM_NAMES if (form := getattr(record, name)) is not None}


def readable_function(function: Callable[..., Any], name: str = "form") -> FunctionType:
    """Return a form after checking that it is a plain function with a source.

    Raises
    ------
    UnreadableFunction
        If it is anything else.
    """
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
        raise UnreadableFunction(f"{name} {function!r} must be defined with def, to be read and changed")
    function_ast(function)
    return function


@cache
def _function_ast(function: FunctionType) -> ast.FunctionDef:
    try:
        parsed = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError) as error:
        raise UnreadableFunction(f"{function!r} has no source that can be read") from error
    if not isinstance(parsed, ast.FunctionDef):
        raise UnreadableFunction(f"{function!r} must be defined with def, to be read and changed")
    parsed.decorator_list = []
    return parsed


def function_ast(function: FunctionType) -> ast.FunctionDef:
    """Return a copy of the syntax tree of a function."""
    return copy.deepcopy(_function_ast(function))


def qualified_name(code: CodeType, module: str) -> str:
    """Return the dotted name of the module-level function that contains a code object."""
    return f"{module}.{code.co_qualname.split('.<locals>')[0]}"


def form_functions(function: FunctionType) -> tuple[FunctionType, ...]:
    """Return the claims' functions that a form may call, itself first, by the names in its code."""
    functions: list[FunctionType] = []
    pending = [function]
    while pending:
        current = pending.pop()
        if current in functions:
            continue
        functions.append(current)
        for value in referenced_objects(current):
            inner = unwrap_function(value)
            if (
                inner is not None
                and inner.__name__ != "<lambda>"
                and code_owner(inner.__module__) == "claim"
                and inner.__globals__.get("__name__") == inner.__module__
            ):
                pending.append(inner)
    return tuple(functions)


def referenced_objects(function: FunctionType) -> Iterable[Any]:
    """Return the objects that a function's code names.

    These are globals, closed-over values, and, however long the chain of names, attributes of modules and of
    the classes of claims among them.
    """
    code = function.__code__
    closed_over = _contents(function.__closure__ or ())
    return [
        *_referenced_values(code, function.__globals__),
        *closed_over,
        *_attributes(closed_over, [*_code_names(code)]),
    ]


def _contents(cells: Iterable[CellType]) -> list[Any]:
    return [cell.cell_contents for cell in cells if cell != CellType()]  # an empty cell


def _referenced_values(code: CodeType, scope: Mapping[str, Any]) -> Iterable[Any]:
    names = [*dict.fromkeys(_code_names(code))]  # in a fixed order, because cards show the result
    named = [scope[name] for name in names if name in scope]
    return [*named, *_attributes(named, names)]


def _attributes(values: Iterable[Any], names: Sequence[str]) -> Iterable[Any]:
    """Return the objects that chains of these names reach from the modules and claim classes in `values`."""
    return [value for members in _members(values, names).values() for value in members.values()]


def _members(values: Iterable[Any], names: Sequence[str]) -> dict[Container, dict[str, Any]]:
    """Return the attributes by name of each module or claims' class that a chain of names leads to."""
    members: dict[Container, dict[str, Any]] = {}
    waiting = [value for value in values if _is_container(value)]
    while waiting:
        container = waiting.pop(0)
        if container not in members:
            owners = container.__mro__ if isinstance(container, type) else (container,)
            members[container] = {
                name: next(vars(owner)[name] for owner in owners if name in vars(owner))
                for name in names
                if any(name in vars(owner) for owner in owners)
            }
            waiting += [value for value in members[container].values() if _is_container(value)]
    return members


def _is_container(value: Any) -> bool:
    return inspect.ismodule(value) or (inspect.isclass(value) and code_owner(value.__module__) == "claim")


def constant_dependencies(function: FunctionType) -> dict[str, tuple[Any, ...]]:
    """Return the constants of its module that a function names, and the objects that their sources name.

    The search continues through constants and functions of claims.
    """
    module = sys.modules.get(function.__module__)
    if module is None:
        return {}
    sources = _constant_code(module)
    return {
        name: tuple(
            value
            for met in [{name}]
            for code in sources[name]
            for value in _source_dependencies(code, module, met)
        )
        for name in set(_code_names(function.__code__))
        if name in sources
    }


def _source_dependencies(source: CodeType, module: ModuleType, visited: set[str]) -> Iterable[Any]:
    """Yield the objects that a source names.

    Follows the sources of constants that are not in ``visited`` yet, and adds their names to it.
    """
    sources = _constant_code(module)
    for name in set(_code_names(source)) & set(sources):
        if name not in visited:
            visited.add(name)
            for part in sources[name]:
                yield from _source_dependencies(part, module, visited)
    for value in _referenced_values(source, vars(module)):
        inner = unwrap_function(value)
        if inner is not None and code_owner(inner.__module__) == "claim":
            yield from form_functions(inner)
        yield value


@cache
def _constant_code(module: ModuleType) -> dict[str, tuple[CodeType, ...]]:
    """Return the code of the statements of a module that assign or modify a global name, by name."""
    try:
        text = inspect.getsource(module)
    except (OSError, TypeError):
        return {}
    code_by_name: dict[str, tuple[CodeType, ...]] = {}
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.Import | ast.ImportFrom):
            continue
        names = set(_assigned_names(statement))
        if isinstance(statement, ast.ClassDef):
            # A record's functions are forms, which are watched when they run; its constants are not. A
            # record names what it implements but does not use it.
            kept = [
                part
                for part in statement.body
                if not isinstance(part, ast.FunctionDef) and "implements" not in _assigned_names(part)
            ]
            names = {statement.name}
            statement = ast.If(ast.Constant(True), kept or [ast.Pass()], [])
        if names:
            tree = ast.fix_missing_locations(ast.Module([statement], []))
            code = compile(tree, module.__name__, "exec")
            code_by_name |= {name: (*code_by_name.get(name, ()), code) for name in names}
    return code_by_name


def _assigned_names(statement: ast.stmt) -> Iterable[str]:
    """Return the names that a statement assigns, assigns an entry or attribute of, or calls a method of."""
    for node in ast.walk(statement):
        match node:
            case ast.Name(name, ast.Store()):
                yield name
            case ast.Subscript(value, _, ast.Store()) | ast.Attribute(value, _, ast.Store()):
                yield from _base_name(value)
            case ast.Expr(ast.Call(ast.Attribute(value))):
                yield from _base_name(value)


def _base_name(node: ast.expr) -> Iterable[str]:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _code_names(code: CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_names(constant)


def called_name(function: ast.expr) -> str:
    """Return the last part of the name that a call's function has; empty if it has none."""
    match function:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return ""


def is_option_value(node: ast.expr) -> bool:
    """Return True if a comparison with this node tests an option of a helper: None or a string."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str))


def rebuild_form(
    form: FunctionType,
    changed: Mapping[FunctionType, ast.FunctionDef],
    names: Mapping[str, Any] | None = None,
) -> FunctionType:
    """Return the form with some functions replaced by changed sources, and additional global ``names``.

    Functions that call a replaced one are rebuilt as well, so that nothing outside the result changes. So are
    modules and classes of which they name a replaced attribute.
    """
    parts = form_functions(form)
    scopes: dict[int, dict[str, Any]] = {}
    copies: dict[FunctionType, FunctionType] = {}
    every_cell: list[CellType] = []
    for part in parts:
        scope = scopes.setdefault(id(part.__globals__), {**part.__globals__, **(names or {})})
        code = _compile_changed(changed[part], part) if part in changed else part.__code__
        cells = dict(zip(part.__code__.co_freevars, map(_copy_cell, part.__closure__ or ()), strict=True))
        every_cell.extend(cells.values())
        built = FunctionType(
            code,
            scope,
            part.__name__,
            part.__defaults__,
            tuple(cells[name] for name in code.co_freevars),
        )
        built.__kwdefaults__ = part.__kwdefaults__
        copies[part] = built
    names_used = [*dict.fromkeys(name for part in copies.values() for name in _code_names(part.__code__))]
    globals_used = [scope[name] for scope in scopes.values() for name in names_used if name in scope]
    members = _members([*globals_used, *_contents(every_cell)], names_used)
    replaced = _copy_containers(members, copies, scopes)
    for scope in scopes.values():
        scope.update({name: _replace_value(value, copies, replaced) for name, value in scope.items()})
    for part in copies.values():
        for name, cell in zip(part.__code__.co_freevars, part.__closure__ or (), strict=True):
            if name != "__class__":  # super() needs the original cell
                for value in _contents([cell]):
                    cell.cell_contents = _replace_value(value, copies, replaced)
    return copies[form]


def _copy_containers(
    members: Mapping[Container, Mapping[str, Any]],
    copies: Mapping[FunctionType, FunctionType],
    scopes: Mapping[int, dict[str, Any]],
) -> dict[Container, Container]:
    """Return copies of the modules, and subclasses of the classes, that lead to a replaced function."""
    leading: set[Container] = set()
    count = -1
    while count < len(leading):
        count = len(leading)
        for container, values in members.items():
            if any(
                unwrap_function(value) in copies or _contains(value, leading) for value in values.values()
            ):
                leading.add(container)
    replaced: dict[Container, Container] = {}
    for container in leading:
        if isinstance(container, ModuleType):
            replaced[container] = ModuleType(container.__name__)
            vars(replaced[container]).update(scopes.get(id(vars(container)), vars(container)))
        else:
            replaced[container] = type(container)(
                container.__name__, (container,), {"__module__": container.__module__}
            )
    for container, copied in replaced.items():
        for name, value in members[container].items():
            changed = _replace_value(value, copies, replaced)
            if changed is not value:
                setattr(copied, name, changed)
    return replaced


def _contains(value: Any, containers: Set[Container]) -> bool:
    return _is_container(value) and value in containers


def _replace_value(
    value: Any,
    copies: Mapping[FunctionType, FunctionType],
    containers: Mapping[Container, Container],
) -> Any:
    """Return the copy of a function, module or class; other values as they are."""
    if _contains(value, containers.keys()):
        return containers[value]
    inner = unwrap_function(value)
    if inner is None or inner not in copies:
        return value
    return type(value)(copies[inner]) if isinstance(value, staticmethod | classmethod) else copies[inner]


def unwrap_function(value: Any) -> FunctionType | None:
    """Return the plain function that a value is, or wraps."""
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    inner = inspect.unwrap(value) if callable(value) else value
    return inner if isinstance(inner, FunctionType) else None


def _copy_cell(cell: CellType) -> CellType:
    return CellType(*_contents([cell]))


def _compile_changed(source: ast.FunctionDef, function: FunctionType) -> CodeType:
    """Return the code of a changed source with the same closure as the function."""
    free_variables = function.__code__.co_freevars
    scope = ast.parse("def scope(): pass").body[0]
    assert isinstance(scope, ast.FunctionDef)
    # Under another name, because its body may use its own name for a function of the module.
    renamed = copy.copy(source)
    renamed.name = "__changed__"
    scope.body = [*(ast.parse(f"{name} = None").body[0] for name in free_variables), renamed]
    module = compile(
        ast.fix_missing_locations(ast.Module([scope], [])), f"<changed {function.__name__}>", "exec"
    )
    outer = next(part for part in module.co_consts if isinstance(part, CodeType))
    code = next(
        part for part in outer.co_consts if isinstance(part, CodeType) and part.co_name == "__changed__"
    )
    return code.replace(co_name=function.__name__)
