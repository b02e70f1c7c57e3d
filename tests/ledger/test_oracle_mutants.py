"""One change of a helper under ``oracles/``: a claim that uses the helper no longer agrees with its oracle.

A change flips a sign, doubles a number, or drops a term, a factor or another part. The helper's code is
replaced in place, so that all modules that import it see the change: neither a form nor the reference of a
record changes.
"""

import __future__

import ast
import importlib
import pkgutil
import sys
import tomllib
import zlib
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest
import rotation

from rbnotes import ledger
from rbnotes.ledger import oracles
from rbnotes.ledger.checks.claim_code import function_ast, unwrap_function
from rbnotes.ledger.checks.mutation import cpu_time_limit
from rbnotes.ledger.checks.mutation_operators import mutate
from rbnotes.ledger.evaluation import deviation_or_inf, evaluate, samples
from rbnotes.ledger.record import NEEDS_CORRECTION

CHANGES = ("flipped sign", "negated value", "doubled", "dropped")
TRIALS = (4, "generic"), (30, "generic"), (10, "near pi")
"""Number and region of the inputs of the first trial, and of the next ones if the change was not noticed."""
MAX_CLAIMS = 40
"""Claims on which a change is tried."""
MAX_CPU_SECONDS = 2.0
"""Processor time of one form and its oracle; a change may make a loop endless."""
NUM_GROUPS = 60
"""Groups of helpers; one is tried each day."""
EQUIVALENT = tomllib.loads(Path(__file__).with_name("equivalent_oracle_mutants.toml").read_text("utf-8"))
"""Changes that no claim notices, by helper, with the reason."""
PACKAGE = f"{oracles.__name__}."
CACHED = (PACKAGE, "rbnotes.ledger.claims.")


def helpers():
    """Return the plain functions of the oracles by name."""
    modules = [
        importlib.import_module(PACKAGE + each.name) for each in pkgutil.iter_modules(oracles.__path__)
    ]
    return {
        f"{module.__name__.removeprefix(PACKAGE)}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__ and not value.__closure__
    }


HELPERS = helpers()


def used_helpers(value):
    """Return the helpers that a function or class may call, by the names in its code."""
    found, pending = {}, [value]
    while pending:
        current = pending.pop()
        if current not in found and current.__module__.startswith(CACHED):
            found[current] = True
            pending += named_code(current)
    return [each for each in found if each.__module__.startswith(PACKAGE)]


@cache
def named_code(value):
    """Return the functions and classes that a function names, or the methods of a class."""
    if isinstance(value, type):
        members = [method_of(each) for each in vars(value).values()]
    else:
        captured = [each.cell_contents for each in value.__closure__ or ()]
        members = [*captured, *named_values(function_ast(value), value.__globals__)]
    plain = [each if isinstance(each, type) else unwrap_function(each) for each in members]
    generated = "<string>"  # methods of dataclasses, which have no source
    return [each for each in plain if each is not None and code_file(each) != generated]


def code_file(value):
    return value.__code__.co_filename if isinstance(value, FunctionType) else None


def method_of(member):
    """Return the function behind a property, or the member."""
    return getattr(member, "fget", None) or getattr(member, "func", None) or member


def named_values(tree, scope):
    """Yield the values of the names in a syntax tree, and of the chains of attributes of modules."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(name) if name in scope:
                yield scope[name]
            case ast.Attribute(ast.Name(name), attribute) if isinstance(scope.get(name), ModuleType):
                yield getattr(scope[name], attribute, None)


def right_forms(record):
    """Return pairs of inputs and the forms that agree with the oracle on them.

    These are the library's, on all inputs, and the printed one unless it is wrong, under its condition.
    """
    is_right = record.verdict not in NEEDS_CORRECTION
    forms = [(record.allowed_inputs, [record.library, record.printed if is_right else None])]
    if record.condition_inputs is not None:
        forms.append((record.inputs, [record.library]))
    present = [(inputs, [form for form in some if form is not None]) for inputs, some in forms]
    return [(inputs, some) for inputs, some in present if inputs and some]


@cache
def claims_by_helper():
    claims = defaultdict(list)
    for record in ledger.load():
        forms = [form for _, some in right_forms(record) for form in some]
        if record.reference is not None and forms:
            codes = [unwrap_function(each) for each in (record.reference, *forms)]
            for helper in dict.fromkeys(helper for code in codes for helper in used_helpers(code)):
                claims[helper].append(record)
    return claims


def helpers_of_inputs():
    """Return the helpers that code outside functions names, such as strategies, and those that these call."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith(CACHED):
            tree = WithoutFunctions().visit(ast.parse(Path(module.__file__).read_text("utf-8")))
            for value in named_values(tree, vars(module)):
                if isinstance(value, FunctionType):
                    found.update(dict.fromkeys(used_helpers(value)))
    return set(found)


class WithoutFunctions(ast.NodeTransformer):
    """Remove the functions of a module and its classes."""

    def visit_FunctionDef(self, node):
        return None


def helper_changes(function):
    """Yield each change of a function as text, with the changed code."""
    for text, tree in mutate(function_ast(function)):
        if text.startswith(CHANGES):
            tree.decorator_list = []
            module = ast.fix_missing_locations(ast.Module([tree], []))
            compiled = compile(module, "<mutant>", "exec", flags=__future__.annotations.compiler_flag)
            yield text, next(each for each in compiled.co_consts if isinstance(each, CodeType))


def residuals(record, num_inputs, region):
    """Yield the deviations of the right forms from the oracle; infinite where the oracle fails."""
    for inputs, forms in right_forms(record):
        for values in samples(inputs, num_inputs + 2, region=region)[2:]:
            with cpu_time_limit(MAX_CPU_SECONDS):
                sizes = deviations(forms, record.reference, values)
            yield from sizes


def deviations(forms, reference, values):
    try:
        expected = evaluate(reference, values)
    except Exception:
        return [float("inf")]
    return [deviation_or_inf(form, expected, values) for form in forms]


def clear_caches():
    """Forget results that helpers and claims computed before the change."""
    for name, module in list(sys.modules.items()):
        if name.startswith("rbnotes.ledger."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear") and value.__module__.startswith(CACHED):
                    value.cache_clear()


def deviates(record, num_inputs, region):
    return any(size > record.tolerance for size in residuals(record, num_inputs, region))


def is_noticed(helper, code, records):
    """Return True if a claim deviates from its oracle with the changed helper."""
    return any(is_noticed_on(trial, helper, code, records[:MAX_CLAIMS]) for trial in TRIALS)


def is_noticed_on(trial, helper, code, records):
    if trial[1] != "generic":  # a right form may lose digits there
        records = [each for each in records if not deviates(each, *trial)]
    original = helper.__code__
    helper.__code__ = code
    clear_caches()
    try:
        return any(deviates(each, *trial) for each in records)
    finally:
        helper.__code__ = original
        clear_caches()


def unnoticed(helper, records, listed=()):
    """Return the changes of a helper that no claim notices, without those that are listed."""
    return [
        text
        for text, code in helper_changes(helper)
        if text not in listed and not is_noticed(helper, code, records)
    ]


def test_claims_notice_changes_of_helpers():
    claims = claims_by_helper()
    missed = {
        name: unnoticed(helper, claims[helper], EQUIVALENT.get(name, ()))
        for name, helper in HELPERS.items()
        if helper in claims and rotation.is_due(zlib.crc32(name.encode()), NUM_GROUPS)
    }
    assert {name: texts for name, texts in missed.items() if texts} == {}


def test_claims_use_all_helpers():
    used = claims_by_helper().keys() | helpers_of_inputs()
    assert [name for name, helper in HELPERS.items() if helper not in used] == []


def test_a_name_in_another_module_is_not_a_use():
    records = claims_by_helper()[HELPERS["articulated_bodies.accelerations"]]
    assert "si/s4/e26" not in [each.id for each in records]  # it uses body_trees.accelerations


def test_listed_changes_exist_and_have_reasons():
    for name, reasons in EQUIVALENT.items():
        assert set(reasons) <= {text for text, _ in helper_changes(HELPERS[name])}, name
        assert all(reasons.values()), name


@pytest.mark.slow
def test_a_change_without_effect_is_unnoticed():
    helper = HELPERS["springs.first_point_derivative"]
    assert unnoticed(helper, claims_by_helper()[helper][:3]) == [
        "flipped sign in `x[1] + 0 * z`",
        "dropped `0 * z` in `x[1] + 0 * z`",
    ]


def test_forms_of_the_library_are_compared_outside_the_condition():
    record = ledger.find("lloyd/s0.22.1/d17")
    (condition_inputs, forms), (inputs, library_forms) = right_forms(record)
    assert (condition_inputs, inputs) == (record.condition_inputs, record.inputs)
    assert forms == [record.library, record.printed]
    assert library_forms == [record.library]


def test_an_endless_loop_is_noticed(monkeypatch):
    def loop(*_):
        while True:
            pass

    monkeypatch.setitem(globals(), "MAX_CPU_SECONDS", 0.1)
    record = ledger.find("lloyd/s0.10/d2#b")
    monkeypatch.setattr(HELPERS["friction_pyramid.pyramid_contact"], "__code__", loop.__code__)
    assert deviates(record, 1, "generic")
