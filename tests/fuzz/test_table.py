"""Every public callable has a valid call in the table."""

import copy
import pickle

import numpy as np
import pytest
from engine import leaves
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
    # Methods of results whose class is private, such as those of mechanical_system, have no public name.
    assert sorted(name for name in covered() - set(public()) if "._" not in name) == []


@pytest.mark.parametrize("call", ALL)
def test_valid_calls_are_valid(call):
    with np.errstate(all="ignore"):
        result = call()
    for each in package_objects([*call.arguments.values(), result]):
        for twin in (pickle.loads(pickle.dumps(each)), copy.deepcopy(each)):
            assert type(twin) is type(each)
            for mine, other in zip(leaves(each), leaves(twin), strict=True):
                np.testing.assert_array_equal(other, mine)


def package_objects(value, depth=3):
    """Return the objects of the package among arguments and results."""
    if type(value).__module__.startswith("rbnotes."):
        return [value]
    if depth and isinstance(value, list | tuple):
        return [each for part in value for each in package_objects(part, depth - 1)]
    return []
