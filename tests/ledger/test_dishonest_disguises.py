"""Lies in disguise: oracles that hide what they reach, inputs that look generic, definitions that claim."""

import functools
import operator
import pickle
import subprocess
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from sys import setprofile as quiet

import numpy as np
import pytest
import sympy
from honest import ERRATUM, INPUTS, bracket, make, refused, turned_library, turned_printed, turned_reference
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger import Verdict
from rbnotes.ledger.checks.honesty import input_variety
from rbnotes.ledger.runner import verify
from rbnotes.testing import strategies as some

# --- oracles --------------------------------------------------------------------------------------------


def closing_over(helper):
    def reference(R, a):
        return R @ (1.0 * helper(a)) @ np.linalg.inv(R)

    return reference


def asked_for_by_name(R, a):
    return operator.attrgetter("hat")(so3)(R @ a)


def entry_of_bracket(x, y, z, row, column):
    return so3.hat(np.array([x, y, z]))[int(row), int(column)]


entries = np.frompyfunc(entry_of_bracket, 5, 1)


def by_a_ufunc(R, a):
    return entries(*(R @ a), *np.indices((3, 3))).astype(float)


pickled = pickle.dumps(bracket)


def unpickled(R, a):
    return R @ (1.0 * pickle.loads(pickled)(a)) @ np.linalg.inv(R)


def in_a_thread(R, a):
    results = []
    thread = threading.Thread(target=lambda: results.append(so3.hat(a)))
    thread.start()
    thread.join()
    return R @ results[0] @ np.linalg.inv(R)


def in_a_pool(R, a):
    with ThreadPoolExecutor(1) as pool:
        return R @ pool.submit(so3.hat, a).result() @ np.linalg.inv(R)


def in_a_process(R, a):
    subprocess.call("true")
    return turned_reference(R, a)


def unwatched(R, a):
    quiet(None)
    return R @ so3.hat(a) @ np.linalg.inv(R)


clone = types.FunctionType(bracket.__code__.replace(co_name="clone"), globals(), "clone")


def by_a_clone(R, a):
    return R @ (1.0 * clone(a)) @ np.linalg.inv(R)


exec("def made_of_text(a):\n    return 1.0 * bracket(a)")


def by_text(R, a):
    return R @ made_of_text(a) @ np.linalg.inv(R)  # noqa: F821


SYMBOLS = sympy.symbols("x:3")
lambdified = sympy.lambdify(SYMBOLS, sympy.Matrix(bracket(SYMBOLS)))


def by_computer_algebra(R, a):
    return R @ lambdified(*a) @ np.linalg.inv(R)


TABLE = np.stack([so3.hat(axis) for axis in np.eye(3)])
COPY = 1.0 * TABLE
OWN_TABLE = np.stack([bracket(axis) for axis in np.eye(3)])
ANNOTATED: np.ndarray = 1.0 * TABLE
FIRST, *OTHERS = TABLE


def by_table(R, a):
    return R @ np.tensordot(a, COPY, 1) @ np.linalg.inv(R)


def by_own_table(R, a):
    return R @ np.tensordot(a, OWN_TABLE, 1) @ np.linalg.inv(R)


def by_annotated_table(R, a):
    return R @ np.tensordot(a, ANNOTATED, 1) @ np.linalg.inv(R)


def by_unpacked_table(R, a):
    return R @ (a[0] * FIRST + a[1] * OTHERS[0] + a[2] * OTHERS[1]) @ np.linalg.inv(R)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reference", "kind"),
    [
        (closing_over(bracket), "no primitive"),
        (closing_over(functools.partial(bracket)), "no primitive"),
        (asked_for_by_name, "reaches"),
        (by_a_ufunc, "reaches"),
        (unpickled, "behind which nothing is watched"),
        (in_a_thread, "behind which nothing is watched"),
        (in_a_pool, "behind which nothing is watched"),
        (in_a_process, "behind which nothing is watched"),
        (unwatched, "behind which nothing is watched"),
        (by_a_clone, "clone of the reference was made by bracket"),
        (by_text, "has no source"),
        (by_computer_algebra, "lambdified of the reference was made by bracket"),
        (by_table, "COPY of the reference was made by rbnotes.so3.hat"),
        (by_annotated_table, "ANNOTATED of the reference was made by rbnotes.so3.hat"),
        (by_unpacked_table, "OTHERS of the reference was made by rbnotes.so3.hat"),
        (by_own_table, "OWN_TABLE of the reference was made by bracket"),
    ],
)
def test_an_oracle_that_hides_its_calls_is_reported(reference, kind):
    assert refused(kind, reference=reference)


def hardly_calls(R, a):
    return 1.0 * turned_reference(R, a) + 1e-14 * so3.hat(a)


def test_a_library_call_with_negligible_effect_is_reported():
    assert refused("does not use", library=hardly_calls, implements=(so3.hat,))


# --- inputs ---------------------------------------------------------------------------------------------

TURNS = [Rotation.from_rotvec(w).as_matrix() for w in ([0.3, 0.2, 0.1], [1.0, 0.5, 0.2])]
ARMS = [np.array(a) for a in ([0.3, 0.7, 0.1], [0.9, 0.2, 0.4], [-0.3, 0.6, 1.1])]


@pytest.mark.parametrize(
    ("inputs", "kind"),
    [
        ({"a": some.vectors(2).map(lambda x: np.array([*x, x[0] + x[1]]))}, "a linear relation"),
        ({"R": st.sampled_from(TURNS), "a": st.sampled_from(ARMS)}, "one of 2 arrays"),
        ({"a": some.numbers().map(lambda x: ARMS[int(64 * x) % 3])}, "one of 3 arrays"),
    ],
)
def test_inputs_that_look_generic(inputs, kind):
    assert refused(kind, inputs={**INPUTS, **inputs})


def first_order(w, a):
    return a + np.cross(w, a)


def first_order_library(w, a):
    return a + so3.hat(w) @ a


def whole_turn(w, a):
    return Rotation.from_rotvec(w).apply(a)


def test_turns_too_small_for_terms_of_second_order():
    small = {"w": some.vectors().map(lambda w: 1e-5 * w), "a": some.vectors()}
    assert refused(
        "is never above",
        printed=first_order,
        library=first_order_library,
        reference=whole_turn,
        inputs=small,
    )


def wrong_beside_large_constant(R, a):
    return 1e7 + turned_printed(R, a) + 1e-3 * np.outer(a, a)


def right_beside_large_constant(R, a):
    return 1e7 + turned_library(R, a)


def reference_beside_large_constant(R, a):
    return 1e7 + turned_reference(R, a)


def test_a_large_constant_that_hides_variation_is_reported():
    forms = {
        "printed": wrong_beside_large_constant,
        "library": right_beside_large_constant,
        "reference": reference_beside_large_constant,
    }
    assert refused("zero:", **forms)


# --- conditions and errata ------------------------------------------------------------------------------


def commuted(R, a):
    return bracket(a) @ R


def turned_after(R, a):
    return so3.hat(R @ a) @ R


def turned_after_reference(R, a):
    return np.stack([R @ np.cross(a, axis) for axis in np.eye(3)], axis=1)


def is_the_claim(R, a):
    return np.allclose(bracket(a) @ R, turned_after_reference(R, a))


def asks_the_library(R, a):
    return np.allclose(so3.hat(R @ a), so3.hat(a))


def about(axis, angle):
    return Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()


AXIS = st.shared(some.nonzero_vectors(), key="axis of disguises")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("holds_when", "kind"),
    [(is_the_claim, "computes what the printed form"), (asks_the_library, "runs rbnotes.so3.hat")],
)
def test_a_condition_that_is_the_claim(holds_when, kind):
    assert refused(
        kind,
        verdict=Verdict.CONDITIONAL,
        condition="$R$ turns about $a$",
        condition_inputs={"R": st.builds(about, AXIS, some.numbers(0.5, 3.0)), "a": AXIS},
        holds_when=holds_when,
        printed=commuted,
        library=turned_after,
        reference=turned_after_reference,
    )


def switched(R, a, mode):
    return R @ bracket(a) @ R.T if mode > 0 else R @ bracket(a)


def switched_library(R, a, mode):
    return turned_library(R, a)


def switched_reference(R, a, mode):
    return turned_reference(R, a)


def is_on(R, a, mode):
    return mode > 0


def test_a_flag_that_is_a_number():
    assert refused(
        "only a switch",
        verdict=Verdict.CONDITIONAL,
        condition="the mode is positive",
        printed=switched,
        library=switched_library,
        reference=switched_reference,
        holds_when=is_on,
        inputs={**INPUTS, "mode": some.numbers(-1, 1)},
        condition_inputs={**INPUTS, "mode": some.numbers(0.25, 1)},
    )


def wrong_at_the_edge(R, a):
    return R @ bracket(a) @ R.T + np.floor(np.abs(a[0]) / 2)


def test_an_erratum_on_hardly_any_input():
    assert refused("inputs only", **{**ERRATUM, "printed": wrong_at_the_edge})


# --- definitions ----------------------------------------------------------------------------------------

NO_FORMS = {"verdict": Verdict.DEFINITION, "inputs": {}, "printed": None, "library": None, "reference": None}


@pytest.mark.parametrize(
    ("formula", "defines"),
    [
        (r"\mathbf M = \mathbf M^T", (r"\mathbf M",)),
        (r"\mathbf v = \mathbf P\mathbf v", (r"\mathbf v",)),
        (r"\mathbf a \parallel \mathbf b", ()),
        (r"E \propto h^2", ()),
        (r"\mathbf M \text{ symmetric}", ()),
        (r"\mathbf M\ \text{stays positive}", ()),
        (
            r"\mathbf B \equiv \underbrace{\mathbf R[\mathbf a]\mathbf R^T}_{[\mathbf R\mathbf a]}",
            (r"\mathbf B",),
        ),
        (r"\mathbf B \equiv \overbrace{\mathbf R\mathbf R^T}^{\mathbf I}", (r"\mathbf B",)),
        (r"c \equiv \frac{\sin x}{x} \to 1", ("c",)),
        (r"c \equiv \lim_{x\to 0}\frac{\sin x}{x} \longrightarrow 1", ("c",)),
        (r"f \equiv x^2,\quad f' \equiv 2x", ("f", "f'")),
        (
            r"\mathbf v \equiv R\mathbf x,\quad \dot{\mathbf v} \equiv \dot R\dot{\mathbf x}",
            (r"\mathbf v", r"\dot{\mathbf v}"),
        ),
        (r"f \equiv x^3,\quad f_{,x} \equiv 3x^2", ("f", "f_{,x}")),
        (r"\mathbf R\mathbf R^T \triangleq \mathbf I", ()),
        (r"\mathbf B \equiv \mathbf R\mathbf R^T \cong \mathbf I", (r"\mathbf B",)),
        (r"\mathbf B \equiv \underbracket{\mathbf R\mathbf R^T}_{\mathbf I}", (r"\mathbf B",)),
        (r"c \equiv \frac{\sin x}{x} \leadsto 1", ("c",)),
        (r"c \equiv \lim_{x\to 0}\frac{\sin x}{x}\ (1)", ("c",)),
        (r"c \equiv \lim_{x\to 0}\frac{\sin x}{x}:\ 1", ("c",)),
        (r"\dot{\mathbf H} = 0", (r"\dot{\mathbf H}",)),
        (r"\mathbf H = \mathrm{const}", (r"\mathbf H",)),
        (r"g \equiv 9.81", ("g",)),
        (r"\mathbf K_{12} = \mathbf K_{21}", (r"\mathbf K_{12}",)),
        (r"\mathbf x^+ = \mathbf x", (r"\mathbf x^+",)),
        (r"T = \tfrac12\mathbf v^T\mathbf M\mathbf v > 0", ("T",)),
        (r"\mathbf w = \mathbf q + \mathbf M\mathbf z \ge 0", (r"\mathbf w",)),
        (r"\mathbf P \equiv \mathbf I - \mathbf A \in \mathcal S", (r"\mathbf P",)),
    ],
)
def test_a_claim_in_the_form_of_a_definition_is_reported(formula, defines):
    assert refused("form:", **NO_FORMS, formula=formula, defines=defines)


@pytest.mark.parametrize(
    ("formula", "defines"),
    [
        (r"c \equiv \lim_{x\to 0}\frac{\sin x}{x}", ("c",)),
        (
            r"A \equiv \begin{pmatrix} C \\ G \end{pmatrix},\quad"
            r"\dot A \equiv \begin{pmatrix} \dot C \\ \dot G \end{pmatrix}",
            ("A", r"\dot A"),
        ),
        (r"\mathbf x_1 \equiv \mathbf x_A", (r"\mathbf x_1",)),
        (r"\mathbf M\mathbf z + \mathbf q = \mathbf w,\quad 0 \le \mathbf z", (r"\mathbf w",)),
        (r"\mu(i) = \{k \mid \lambda(k) \in \mathcal S\}", (r"\mu(i)",)),
        (r"T_i = \text{its temperature}", ("T_i",)),
    ],
)
def test_honest_definitions(formula, defines):
    outcome = verify(make(**NO_FORMS, formula=formula, defines=defines))
    assert outcome.confirmed, outcome.reason


@pytest.mark.parametrize(
    "title",
    [
        "Energy is constant",
        "Conservation of energy",
        "symmetry of the mass matrix",
        "Positivity of the kinetic energy",
        "Rank deficiency of the constraint matrix",
        "Stability of the implicit step",
        "Passivity of the contact forces",
        "The step preserves the momentum",
        "The adjoint agrees with the matrix of a twist",
    ],
)
def test_a_definition_with_the_title_of_a_claim_is_reported(title):
    assert refused("title", **NO_FORMS, formula="", id="lloyd/s0.1/t12", title=title)


@pytest.mark.parametrize(
    "title", ["Velocity of a body", "Stiffness of a spring", "A complementarity problem"]
)
def test_a_definition_of_a_quantity(title):
    outcome = verify(make(**NO_FORMS, formula="", id="lloyd/s0.1/t12", title=title))
    assert outcome.confirmed, outcome.reason


def test_a_symbol_with_another_index_is_another_symbol():
    step = r"\mathbf x_{k+1} = \mathbf x_k + h\mathbf v_{k+1}"
    outcome = verify(make(**NO_FORMS, formula=step, defines=(r"\mathbf x_{k+1}",)))
    assert outcome.confirmed, outcome.reason


# --- honest twins ---------------------------------------------------------------------------------------


def test_draws_as_special_as_those_given_do_not_make_these_needless():
    rng = np.random.default_rng(0)

    def drawn(w):
        """Return a pose that is turned by w, and a vector."""
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = Rotation.from_rotvec(w).as_matrix(), rng.normal(size=3)
        return {"R": pose, "a": rng.normal(size=3)}

    given = [drawn([0.0, 0.0, 0.0]) for _ in range(20)]
    hardly_turned = [drawn(rng.normal(size=3) * (place % 3 == 0)) for place in range(20)]
    exact = make(holds_when=lambda R, a: np.allclose(R[:3, :3] @ a, a))
    assert input_variety.overly_special_findings(exact, given, hardly_turned) == []
    anything = make(holds_when=lambda R, a: True)
    assert "more special" in input_variety.overly_special_findings(anything, given, hardly_turned)[0]
