"""The digest of a record changes with every source on which its verdict rests."""

import importlib
import inspect
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from honest import make

from rbnotes import ledger, so3
from rbnotes.ledger.checks import digests
from rbnotes.ledger.checks.claim_code import code_owner, record_forms, referenced_objects
from rbnotes.ledger.checks.digests import files_digest, normalize_source, record_digest
from rbnotes.ledger.evidence import proof_digest

CLAIM = """
import numpy as np
from claim_helpers_of_a_test import double

FACTOR = 2.0

def printed(R, a):
    return R @ double(a) / FACTOR
"""
HELPERS = """
def double(a):
    return 2.0 * a
"""


@pytest.fixture
def write_claim(tmp_path, monkeypatch):
    """Return a function that writes both modules and returns a record with the printed form of the first."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(claim=CLAIM, helpers=HELPERS):
        for name, text in (("claim_of_a_test", claim), ("claim_helpers_of_a_test", helpers)):
            (tmp_path / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        digests._source.cache_clear()
        return replace(make(), printed=importlib.import_module("claim_of_a_test").printed)

    yield write
    digests._source.cache_clear()
    for name in ("claim_of_a_test", "claim_helpers_of_a_test"):
        sys.modules.pop(name, None)


def test_digest_covers_the_modules_of_claims(write_claim):
    before = record_digest(write_claim())
    assert record_digest(write_claim()) == before
    assert record_digest(write_claim(CLAIM.replace("/ FACTOR", "* FACTOR"))) != before
    assert record_digest(write_claim(CLAIM.replace("FACTOR = 2.0", "FACTOR = 3.0"))) != before
    assert record_digest(write_claim(helpers=HELPERS.replace("2.0 *", "3.0 *"))) != before


def test_digest_does_not_cover_comments_docstrings_and_formatting(write_claim):
    before = proof_digest(write_claim())
    described = CLAIM.replace(
        "(R, a):\n", '(R, a):\n    """Return the turned vector."""\n    # As printed.\n'
    )
    assert proof_digest(write_claim(described)) == before
    assert proof_digest(write_claim(described.replace("turned", "doubled"))) == before
    assert proof_digest(write_claim(CLAIM.replace("R @ double(a)", "(R\n        @ double(a))"))) == before
    assert proof_digest(write_claim(helpers=f'"""Helpers."""\n# Twice.\n{HELPERS}')) == before
    assert proof_digest(write_claim(CLAIM.replace("R @ double(a) /", "R @ double(a) *"))) != before
    assert proof_digest(write_claim(CLAIM.replace("FACTOR", "DIVISOR"))) != before


FUNCTION = """
class Arm:
    '''A lever.'''

    length = 2.0
    '''Its length.'''

    def moment(self, force=0.5):
        "Return the moment."
        try:
            return self.length * force  # N m
        finally:
            pass
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A lever", "A rod"),
        ("Its length", "The length"),
        ('        "Return the moment."\n', ""),
        ("  # N m", ""),
        ("(self, force=0.5)", "(\n        self,\n        force=0.5,\n    )"),
        ("2.0", "2.00"),
    ],
)
def test_code_without_its_text_is_the_same(old, new):
    assert old in FUNCTION
    assert normalize_source(FUNCTION.replace(old, new)) == normalize_source(FUNCTION)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2.0", "2"),
        ("0.5", "0.25"),
        (" * ", " / "),
        ("length", "width"),
        ("finally", "except ValueError"),
        ("self, force", "self, *, force"),
        ("return self", "yield self"),
    ],
)
def test_other_code_is_different(old, new):
    assert old in FUNCTION
    assert normalize_source(FUNCTION.replace(old, new)) != normalize_source(FUNCTION)


def test_digest_of_files_is_about_their_code(tmp_path):
    path = tmp_path / "arithmetic.py"
    path.write_text("PRECISION = 333\n")
    before = files_digest([path])
    path.write_text('"""Numbers."""\n\nPRECISION = 333  # bits\n"""Bits of a ball."""\n')
    assert files_digest([path]) == before
    path.write_text("PRECISION = 332\n")
    assert files_digest([path]) != before


def test_all_sources_of_the_package_are_read_as_code():
    records = [*ledger.load()[::20]]
    sources = {
        source
        for record in records
        for form in record_forms(record).values()
        for source in digests._sources(form)
    }
    assert len(sources) > 100
    assert [source for source in sources if source and not source.startswith("Module(")] == []


def test_digest_covers_the_library_functions_and_oracles_that_forms_name():
    assert digests._source(so3.hat) in digests._sources(make().library)
    names = set()
    for record in ledger.load():
        for form in record_forms(record).values():
            for value in filter(inspect.isfunction, referenced_objects(form)):
                if code_owner(value.__module__) in ("library", "oracles") and not hasattr(
                    value, "__wrapped__"
                ):
                    assert digests._source(value) in digests._sources(form)
                    names.add(value.__name__)
    assert len(names) > 300


def test_digest_covers_checks_and_equivalent_mutants(monkeypatch):
    record = make()
    before = record_digest(record)
    assert record_digest(record, ["a sign is flipped"]) != before
    for path in ("runner.py", "checks/mutation.py", "checks/honesty/perturbation.py"):
        assert (Path(ledger.__file__).parent / path) in digests._check_files()
    monkeypatch.setattr(digests, "CHECK_SOURCES", ("ledger/checks/mutation.py",))
    digests._check_digest.cache_clear()
    assert record_digest(record) != before
    digests._check_digest.cache_clear()
