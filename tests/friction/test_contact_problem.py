"""Reduction of a step problem to its contacts: equivalence and argument errors."""

import copy
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from friction_scenes import heap, particle
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.contact import BodyPairJacobian, Contacts, tangent_directions
from rbnotes.dynamics import (
    WORLD,
    BilateralRows,
    Reduction,
    StepProblem,
    StepSolution,
    UnilateralRows,
    solve_step,
)
from rbnotes.friction import (
    anitescu_stewart,
    box_friction,
    coulomb_residuals,
    facet_directions,
    friction_contact_problem,
    gauss_seidel_friction,
    semismooth_newton_friction,
    single_qp,
    socp_fixed_point_friction,
    staggered_projections,
)


def dual(problem):
    return single_qp(problem, form="dual")


MODELS = (box_friction, anitescu_stewart, single_qp, gauss_seidel_friction, socp_fixed_point_friction)


def test_facets_are_opposite_pairs():
    for facets in (4, 6, 8, 20):
        directions = facet_directions(facets)
        assert np.allclose(np.linalg.norm(directions, axis=1), 1)
        assert np.allclose(directions[: facets // 2], -directions[facets // 2 :])
    for facets in (3, 5, 2, 0):
        with pytest.raises(InvalidArgument, match="facets"):
            facet_directions(facets)


def test_delassus_matrix_is_the_response_to_unit_impulses(rng):
    problem = heap(rng, equations=3)
    space = friction_contact_problem(problem)
    G = problem.bilateral.rows
    for i in (0, 4, 11, 20):
        unit = np.zeros(21)
        unit[i] = 1.0
        v, reactions = space.apply_impulses(unit.reshape(7, 3))
        assert np.allclose(G @ v, 0, atol=1e-10)
        balance = problem.momentum + problem.contacts.rows[i] + G.T @ reactions
        assert np.allclose(problem.mass @ v, balance)
        assert np.allclose(
            problem.contacts.rows @ v, (space.free_contact_velocities.ravel() + space.delassus_matrix[:, i])
        )
        solution = StepSolution(v, reactions, normal=unit[::3], tangential=unit.reshape(7, 3)[:, 1:])
        assert np.allclose(
            space.velocities_from_impulses(unit.reshape(7, 3)), space.velocities_from_solution(solution)
        )
    assert np.allclose(space.delassus_matrix, space.delassus_matrix.T)


def test_sparse_data_give_the_same_problem(rng):
    dense = heap(rng, equations=2)
    like = StepProblem(
        sparse.csr_array(dense.mass),
        dense.momentum,
        BilateralRows(sparse.csr_array(dense.bilateral.rows)),
        contacts=Contacts(sparse.csr_array(dense.contacts.rows), dense.contacts.mu, 0.1),
    )
    one, other = friction_contact_problem(dense), friction_contact_problem(like)
    assert np.allclose(other.delassus_matrix, one.delassus_matrix)
    assert np.allclose(other.free_contact_velocities[:, 0], one.free_contact_velocities[:, 0] - 0.1)
    for form in ("primal", "dual"):
        target = replace(dense, contacts=Contacts(dense.contacts.rows, dense.contacts.mu, 0.1))
        assert np.allclose(single_qp(like, form=form).velocity, single_qp(target, form=form).velocity)


def as_pairs(problem):
    """Return the contacts of a heap as blocks of pairs of bodies."""
    blocks = problem.contacts.rows.reshape(problem.contacts.count, 3, -1, 6)
    touched = np.any(blocks, axis=(1, 3))
    a, b = [], []
    for bodies in touched:
        a.append(np.flatnonzero(bodies)[0])
        b.append(np.flatnonzero(bodies)[1] if bodies.sum() > 1 else WORLD)
    number = np.arange(len(a))
    rows = BodyPairJacobian(
        np.array(a), np.array(b), blocks[number, :, a], blocks[number, :, b], blocks.shape[2]
    )
    return replace(problem, contacts=Contacts(rows, problem.contacts.mu, problem.contacts.normal_target))


@pytest.mark.parametrize("equations", [0, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_body_pair_data_give_the_same_problem(rng, equations, form):
    dense = heap(rng, equations=equations, mu=(0.1, 0.4))
    pairs = as_pairs(dense)
    assert np.any(pairs.contacts.rows.b == WORLD)
    assert np.any(pairs.contacts.rows.b != WORLD)
    bilateral = BilateralRows(form(dense.bilateral.rows)) if equations else BilateralRows()
    pairs = replace(pairs, mass=form(dense.mass), bilateral=bilateral)
    one, other = friction_contact_problem(dense), friction_contact_problem(pairs)
    np.testing.assert_allclose(
        other.delassus_matrix, one.delassus_matrix, atol=1e-12 * np.abs(one.delassus_matrix).max()
    )
    np.testing.assert_allclose(other.free_contact_velocities, one.free_contact_velocities, atol=1e-11)
    for model in MODELS:
        close = 1e-4 if model is socp_fixed_point_friction else 1e-6
        np.testing.assert_allclose(model(pairs).velocity, model(dense).velocity, atol=close)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_coupled_mass_matrices_are_not_treated_as_blocks(rng, form):
    """An implicit step couples bodies through its springs, and need not be symmetric."""
    dense = heap(rng)
    coupling = np.zeros((24, 24))
    coupling[2, 13], coupling[13, 2], coupling[20, 4] = 0.3, 0.3, 0.2
    dense = replace(dense, mass=dense.mass + coupling)
    W = friction_contact_problem(replace(as_pairs(dense), mass=form(dense.mass))).delassus_matrix
    rows = dense.contacts.rows
    np.testing.assert_allclose(W, rows @ np.linalg.solve(dense.mass, rows.T), atol=1e-12 * np.abs(W).max())


@pytest.mark.slow
def test_many_bodies_use_sparse_storage():
    """A square matrix would take 2.6 GB; the system, its factors and a batch of columns suffice."""
    bodies, contacts = 3000, 20
    rng = np.random.default_rng(3)
    numbers = np.linspace(0, bodies - 2, contacts).astype(int)
    blocks = rng.normal(size=(2, contacts, 3, 6))
    rows = BodyPairJacobian(numbers, numbers + 1, *blocks, bodies)
    mass = sparse.diags_array(rng.uniform(1, 2, 6 * bodies), format="csc")
    joint = sparse.csr_array(([1.0, -1.0], ([0, 0], [3, 9])), shape=(1, 6 * bodies))
    mobility = sparse.diags_array(1 / mass.diagonal())
    C, G = rows.matrix, joint
    free = (C @ mobility @ C.T).toarray()
    towards = (C @ mobility @ G.T).toarray()
    joined = free - towards @ towards.T / (G @ mobility @ G.T).toarray()
    touching, momentum = Contacts(rows, rng.uniform(0.1, 0.5, contacts)), rng.normal(size=6 * bodies)
    for bilateral, expected in ((BilateralRows(), free), (BilateralRows(joint), joined)):
        problem = StepProblem(mass, momentum, bilateral, contacts=touching)
        tracemalloc.start()
        space = friction_contact_problem(problem)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100e6
        np.testing.assert_allclose(space.delassus_matrix, expected, atol=1e-10)
        assert coulomb_residuals(problem, gauss_seidel_friction(problem)).natural_residual < 1e-7
    assert np.abs(free - joined).max() > 0.1


SOFT = np.array([[0.3, 0.1, 0.0], [0.1, 0.2, 0.05], [0.0, 0.05, 0.4]])


@pytest.mark.slow
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("softness", [0.0, [0.1, 0.0, 0.3], SOFT], ids=["hard", "diagonal", "full"])
def test_inequalities_equal_frictionless_contacts(rng, softness, form):
    """Without other contacts the result is that of a step without friction."""
    problem = heap(rng, equations=2, mu=(0.1, 0.4))
    some = [0.05, 0.0] if np.any(softness) else 0.0
    equations = BilateralRows(form(problem.bilateral.rows), [0.1, -0.2], some)
    limits = UnilateralRows(form(rng.normal(size=(3, 24))), [0.3, -0.2, 0.5], softness)
    problem = replace(problem, mass=form(problem.mass), bilateral=equations, unilateral=limits)
    W = friction_contact_problem(problem).delassus_matrix
    assert np.all(np.diagonal(W)[[21, 24, 27]] > 0)
    assert np.all(W[[22, 23, 25, 26, 28, 29]] == 0)
    Q = np.diag(limits.regularization) if limits.regularization.ndim == 1 else limits.regularization
    for model in (*MODELS, dual):
        solution = model(problem)
        assert solution.unilateral.shape == (3,)
        assert solution.normal.shape == (7,)
        assert solution.tangential.shape == (7, 2)
        balance = problem.mass @ solution.velocity - problem.momentum - limits.rows.T @ solution.unilateral
        balance -= problem.contacts.rows.T @ solution.contact_impulses.ravel()
        np.testing.assert_allclose(balance, equations.rows.T @ solution.bilateral, atol=1e-9)
        missed = (
            equations.rows @ solution.velocity
            + equations.regularization * solution.bilateral
            - equations.target
        )
        np.testing.assert_allclose(missed, 0, atol=1e-9)
        over = limits.rows @ solution.velocity + Q @ solution.unilateral - limits.target
        assert np.all(over > -1e-5)
        assert np.all(solution.unilateral > -1e-9)
        assert np.abs(over * solution.unilateral).max() < 1e-4
        assert np.any(solution.unilateral > 0.01)
        if model in (gauss_seidel_friction, socp_fixed_point_friction):
            assert coulomb_residuals(problem, solution).natural_residual < 1e-5
            negated = replace(solution, unilateral=-solution.unilateral)
            assert np.isclose(coulomb_residuals(problem, negated).tensile_impulse, solution.unilateral.max())

        alone = model(replace(problem, contacts=None))
        expected = solve_step(replace(problem, contacts=None))
        np.testing.assert_allclose(alone.velocity, expected.velocity, atol=1e-5)
        np.testing.assert_allclose(alone.unilateral, expected.unilateral, atol=1e-5)
        np.testing.assert_allclose(alone.bilateral, expected.bilateral, atol=1e-5)


def test_reduced_coordinates_give_the_same_contacts(rng):
    """A heap reduced to twelve velocities has the same contacts as one with the equivalent equations."""
    full = as_pairs(heap(rng, mu=(0.1, 0.4)))
    J, drift = rng.normal(size=(24, 12)), np.zeros(24)
    reduction = Reduction(J, drift)
    reduced = reduction.reduce(full)
    across = np.linalg.svd(J)[0][:, 12:].T
    constrained = replace(full, bilateral=BilateralRows(across))
    for model in MODELS:
        fewer, all_of_them = model(reduced), model(constrained)
        close = 1e-4 if model is socp_fixed_point_friction else 1e-6
        np.testing.assert_allclose(
            reduction.expand_velocities(fewer.velocity), all_of_them.velocity, atol=close
        )


def test_bad_problems_are_named():
    problem = particle([0, 0, -1.0])
    with pytest.raises(InvalidArgument, match="M"):
        friction_contact_problem(replace(problem, mass=-np.eye(3)))
    lopsided = np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    limits = UnilateralRows(np.eye(3), regularization=lopsided)
    for crooked in (replace(problem, mass=lopsided), replace(problem, unilateral=limits)):
        for model in (socp_fixed_point_friction, single_qp, dual):
            with pytest.raises(InvalidArgument, match="problem: got a mass or regularization"):
                model(crooked)
        assert coulomb_residuals(crooked, anitescu_stewart(crooked), cone="pyramid").complementarity < 1e-9


def test_contacts_fixed_by_equations_are_solved():
    tilted = tangent_directions(np.array([0.6, 0.0, 0.8]))
    constrained = StepProblem(
        np.diag([1.0, 2.0, 3.0]),
        [1.0, 2.0, -30.0],
        BilateralRows([[0.3, 0.0, 0.4], tilted[0], tilted[1]]),
        contacts=Contacts([[[0.6, 0.0, 0.8], *tilted]], 0.5),
    )
    assert np.all(friction_contact_problem(constrained).delassus_matrix == 0)
    for model in MODELS:
        np.testing.assert_allclose(model(constrained).velocity, 0, atol=1e-12)


@pytest.mark.parametrize("solve", [*MODELS, semismooth_newton_friction, staggered_projections])
def test_rounding_of_constrained_coordinates_is_not_motion(rng, solve):
    """A contact along a coordinate that an equation fixes: its velocity there is rounding error."""
    for _ in range(12):
        A = rng.normal(size=(4, 4))
        along = rng.normal(size=3)[:, None] * [1.0, 0, 0, 0]
        constrained = StepProblem(
            A @ A.T + np.eye(4),
            rng.normal(size=4),
            BilateralRows(along[:1]),
            contacts=Contacts([[along[1], along[2], np.zeros(4)]], 0.5),
        )
        expected = solve_step(replace(constrained, contacts=None)).velocity
        np.testing.assert_allclose(solve(constrained).velocity, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("form", [np.array, sparse.csc_array])
def test_contact_problems_pickle_and_copy(form):
    """With equations of which one is soft, so that the factored system has a slack."""
    equations = BilateralRows(form([[1.0, 0, 0, 1], [0, 1, 1, 0]]), np.zeros(2), [0.0, 0.5])
    mass = form(np.diag([1.0, 2, 3, 4]))
    rows = form([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
    problem = StepProblem(mass, -np.ones(4), equations, contacts=Contacts(rows, 0.5))
    contact_problem = friction_contact_problem(problem)
    impulses = np.array([[1.0, 0.2, -0.1]])
    for twin in (pickle.loads(pickle.dumps(contact_problem)), copy.deepcopy(contact_problem)):
        np.testing.assert_array_equal(twin.delassus_matrix, contact_problem.delassus_matrix)
        assert twin.kkt.rank == contact_problem.kkt.rank
        pairs = zip(twin.apply_impulses(impulses), contact_problem.apply_impulses(impulses), strict=True)
        for actual, expected in pairs:
            np.testing.assert_allclose(actual, expected, rtol=1e-13)
