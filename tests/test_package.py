"""The package as a whole: import time, subpackages, and docstrings of public names."""

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import grimp
import numpy as np
import pytest

import rbnotes
from rbnotes import joints, shapes

SUBPACKAGES = {info.name for info in pkgutil.iter_modules(rbnotes.__path__) if not info.name.startswith("_")}
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(rbnotes.__path__, "rbnotes.")
    if not re.search(r"\._|[._]unchecked|rbnotes\.compiled\.|rbnotes\.ledger\.claims\.", info.name)
)

NAMES = SUBPACKAGES - {"cli"} | {"Body", "Model", "card", "challenge", "simulate"}
"""Names that ``rbnotes`` offers: its subpackages but the command line, two classes and three functions."""


def packages_loaded_after(code):
    """Return the top-level packages that a fresh interpreter has loaded after some code."""
    report = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_no_circular_imports():
    """Including imports for types, which the import contracts do not see."""
    graph = grimp.build_graph("rbnotes", cache_dir=None)
    needs = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(needs) > len(MODULES)
    # A late import, on first use: numba is optional.
    needs["rbnotes.complementarity.solver"].discard("rbnotes.compiled.complementarity.problems")
    # Methods of Tree and Model call functions of these modules, which name the class of their first argument.
    for name in ("dynamics", "dynamics_derivatives", "jacobian_products", "kinematics", "link"):
        needs[f"rbnotes.multibody.reduced.{name}"].remove("rbnotes.multibody.reduced.tree")
    needs["rbnotes.multibody.model_equations"].remove("rbnotes.multibody.model")
    TopologicalSorter(needs).prepare()  # its CycleError names the modules


def test_import_loads_no_heavy_package():
    assert "rbnotes" in packages_loaded_after("import rbnotes")
    assert not packages_loaded_after("import rbnotes") & {
        "numpy",
        "scipy",
        "hypothesis",
        "cvxpy",
        "rich",
        "matplotlib",
    }


def test_subpackages_load_on_first_use():
    after = packages_loaded_after("import rbnotes\nassert rbnotes.se3.exp([0] * 6).shape == (4, 4)")
    assert "numpy" in after
    assert not after & {"hypothesis", "cvxpy", "rich", "matplotlib"}
    assert "hypothesis" in packages_loaded_after("import rbnotes\nrbnotes.ledger.load()")


def test_the_docstring_lists_every_subpackage():
    """The docstring, __all__, the imports for type checkers and the folder agree."""
    listed = re.findall(r"^    (\w+)  +\S", rbnotes.__doc__, flags=re.MULTILINE)
    assert sorted(listed) == sorted(NAMES)
    assert sorted(rbnotes.__all__) == sorted({*NAMES, "__version__"})
    (typed,) = (
        node for node in ast.parse(inspect.getsource(rbnotes)).body if isinstance(node, ast.If)
    )  # if TYPE_CHECKING
    assert {alias.name for line in typed.body for alias in line.names} == NAMES
    assert {*rbnotes.__all__} <= {*dir(rbnotes)}


def test_subpackages_are_attributes():
    for name in SUBPACKAGES - {"cli"}:
        assert getattr(rbnotes, name) is import_module(f"rbnotes.{name}")
    with pytest.raises(AttributeError, match="module 'rbnotes' has no attribute 'dynamite'"):
        _ = rbnotes.dynamite


def public(module):
    """Return the public names of a module with their objects."""
    return {
        name: item
        for name, item in vars(module).items()
        if not name.startswith("_") and getattr(item, "__module__", None) == module.__name__
    }


@pytest.mark.parametrize("name", MODULES)
def test_public_names_have_docstrings(name):
    module = import_module(name)
    items = {n: i for n, i in public(module).items() if inspect.isfunction(i) or inspect.isclass(i)}
    assert [n for n, i in {name: module, **items}.items() if not (inspect.getdoc(i) or "").strip()] == []


# Dataclasses that take arrays and keep tuples.
OF_TUPLES = (
    joints.Revolute((0.0, 0.6, 0.8)),
    joints.Prismatic((0.0, 0.6, 0.8)),
    joints.Helical((0.0, 0.6, 0.8)),
)
OF_TUPLES += (shapes.Box((1.0, 2.0, 3.0)), shapes.Ellipsoid((1.0, 2.0, 3.0)))


def holds_arrays(field):
    return bool(re.search(r"Array|\bAny\b", str(field.type))) and "Callable" not in str(field.type)


def dataclasses_with_arrays():
    for module in MODULES:
        for name, item in public(import_module(module)).items():
            may_hold_arrays = item in map(type, OF_TUPLES)
            if (
                isinstance(item, type)
                and is_dataclass(item)
                and not may_hold_arrays
                and any(holds_arrays(field) for field in fields(item))
            ):
                yield pytest.param(item, id=f"{module}.{name}")


def filled_instance(cls, number):
    """Return an instance with an array in each field that may hold one, without the constructor's checks."""
    instance = object.__new__(cls)
    for field in fields(cls):
        array = np.arange(number, number + 3.0)
        value = {"name": array} if "Mapping" in str(field.type) else array
        object.__setattr__(instance, field.name, value if holds_arrays(field) else field.name)
    return instance


@pytest.mark.parametrize("cls", [*dataclasses_with_arrays()])
def test_dataclasses_with_arrays_compare_and_hash_or_refuse(cls):
    """They compare by value or by identity, without an exception about the truth value of an array."""
    one, same, other = filled_instance(cls, 0), filled_instance(cls, 0), filled_instance(cls, 1)
    assert one == one
    assert (one == same) in (True, False)
    assert (one == other) is False
    assert (one != other) is True
    if cls.__hash__ is not None:
        assert hash(one) == hash(one)
        assert one != same or hash(one) == hash(same)


@pytest.mark.parametrize("one", OF_TUPLES, ids=str)
def test_dataclasses_of_tuples_compare_by_value(one):
    (name,) = [field.name for field in fields(one) if holds_arrays(field)]
    same = replace(one, **{name: np.array(getattr(one, name))})
    other = replace(one, **{name: np.roll(getattr(one, name), 1)})
    assert one == same
    assert hash(one) == hash(same)
    assert one != other


PASSED_OVER = re.compile(r"# (?:type: ignore\[|noqa\b)")
REASON_BEHIND = re.compile(r"# (?:type: ignore\[[^]]*\]|noqa: \w+)\s+# (?!type:|noqa)\w+")


def suppressions_without_reason(source):
    """Return lines that switch off a check without a reason, behind them or in a comment above them."""
    lines = source.splitlines()
    for number, line in enumerate(lines):
        if PASSED_OVER.search(line) and not REASON_BEHIND.search(line):
            above = number - 1
            while PASSED_OVER.search(lines[above]) and not lines[above].lstrip().startswith("#"):
                above -= 1
            if not lines[above].lstrip().startswith("#"):
                yield number + 1


def test_suppressed_checks_have_a_reason():
    assert list(suppressions_without_reason("import a\nx = f()  # noqa: F401")) == [2]
    assert (
        list(suppressions_without_reason("# Why.\nx = 1  # noqa: F401\ny = 2  # type: ignore[misc]\nz = 3"))
        == []
    )
    assert list(suppressions_without_reason("x = 1\ny = 2  # type: ignore[misc]  # because")) == []
    assert list(suppressions_without_reason("x = 1\ny = 2  # type: ignore[misc]  # noqa: E402")) == [2]
    root = Path(__file__).parents[1]
    locations = [
        f"{path.relative_to(root)}:{line}"
        for folder in ("rbnotes", "book/_ext", "tools", "benchmarks")
        for path in sorted((root / folder).rglob("*.py"))
        for line in suppressions_without_reason(path.read_text(encoding="utf-8"))
    ]
    assert locations == []


IMPORT = re.compile(r"^ *(from rbnotes\S* import (?:\([^)]*\)|.*))", re.MULTILINE)


def private_imports(source, package):
    """Return private names and modules of other packages that the source of a module of `package` imports."""
    for statement in IMPORT.findall(source):
        (node,) = ast.parse(statement).body
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            owner = re.split(r"\._(?!_)", name)[0]
            if owner != name and import_module(owner).__package__ != package:
                yield name


def test_subpackages_import_no_private_names_of_others():
    own = "from rbnotes.multibody.reduced.kinematics import _poses, check_vectors"
    assert list(private_imports(own, "rbnotes.multibody.reduced")) == []
    assert list(private_imports(own, "rbnotes.multibody")) == ["rbnotes.multibody.reduced.kinematics._poses"]
    module = "from rbnotes.constraints._dense_kkt import factor"
    assert list(private_imports(module, "rbnotes.dynamics")) == ["rbnotes.constraints._dense_kkt.factor"]
    root = Path(rbnotes.__file__).parent
    imports = [
        f"{path.relative_to(root)}: {name}"
        for path in sorted(root.rglob("*.py"))
        for name in private_imports(
            path.read_text(encoding="utf-8"), ".".join(path.relative_to(root.parent).parts[:-1])
        )
    ]
    assert imports == []
