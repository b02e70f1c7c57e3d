"""Names of the package in strings, in cross references, in tables and in prose exist."""

import ast
import importlib
import re
import tomllib
from functools import cache
from pathlib import Path

import planted_slips
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "rbnotes"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TABLES = sorted([*PACKAGE.rglob("*.toml"), *ROOT.glob("book/_data/*.toml"), *ROOT.glob("tools/*.toml")])
PAGES = sorted(
    [*ROOT.glob("book/*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("README.md"), *ROOT.glob("CONTRIBUTING.md")]
)
DOTTED = re.compile(r"(?<![\w./@-])rbnotes(?:\.[A-Za-z_]\w*)+(?![\w/])")
REFERENCE = re.compile(r":(?:func|class|meth|mod|attr|data|exc|obj):`(?:[^`<]*<)?~?\.?([\w.]+)>?`")
RELATIVE = re.compile(r"[a-z]\w*(?:\.[A-Za-z_]\w*)+")
"""A name without the package in front, such as ``tree.jacobian``."""
FILES = re.compile(r"\.(pdf|json|toml|js|css|md|html|csv|zip|epub|py|cff|zenodo)$")

EXCEPTIONS = {
    "rbnotes.ledgers": "the group of entry points by which other packages add records",
    "rbnotes.module.name": "stands for any name",
}
"""Names that do not exist, with the reason why they are written."""


@cache
def resolves(name: str) -> bool:
    """Tell whether a dotted name is an importable module or an attribute of one."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        return has_attribute(module, parts[count:])
    return False


def has_attribute(owner: object, parts: list[str]) -> bool:
    """Tell whether an object has an attribute of an attribute; fields of a dataclass count."""
    for part in parts:
        if any(part in vars(each).get("__annotations__", ()) for each in getattr(owner, "__mro__", ())):
            return True
        if not hasattr(owner, part):
            return False
        owner = getattr(owner, part)
    return True


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def literals(tree: ast.AST) -> list[str]:
    """Return the string literals, without a name at the end of one that a formatted value continues."""
    texts, pieces = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for piece, following in zip(node.values, [*node.values[1:], None], strict=True):
                if isinstance(piece, ast.Constant):
                    pieces.add(piece)
                    goes_on = isinstance(following, ast.FormattedValue)
                    texts.append(re.sub(r"\.\w*$", "", piece.value) if goes_on else piece.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in pieces:
            texts.append(node.value)
    return texts


def absolute(text: str) -> set[str]:
    return {name for name in DOTTED.findall(text) if not FILES.search(name) and name not in EXCEPTIONS}


def relative(texts: list[str]) -> set[str]:
    """Return the names among the texts that begin with a module of the package."""
    subpackages = {file.stem for file in PACKAGE.iterdir() if file.suffix in ("", ".py")} - {"py"}
    names = {text for text in texts if RELATIVE.fullmatch(text) and text.split(".")[0] in subpackages}
    return {f"rbnotes.{name}" for name in names if not FILES.search(name)} - EXCEPTIONS.keys()


def strings(value: object) -> list[str]:
    """Return the keys and the strings of a table."""
    if isinstance(value, dict):
        return [each for pair in value.items() for part in pair for each in strings(part)]
    if isinstance(value, list):
        return [each for part in value for each in strings(part)]
    return [value] if isinstance(value, str) else []


def missing_references(text: str, module: str) -> set[str]:
    """Return the targets of cross references that are neither in the module nor in its parents."""
    around = [".".join(module.split(".")[:count]) for count in range(module.count(".") + 1, 0, -1)]
    module_object = importlib.import_module(module)
    classes = [f"{module}.{name}" for name, value in vars(module_object).items() if isinstance(value, type)]
    return {
        target
        for target in REFERENCE.findall(text)
        if not any(map(resolves, [target, *(f"{each}.{target}" for each in (*around, *classes))]))
        and target not in EXCEPTIONS
    }


@pytest.mark.parametrize("folder", sorted({file.relative_to(PACKAGE).parts[0] for file in SOURCES}))
def test_names_in_sources(folder):
    files = [file for file in SOURCES if file.relative_to(PACKAGE).parts[0] == folder]
    missing = {}
    for file in files:
        texts = literals(ast.parse(file.read_text(encoding="utf-8")))
        names = set().union(*map(absolute, texts))
        wrong = {name for name in names if not resolves(name)}
        if file.name not in ("_child.py", "__main__.py"):
            wrong |= missing_references("\n".join(texts), module_name(file))
        if wrong:
            missing[str(file.relative_to(ROOT))] = sorted(wrong)
    assert missing == {}


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.name)
def test_names_in_tables(file):
    texts = strings(tomllib.loads(file.read_text(encoding="utf-8")))
    names = set().union(*map(absolute, texts)) | relative(texts)
    assert sorted(name for name in names if not resolves(name)) == []


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_names_in_pages(file):
    text = file.read_text(encoding="utf-8")
    names = absolute(text) | relative(re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text))
    assert sorted(name for name in names if not resolves(name)) == []


def test_modules_and_files_in_the_configuration():
    texts = strings(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    names = {name for text in texts for name in absolute(text.replace(":", "."))}
    assert len(names) > 30
    assert sorted(name for name in names if not resolves(name)) == []
    folders = ("rbnotes/", "book/", "tests/", "tools/", "benchmarks/")
    patterns = {re.sub(r"\{.*?\}", "*", text) for text in texts if text.startswith(folders)}
    assert sorted(pattern for pattern in patterns if not any(ROOT.glob(pattern))) == []


@pytest.mark.slow
@pytest.mark.parametrize("entry", planted_slips.EQUIVALENT)
def test_quoted_slips_exist(entry):
    path, name = entry.split(": ")
    changes = {slip.change for slip in planted_slips.slips(path, [name])}
    assert planted_slips.EQUIVALENT[entry].keys() <= changes


@pytest.mark.parametrize(
    "name",
    ["rbnotes.multibody.reduced.newton_euler", "rbnotes.no_room", "rbnotes.multibody.reduced.Tree.field"],
)
def test_a_wrong_name_does_not_resolve(name):
    assert absolute(f"as :func:`~{name}` says") == {name}
    assert not resolves(name)
    assert missing_references(f"as :func:`~{name}` says", "rbnotes.multibody.reduced.link") == {name}
    assert resolves("rbnotes.multibody.reduced.Tree.links")
