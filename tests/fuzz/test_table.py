"""Every public callable has a valid call in the table."""

import numpy as np
import pytest
from table import SUBPACKAGES, covered, public, table, within

ALL = [
    pytest.param(call, id=f"{call.name}-{i}")
    for subpackage in SUBPACKAGES
    for i, call in enumerate(table(subpackage))
    if not call.slow
]


def test_every_public_name_is_in_the_table():
    missing = sorted(name for name in public() if name not in covered() and not within(name))
    assert not missing, (
        f"No valid call of {', '.join(missing)}. Add one to tests/fuzz/calls/: "
        "Call(function, {argument: valid value, ...}), where `fine` names kinds of value that are good for "
        "an argument although they are nonsense for most. What takes data that is known to be right, and "
        "says so, goes into WITHIN in tests/fuzz/table.py instead."
    )


def test_table_contains_only_existing_names():
    assert sorted(covered() - set(public())) == []


@pytest.mark.parametrize("call", ALL)
def test_valid_calls_are_valid(call):
    with np.errstate(all="ignore"):
        call()
