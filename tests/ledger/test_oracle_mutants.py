"""A wrong sign in a helper under ``oracles/``: a claim that uses the helper no longer agrees with its oracle.

The helper's code is replaced in place, so that all modules that import it see the change: neither a form nor
the reference of a record changes.
"""

import __future__

import ast
import importlib
import pkgutil
import sys
import tomllib
import zlib
from collections import defaultdict
from pathlib import Path
from types import CodeType, FunctionType

import rotation

from rbnotes import ledger
from rbnotes.ledger import oracles
from rbnotes.ledger.checks import digests
from rbnotes.ledger.checks.claim_code import function_ast, unwrap_function
from rbnotes.ledger.checks.mutation_operators import mutate
from rbnotes.ledger.evaluation import deviation_or_inf, evaluate, samples
from rbnotes.ledger.record import NEEDS_CORRECTION

SIGNS = ("flipped sign", "negated value")
NUM_INPUTS = 4
MAX_CLAIMS = 40
"""Claims on which a change is tried."""
NUM_GROUPS = 4
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


def used_helpers(function):
    """Return the helpers that a function may call, by the names in its code."""
    found, pending = {}, [function]
    while pending:
        current = pending.pop()
        if current not in found and current.__module__.startswith("rbnotes.ledger."):
            found[current] = True
            pending += digests._named_code(current)
    return [each for each in found if each.__module__.startswith(PACKAGE)]


def claims_by_helper():
    claims = defaultdict(list)
    for record in ledger.load():
        right = record.library or record.printed
        if record.reference is not None and right is not None and record.allowed_inputs:
            for helper in used_helpers(unwrap_function(record.reference)):
                claims[helper].append(record)
    return claims


def sign_changes(function):
    """Yield each change of a sign in a function as text, with the changed code."""
    for text, tree in mutate(function_ast(function)):
        if text.startswith(SIGNS):
            tree.decorator_list = []
            module = ast.fix_missing_locations(ast.Module([tree], []))
            compiled = compile(module, "<mutant>", "exec", flags=__future__.annotations.compiler_flag)
            yield text, next(each for each in compiled.co_consts if isinstance(each, CodeType))


def residuals(record):
    """Return the deviations of the right forms from the oracle; infinite where the oracle fails."""
    is_right = record.verdict not in NEEDS_CORRECTION
    forms = [each for each in (record.library, record.printed if is_right else None) if each is not None]
    for values in samples(record.allowed_inputs, NUM_INPUTS + 2)[2:]:
        try:
            expected = evaluate(record.reference, values)
        except Exception:
            yield float("inf")
        else:
            yield from (deviation_or_inf(form, expected, values) for form in forms)


def clear_caches():
    """Forget results that helpers and claims computed before the change."""
    for name, module in list(sys.modules.items()):
        if name.startswith("rbnotes.ledger."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear") and value.__module__.startswith(CACHED):
                    value.cache_clear()


def is_noticed(helper, code, records):
    """Return True if a claim deviates from its oracle with the changed helper."""
    original = helper.__code__
    helper.__code__ = code
    clear_caches()
    try:
        return any(size > record.tolerance for record in records[:MAX_CLAIMS] for size in residuals(record))
    finally:
        helper.__code__ = original
        clear_caches()


def unnoticed(helper, records):
    """Return the changes of a helper that no claim notices."""
    return [text for text, code in sign_changes(helper) if not is_noticed(helper, code, records)]


def test_claims_notice_wrong_signs_in_helpers():
    claims = claims_by_helper()
    missed = {
        name: set(unnoticed(helper, claims[helper])) - set(EQUIVALENT.get(name, ()))
        for name, helper in HELPERS.items()
        if helper in claims and rotation.is_due(zlib.crc32(name.encode()), NUM_GROUPS)
    }
    assert {name: texts for name, texts in missed.items() if texts} == {}


def test_listed_changes_exist_and_have_reasons():
    for name, reasons in EQUIVALENT.items():
        assert set(reasons) <= {text for text, _ in sign_changes(HELPERS[name])}, name
        assert all(reasons.values()), name


def test_a_change_without_effect_is_unnoticed():
    helper = HELPERS["springs.first_point_derivative"]
    assert unnoticed(helper, claims_by_helper()[helper]) == ["flipped sign in `x[1] + 0 * z`"]
