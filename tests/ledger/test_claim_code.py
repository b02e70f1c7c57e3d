"""A change of a helper changes the form, by whatever names the form reaches the helper."""

import ast
import importlib
import sys

import numpy as np
import pytest

from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.checks.claim_code import form_functions, function_ast, rebuild_form
from rbnotes.ledger.checks.mutation import source_mutants, surviving_mutants
from rbnotes.testing.strategies import vectors

HELPERS = """
def doubled(x):
    return 2 * x

class Scale:
    factor = 2

    @staticmethod
    def doubled(x):
        return 2 * x

    @classmethod
    def scaled(cls, x):
        return cls.factor * x * 1

    def applied(self, x):
        return self.factor * x * 1

class Widened(Scale):
    def applied(self, x):
        return super().applied(x) + 0 * x
"""
FORMS = """
import numpy as np
import claims_of_a_test
import claims_of_a_test.parts
import claims_of_a_test.parts as parts
from claims_of_a_test.parts import Scale, Widened, doubled

def by_name(x):
    return doubled(x)

def by_module(x):
    return parts.doubled(x)

def by_package(x):
    return claims_of_a_test.parts.doubled(x)

def by_static_method(x):
    return Scale.doubled(x)

def by_class_of_module(x):
    return parts.Scale.doubled(x)

def by_class_method(x):
    return Scale.scaled(x)

def by_method(x):
    return Scale().applied(x)

def by_super(x):
    return Widened().applied(x)

def by_inherited(x):
    return parts.Widened.doubled(x)

def enclosed():
    from claims_of_a_test import parts as here

    def by_closure(x):
        return here.doubled(x)

    return by_closure

by_closure = enclosed()

def by_helper(x):
    return by_package(x)

def reference(x):
    return x + x
"""
WAYS = {
    "by_name": "doubled",
    "by_module": "doubled",
    "by_package": "doubled",
    "by_static_method": "Scale.doubled",
    "by_class_of_module": "Scale.doubled",
    "by_class_method": "Scale.scaled",
    "by_method": "Scale.applied",
    "by_super": "Widened.applied",
    "by_inherited": "Scale.doubled",
    "by_closure": "doubled",
    "by_helper": "doubled",
}


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """Return the module of forms, beside a package with the module of their helpers."""
    folder = tmp_path_factory.mktemp("claims")
    package = folder / "claims_of_a_test"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "parts.py").write_text(HELPERS)
    (folder / "forms_of_a_test.py").write_text(FORMS)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("forms_of_a_test")
    finally:
        sys.path.remove(str(folder))
        for name in ("forms_of_a_test", "claims_of_a_test", "claims_of_a_test.parts"):
            del sys.modules[name]


@pytest.mark.parametrize("way", WAYS)
def test_a_changed_helper_changes_the_form(way, forms):
    form = getattr(forms, way)
    (helper,) = (part for part in form_functions(form) if part.__qualname__ == WAYS[way])
    changed = function_ast(helper)
    (statement,) = (node for node in changed.body if isinstance(node, ast.Return))
    statement.value = ast.BinOp(statement.value, ast.Add(), ast.Constant(100.0))
    assert rebuild_form(form, {helper: ast.fix_missing_locations(changed)})(1.5) == 103.0
    assert rebuild_form(form, {})(1.5) == form(1.5) == 3.0
    assert forms.parts.doubled(1.5) == forms.Scale.doubled(1.5) == forms.Widened().applied(1.5) == 3.0


@pytest.mark.parametrize("way", WAYS)
def test_every_mutation_of_a_helper_is_detected(way, forms):
    form = getattr(forms, way)
    record = Record(
        id="lloyd/s0.1/d1",
        title="twice",
        verdict=Verdict.HOLDS,
        chapter="preface",
        implements=(np.add,),
        oracle="a sum",
        inputs={"x": vectors()},
        printed=form,
        reference=forms.reference,
    )
    name = WAYS[way].split(".")[-1]
    changes = [mutant.change for mutant in source_mutants(form, [{"x": np.array([1.0, 2.0, 3.0])}])]
    assert any(change.startswith(f"in {name}: ") for change in changes)
    # A vanishing summand and a factor of one are there to be changed.
    assert [
        change for change in surviving_mutants(record) if "0 * x" not in change and "* 1" not in change
    ] == []
