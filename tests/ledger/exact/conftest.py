"""Strategies of the exact copy of the package."""

import pytest

from rbnotes.ledger.exact.loader import exact_package


@pytest.fixture(scope="module")
def some():
    with exact_package():
        from rbnotes.testing import strategies

        return strategies
