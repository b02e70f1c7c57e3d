"""Cheats and subtle slips fail although they are right on many inputs.

Each is a right form of a claim that sees other arguments than it is given, or forgets one of its terms.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import pytest

from rbnotes import ledger
from rbnotes.coursework.challenge import assess, cases, collect_answers
from rbnotes.coursework.challenge.case_generation import iterate_cases, right_forms
from rbnotes.ledger.claims.sueda import section_2_5

IMPLICIT, REDUCED, STEP, DAMPER = (
    "sueda/s2.5/e2.77",
    "sueda/s2.3/e2.18#b",
    "sueda/s2.3/e2.20",
    "sueda/s2.5/e2.76",
)
FEWER, SPRING_FORCE, NODES = "sueda/s2.6/e2.83", "sueda/s2.7/e2.86", "sueda/s2.7/e2.92"
BODY, WRENCHES, ARTICULATED, MASSES = "si/s3/e4", "si/s4/e14", "si/s4/e27", "si/sA/e51"


@dataclass(frozen=True)
class Cheat:
    """A function of a claim's arguments."""

    claim: str
    what: str
    function: Callable


CHEATS = []


def cheat(claim, what):
    """Keep a function of the right form and the arguments."""
    right = right_forms(ledger.find(claim))[0]

    def register(function):
        CHEATS.append(Cheat(claim, what, lambda *args: function(right, *args)))
        return function

    return register


def with_changed_arguments(claim, what, **other):
    """Return the right form applied to changed arguments."""
    names = list(ledger.find(claim).inputs)

    @cheat(claim, what)
    def function(right, *args):
        by_name = dict(zip(names, args, strict=True))
        return right(*{**by_name, **{name: change(by_name[name]) for name, change in other.items()}}.values())


def part(name, change):
    """Change one part of a mechanism."""
    return lambda system: replace(system, **{name: change(getattr(system, name))})


def all_as_first(values):
    """Replace all entries by the first."""
    return np.broadcast_to(np.asarray(values)[:1], np.shape(values)).copy()


def diagonal(matrices):
    return matrices * np.eye(matrices.shape[-1])


def downwards(g):
    """Return gravity along z."""
    return np.array([0.0, 0.0, g[2]])


def implicit(body_tree, q, v, k, d, rest_length, h, *, stiff=2, damped=1, explicit=0.0, chosen=np.asarray):
    M, f = section_2_5.equations_of_motion(body_tree, q, v)
    left = chosen(M) + h**damped * np.diag(d) + h**stiff * np.diag(k)
    return np.linalg.solve(left, M @ v + h * (f - k * (q - rest_length) - explicit * d * v))


with_changed_arguments(IMPLICIT, "springs that rest at zero", rest=np.zeros_like)
with_changed_arguments(IMPLICIT, "springs all alike", k=all_as_first)
with_changed_arguments(IMPLICIT, "dampers all alike", d=all_as_first)
with_changed_arguments(IMPLICIT, "a step of an eighth", h=lambda h: 0.125)
with_changed_arguments(IMPLICIT, "steps of a quarter at most", h=lambda h: min(h, 0.25))
with_changed_arguments(IMPLICIT, "steps of an eighth at least", h=lambda h: max(h, 0.125))
with_changed_arguments(IMPLICIT, "bodies of the same mass", body_tree=part("masses", all_as_first))
for what, options in {
    "h in the place of h^2": {"stiff": 1},
    "h^2 in the place of h": {"damped": 2},
    "damped twice": {"explicit": 1.0},
    "only the diagonal of M": {"chosen": diagonal},
    "only the lower half of M": {"chosen": np.tril},
}.items():
    cheat(IMPLICIT, what)(lambda right, *given, options=options: implicit(*given, **options))
with_changed_arguments(REDUCED, "unit masses", assembly=part("masses", np.ones_like))
with_changed_arguments(REDUCED, "principal axes", assembly=part("inertias", diagonal))
with_changed_arguments(REDUCED, "centers at the origins", assembly=part("centers", np.zeros_like))
with_changed_arguments(REDUCED, "gravity along z", assembly=part("gravity", downwards))
with_changed_arguments(
    REDUCED, "a chain", assembly=part("parents", lambda parents: tuple(range(-1, len(parents) - 1)))
)
with_changed_arguments(
    REDUCED, "hinges that turn no further than once", q=lambda q: np.clip(q, -np.pi, np.pi)
)
with_changed_arguments(REDUCED, "at rest", qdot=np.zeros_like)
with_changed_arguments(REDUCED, "no loads", wrenches=np.zeros_like)
with_changed_arguments(REDUCED, "loads of forces only", wrenches=lambda w: w * [0, 0, 0, 1, 1, 1])
with_changed_arguments(
    REDUCED, "nothing on the first body", wrenches=lambda w: w * (np.arange(len(w)) > 0)[:, None]
)
with_changed_arguments(STEP, "steps up to a tenth of a second", h=lambda h: min(h, 0.1))
with_changed_arguments(DAMPER, "only the first damper", d=all_as_first)
with_changed_arguments(FEWER, "no bend", U=np.zeros_like)
with_changed_arguments(FEWER, "at rest", r_dot=np.zeros_like)
with_changed_arguments(FEWER, "joints all alike", W=all_as_first)
with_changed_arguments(SPRING_FORCE, "unit length", L=lambda L: 1.0)
cheat(SPRING_FORCE, "strings, which do not push")(
    lambda right, K, L, x0, x1: right(K, L, x0, x1) * (np.linalg.norm(x1 - x0) > L)
)
cheat(SPRING_FORCE, "squared")(lambda right, K, L, x0, x1: right(K, L, x0, x1) * np.linalg.norm(x1 - x0) / L)
with_changed_arguments(NODES, "nodes of one mass", m=all_as_first)
with_changed_arguments(NODES, "springs all alike", K=all_as_first)
with_changed_arguments(NODES, "gravity along z", g=downwards)
with_changed_arguments(BODY, "principal axes", Ic=diagonal)
with_changed_arguments(BODY, "a ball", Ic=lambda Ic: np.eye(3) * np.trace(Ic) / 3)
with_changed_arguments(BODY, "unit mass", m=lambda m: 1.0)
with_changed_arguments(BODY, "about its center", r=np.zeros_like)
with_changed_arguments(BODY, "at rest", v=np.zeros_like)
with_changed_arguments(BODY, "a point that stands still", v=lambda v: v * [1, 1, 1, 0, 0, 0])
with_changed_arguments(BODY, "no acceleration", vdot=np.zeros_like)
with_changed_arguments(WRENCHES, "no loads", wrenches=np.zeros_like)
with_changed_arguments(WRENCHES, "steady coordinates", qddot=np.zeros_like)
with_changed_arguments(ARTICULATED, "principal axes", assembly=part("inertias", diagonal))
with_changed_arguments(
    ARTICULATED, "no branches", assembly=part("parents", lambda parents: tuple(range(-1, len(parents) - 1)))
)
cheat(ARTICULATED, "the first and the last body only")(
    lambda right, assembly, q: right(assembly, q) * np.array([1, 0, 1])[:, None, None]
)
cheat(MASSES, "only the diagonal")(lambda right, assembly, q: diagonal(right(assembly, q)))
with_changed_arguments(MASSES, "at home", q=np.zeros_like)
with_changed_arguments(
    MASSES, "masses of a kilogram at least", assembly=part("masses", lambda m: np.maximum(m, 1.0))
)


@cheat(MASSES, "the first answer, kept by its shape")
def cached_by_shape(right, assembly, q, stored={}):  # noqa: B006
    return stored.setdefault(q.shape, right(assembly, q))


@cheat(MASSES, "kept by what is rounded")
def cached_by_rounding(right, assembly, q, stored={}):  # noqa: B006
    return stored.setdefault(np.round(q, 3).tobytes(), right(assembly, q))


@cheat(MASSES, "coordinates wrapped in place")
def wrapped(right, assembly, q):
    q %= 2 * np.pi
    return right(assembly, q)


@cheat(MASSES, "a mechanism that is made lighter")
def lighter(right, assembly, q):
    result = right(assembly, q)
    np.asarray(assembly.masses)[:] *= 0.5
    return result


@cheat(BODY, "an inertia that is symmetrized in place")
def symmetrized(right, m, r, Ic, v, vdot):
    Ic += 1e-3 * np.eye(3)
    return right(m, r, Ic, v, vdot)


@cheat(BODY, "no gyroscopic wrench of slow bodies")
def slow(right, m, r, Ic, v, vdot):
    return right(m, r, Ic, v if np.linalg.norm(v) > 0.1 else 0 * v, vdot)


EXAMPLES, FEW = 64, 4


def passes(id, function, examples=EXAMPLES):
    """Return True if no case fails; stop at the first failure."""
    claim = ledger.find(id)
    stream = islice(iterate_cases(claim, seed=0, examples=EXAMPLES), examples)
    while some := list(islice(stream, FEW)):
        answers = collect_answers(function, [case.inputs for case in some])
        if not all(assess(claim, case, found) for case, found in zip(some, answers, strict=True)):
            return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: f"{cheat.claim}: {cheat.what}")
def test_cheats_fail(cheat):
    assert not passes(cheat.claim, cheat.function)


@pytest.mark.slow
@pytest.mark.parametrize("id", sorted({cheat.claim for cheat in CHEATS}))
def test_unchanged_form_passes(id):
    assert passes(id, right_forms(ledger.find(id))[0], examples=16)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "name", "most"),
    [
        ("sueda/s1.8/e1.29", "h", 1.0),
        ("sueda/s1.10/t576", "h", 1.0),
        ("sueda/s2.4.9/t974", "m", 4.0),
        ("sueda/s1.12/e1.82#b", "beta", 4.0),
        ("lloyd/s0.22.1/e0.51", "d_t", 4.0),
        ("lloyd/s0.22.3/d4", "k_t", 4.0),
    ],
)
def test_clipped_numbers_fail_with_default_number_of_cases(id, name, most):
    """The default number of cases suffices if the number is unbounded."""
    claim = ledger.find(id)
    names, right = list(claim.inputs), right_forms(claim)[0]

    def clipped(*args):
        by_name = dict(zip(names, args, strict=True))
        return right(*(by_name | {name: min(by_name[name], most)}).values())

    drawn_cases = cases(claim, examples=40)
    assert min(case.inputs[name] for case in drawn_cases) < most
    for function, passes in ((right, True), (clipped, False)):
        answers = collect_answers(function, [case.inputs for case in drawn_cases])
        assessments = [assess(claim, case, found) for case, found in zip(drawn_cases, answers, strict=True)]
        assert all(assessments) is passes
