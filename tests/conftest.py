"""Examples of the property tests (`--hypothesis-profile=deep` tries many fresh ones), and skipped tests."""

import gc
import os

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, seed, settings

from rbnotes.testing import SEED, reproducible_draws

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
settings.register_profile("suite", max_examples=12, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=1000, **_COMMON)
settings.load_profile("suite")


PLATFORM = "platform: "
"""Start of the reasons that no installation removes, such as a missing feature of the kernel."""


def _fail_if_skipped(report):
    """Turn a skipped test into a failed one with `CI=true`, unless the platform cannot run it."""
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        path, line, reason = report.longrepr
        reason = reason.removeprefix("Skipped: ")
        if not reason.startswith(PLATFORM):
            report.outcome = "failed"
            report.longrepr = f"{path}:{line}: skipped, which is a failure with CI=true: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _fail_if_skipped((yield))


def pytest_itemcollected(item):
    """Seed the property tests explicitly: `derandomize` takes the seed from names and source text."""
    test = getattr(getattr(item, "obj", None), "__func__", getattr(item, "obj", None))
    if settings.default.derandomize and is_hypothesis_test(test):
        seed(SEED)(test)


def pytest_collection_finish():
    """Exclude the loaded objects from garbage collection, because they live to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _draws():
    """Return the draws, which depend neither on other tests nor on the location of the package."""
    with reproducible_draws():
        yield
