"""Examples of the property tests (`--hypothesis-profile=deep` tries fresh ones); slow and skipped tests."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, seed, settings

from rbnotes.testing import SEED, reproducible_draws

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
sys.path.insert(0, str(Path(__file__).parent))

from rotation import fix_day, select_due  # the path comes first

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
settings.register_profile("suite", max_examples=8, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=1000, **_COMMON)
settings.load_profile("suite")


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run all slow tests, and all checks of all records")


def pytest_configure(config):
    """Pass the day and the option to the processes that pytest-xdist starts."""
    fix_day()
    if config.getoption("--slow"):
        os.environ["RUN_SLOW_TESTS"] = "1"


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


def pytest_collection_modifyitems(config, items):
    """Leave out the slow tests that are not due, unless the command line names a single test."""
    if any("::" in argument for argument in config.args):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    left_out = set(slow) - set(select_due(slow))
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def pytest_collection_finish():
    """Collect garbage rarely, and leave out the loaded objects, because they live to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def _draws():
    """Return the draws, which depend neither on other tests nor on the location of the package."""
    with reproducible_draws():
        yield
