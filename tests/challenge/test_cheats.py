"""No cheat passes, and what passes for the cheats' forms unchanged is right."""

from functools import cache

import pytest
from cheats import CHEATS

from rbnotes import ledger
from rbnotes.challenge import answers, cases, judge
from rbnotes.challenge.drawing import right_forms

EXAMPLES, FEW = 32, 4


@cache
def tried(id):
    return cases(ledger.find(id), examples=EXAMPLES)


def passes(id, function):
    """Whether nothing wrong is found; not asked any further once something is."""
    claim = ledger.find(id)
    for some in (tried(id)[place : place + FEW] for place in range(0, EXAMPLES, FEW)):
        given = answers(function, [case.inputs for case in some])
        if not all(judge(claim, case, found) for case, found in zip(some, given, strict=True)):
            return False
    return True


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: f"{cheat.claim}: {cheat.what}")
def test_a_cheat_fails(cheat):
    assert not passes(cheat.claim, cheat.function)


@pytest.mark.parametrize("id", sorted({cheat.claim for cheat in CHEATS}))
def test_the_form_that_they_change_passes(id):
    assert passes(id, right_forms(ledger.find(id))[0])
