"""Plausible slips in functions of the package, and their insertion into the functions of this process."""

from __future__ import annotations

import ast
import gc
import tomllib
from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

from rbnotes.ledger.checks.mutation_operators import SWAPPED_PRODUCT, mutate

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tools" / "equivalent_slips.toml").read_text())


@dataclass(frozen=True)
class Function:
    """Function or method of the package: file and qualified name."""

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}: {self.name}"

    @property
    def subpackage(self) -> str:
        """Return the folder of the module in the package, such as ``multibody/reduced``, or the module."""
        parts = Path(self.path).parts[1:]
        depth = 2 if parts[0] in ("coursework", "multibody") else 1
        return "/".join(parts[:depth]).removesuffix(".py")


@dataclass(frozen=True)
class Slip:
    """Change of a function: the line and the changed source."""

    function: Function
    line: int
    change: str
    changed: ast.FunctionDef

    def __str__(self) -> str:
        return f"{self.function}: {self.change}"

    @property
    def location(self) -> tuple[Function, int]:
        """Return function and line."""
        return self.function, self.line

    @property
    def why_equivalent(self) -> str | None:
        """Return the known reason why it changes no number, or None."""
        return EQUIVALENT.get(str(self.function), {}).get(self.change)

    @property
    def formula(self) -> str:
        """Return the function's body with the change, without the docstring."""
        body = self.changed.body[1:] if ast.get_docstring(self.changed) else self.changed.body
        return "\n".join(map(ast.unparse, body))

    def code(self) -> CodeType:
        """Return the changed code, compiled at its place, as a method in its class."""
        body: ast.stmt = self.changed
        for name in reversed(self.function.name.split(".")[:-1]):
            body = ast.ClassDef(name, [], [], [body], [])
        future = ast.parse("from __future__ import annotations").body
        module = ast.fix_missing_locations(ast.Module([*future, body], []))
        return next(
            each
            for each in codes(compile(module, str(ROOT / self.function.path), "exec"))
            if each.co_qualname == self.function.name
        )


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all nested ones."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def slips(path: str, names: Container[str] | None = None) -> Iterator[Slip]:
    """Yield the slips of all functions of a module, or of those with the given names."""
    for node in ast.parse((ROOT / path).read_text()).body:
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in methods:
            if isinstance(function, ast.FunctionDef):
                name = f"{node.name}.{function.name}" if isinstance(node, ast.ClassDef) else function.name
                if names is not None and name not in names:
                    continue
                line = min([function.lineno, *(each.lineno for each in function.decorator_list)])
                counts: Counter[str] = Counter()
                for change, changed in mutate(function):
                    counts[change] += 1
                    suffix = f", number {counts[change]}" if counts[change] > 1 else ""
                    yield Slip(Function(path, name), line, change + suffix, changed)


class PackageFunctions:
    """All functions of the package in this process, nested ones included."""

    def __init__(self) -> None:
        self.codes: dict[tuple[Function, int], CodeType] = {}
        self.functions: dict[int, list[FunctionType]] = defaultdict(list)
        gc.unfreeze()  # The set-up of the tests freezes objects, and frozen ones are not listed.
        for each in gc.get_objects():
            if type(each) is FunctionType and (function := of_package(each.__code__)):
                self.functions[id(each.__code__)].append(each)
                if "<locals>" not in each.__qualname__:
                    self.codes[function, each.__code__.co_firstlineno] = each.__code__

    @contextmanager
    def with_slip(self, slip: Slip) -> Iterator[None]:
        """Return a context in which the functions, and closures that they made, have the code with a slip."""
        right = list(codes(self.codes[slip.location]))
        changed = [
            (function, old, new)
            for old, new in zip(right, codes(slip.code()), strict=False)
            for function in self.functions[id(old)]
            if (old.co_qualname, old.co_freevars) == (new.co_qualname, new.co_freevars)
        ]
        for function, _, new in changed:
            function.__code__ = new
            function.__globals__[SWAPPED_PRODUCT] = lambda a, b: b @ a
        try:
            yield
        finally:
            for function, old, _ in changed:
                function.__code__ = old


def of_package(code: CodeType) -> Function | None:
    """Return the function of the package that a code object belongs to."""
    if not code.co_filename.startswith(f"{ROOT}/rbnotes/"):
        return None
    return Function(str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname.partition(".<locals>")[0])
