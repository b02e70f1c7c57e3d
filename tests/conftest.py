"""How many examples the property tests try, and which: `--hypothesis-profile=deep` tries many fresh ones."""

import gc

import pytest
from hypothesis import HealthCheck, settings

from rbnotes.checking import same_everywhere

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
settings.register_profile("suite", max_examples=25, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=1000, **_COMMON)
settings.load_profile("suite")


def pytest_collection_finish():
    """What is loaded by now lasts to the end: the garbage collector need not walk through it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _draws():
    """Whichever tests run beside a test, and wherever the package lies, it tries the same examples."""
    with same_everywhere():
        yield
