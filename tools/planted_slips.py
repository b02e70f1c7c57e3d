"""Slips that a writer could make in a function of the package, and the functions of this process with one."""

from __future__ import annotations

import ast
import gc
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

from rbnotes.ledger.checks.mutation_operators import SWAPPED_PRODUCT, mutate

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tools" / "equivalent_slips.toml").read_text())


@dataclass(frozen=True)
class Function:
    """A function or a method of the package, by its file and its name there."""

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}: {self.name}"

    @property
    def subpackage(self) -> str:
        """Folder of the module in the package, such as ``multibody/reduced``, or the module itself."""
        parts = Path(self.path).parts[1:]
        depth = 2 if parts[0] in ("coursework", "multibody") else 1
        return "/".join(parts[:depth]).removesuffix(".py")


@dataclass(frozen=True)
class Slip:
    """A change of a function that begins in a line; what it is then."""

    function: Function
    line: int
    change: str
    changed: ast.FunctionDef

    def __str__(self) -> str:
        return f"{self.function}: {self.change}"

    @property
    def place(self) -> tuple[Function, int]:
        """Where the function stands."""
        return self.function, self.line

    @property
    def why_equivalent(self) -> str | None:
        """The reason for which it makes no number different, if that is known."""
        return EQUIVALENT.get(str(self.function), {}).get(self.change)

    @property
    def formula(self) -> str:
        """The function's body with the change, without what it says of itself."""
        body = self.changed.body[1:] if ast.get_docstring(self.changed) else self.changed.body
        return "\n".join(map(ast.unparse, body))

    def code(self) -> CodeType:
        """The function's code with the change, compiled where it stands, as a method in its class."""
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
    """A code and all inside of it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def slips(path: str) -> Iterator[Slip]:
    """All slips of a module."""
    for node in ast.parse((ROOT / path).read_text()).body:
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in methods:
            if isinstance(function, ast.FunctionDef):
                name = f"{node.name}.{function.name}" if isinstance(node, ast.ClassDef) else function.name
                line = min([function.lineno, *(each.lineno for each in function.decorator_list)])
                seen: Counter[str] = Counter()
                for change, changed in mutate(function):
                    seen[change] += 1
                    again = f", number {seen[change]}" if seen[change] > 1 else ""
                    yield Slip(Function(path, name), line, change + again, changed)


class Living:
    """The functions of the package that this process holds, those inside of others included."""

    def __init__(self) -> None:
        self.codes: dict[tuple[Function, int], CodeType] = {}
        self.functions: dict[int, list[FunctionType]] = defaultdict(list)
        gc.unfreeze()  # by the set-up of the tests; what is frozen is not listed
        for each in gc.get_objects():
            if type(each) is FunctionType and (function := of_package(each.__code__)):
                self.functions[id(each.__code__)].append(each)
                if "<locals>" not in each.__qualname__:
                    self.codes[function, each.__code__.co_firstlineno] = each.__code__

    @contextmanager
    def planted(self, slip: Slip) -> Iterator[None]:
        """While inside, the functions have the code with a slip, and so do those that they have made."""
        right = list(codes(self.codes[slip.place]))
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
    """The function of the package that a code belongs to."""
    if not code.co_filename.startswith(f"{ROOT}/rbnotes/"):
        return None
    return Function(str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname.partition(".<locals>")[0])
