"""Constrained dynamics by the dual: against the KKT system and Pinocchio; no mass matrix, no Jacobian."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import ALL, body, frame, pinocchio_model, random_tree, unit
from test_constraints import EQUATIONS, branched_system, prescribed_world_motion

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import NotSolved
from rbnotes.constraints import InconsistentConstraints
from rbnotes.dynamics import Forces, State
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, on_particle, path_through
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import (
    DualProblem,
    Gear,
    JointLimit,
    Link,
    LoopClosure,
    PlaneLimit,
    PrescribedBody,
    Tree,
    constrained_acceleration,
    dual_acceleration,
    dual_problem,
)

close = relative_comparison(1e-10)


def assert_both_routes_agree(tree, constraints, state, *gains, **options):
    """Assert that the accelerations and multipliers of both routes agree."""
    a, multipliers = dual_acceleration(tree, constraints, state, *gains, **options)
    expected = constrained_acceleration(tree, constraints, state, *gains)
    close(a, expected[0])
    close(multipliers, expected[1])
    return a, multipliers


SETS = {
    "none": [],
    "a loop": ["loop"],
    "joints": ["gear", "prescribed joint"],
    "with particles": ["loop", "particle on a body", "particle on the world"],
    "the same loop twice": ["loop", "gear", "loop"],
}


class TestEquations:
    @pytest.mark.parametrize("names", SETS.values(), ids=SETS)
    @pytest.mark.parametrize("seed", range(2))
    def test_dual_equals_kkt_system(self, seed, names):
        tree, state = branched_system(np.random.default_rng(seed))
        assert_both_routes_agree(tree, [EQUATIONS[name] for name in names], state, 0.3, 0.7)

    def test_hinged_loop_and_prescribed_body(self):
        tree, state = branched_system(np.random.default_rng(3))
        hinged = LoopClosure("hand", [0.3, -0.1, 0.2], "leg", [0.1, 0.4, -0.3], axis=[0.6, 0.0, 0.8])
        assert_both_routes_agree(
            tree, [hinged, PrescribedBody("arm", (1, 5), prescribed_world_motion)], state
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_every_type_of_joint_and_all_kinds_of_forces(self, seed):
        """Quaternions bring constraints of their own."""
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, 8, ("quaternion", *ALL), ALL)
        q, qdot = (
            tree.neutral + 0.5 * rng.normal(size=tree.num_coordinates),
            rng.normal(size=tree.num_coordinates),
        )
        pulls = [(on_body(1, rng.normal(size=3)), on_body(6, rng.normal(size=3)))]
        pulls += [(on_body(4, rng.normal(size=3)), on_particle(0))]
        springs = ForceGroups(
            [PathForces(LinearSpring(9.0, 0.5, 0.4), path_through(*pair)) for pair in pulls]
        )
        drive = Forces.without_derivatives(rng.normal(size=tree.num_coordinates))
        tree = replace(tree, masses=[0.6], applied_forces=springs, applied_joint_forces=lambda state: drive)
        x, v = rng.normal(size=(2, 1, 3))
        state = tree.reparametrize(State(q=q, qdot=qdot, x=x, v=v))
        ends = [f"link {i}" for i in (3, 7)]
        assert_both_routes_agree(
            tree, [LoopClosure(ends[0], rng.normal(size=3), ends[1], rng.normal(size=3))], state
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_against_pinocchio(self, seed):
        """A point of the last body is fixed in the world."""
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, 9, ("revolute", "prismatic", "universal"))
        q, qdot, tau = rng.normal(size=(3, tree.num_coordinates))
        link, x = tree.links[-1], rng.normal(size=3)
        model = pinocchio_model(tree)
        data, number = model.createData(), model.njoints - 1
        contact_placement = pinocchio.SE3(np.eye(3), x)  # in the frame of the joint
        kind, local = pinocchio.ContactType.CONTACT_3D, pinocchio.ReferenceFrame.LOCAL
        point = pinocchio.RigidConstraintModel(
            kind, model, number, contact_placement, 0, pinocchio.SE3.Identity(), local
        )
        points, kept = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
        points.append(point)
        kept.append(point.createData())
        pinocchio.initConstraintDynamics(model, data, points, kept)
        settings = pinocchio.ProximalSettings(1e-14, 0.0, 1)
        expected = pinocchio.constraintDynamics(model, data, q, qdot, tau, points, kept, settings)
        tree = replace(tree, applied_joint_forces=lambda state: Forces.without_derivatives(tau))
        x_body = se3.transform_points(se3.inverse(link.body_frame), x)
        closure = LoopClosure(link.name, x_body, None, np.zeros(3))
        a, force = dual_acceleration(tree, [closure], State(q=q, qdot=qdot))
        close(a, expected)
        close(force, data.oMi[number].rotation @ kept[0].contact_force.linear)


def at_limits(seed):
    """Return the branched tree with two points on planes, a joint at its bound, and one far from it."""
    tree, state = branched_system(np.random.default_rng(seed))
    still = replace(state, qdot=np.zeros(tree.num_coordinates))
    E = tree.maximal_state(still).E
    planes = []
    for name, x, normal in (
        ("hand", [0.3, -0.1, 0.2], [0.6, 0.0, 0.8]),
        ("leg", [0.1, 0.2, 0.3], [0, -1, 0]),
    ):
        place = se3.transform_points(E[tree.index(name)], np.array(x))
        planes.append(PlaneLimit(name, x, normal, float(np.dot(normal, place))))
    arm = float(still.q[tree.coordinate_slices[tree.index("arm")]][0])
    bounds = [JointLimit("arm", upper=arm), JointLimit("sledge", lower=-100.0, upper=100.0)]
    return tree, still, [*planes, *bounds]


class TestInequalities:
    @pytest.mark.parametrize("method", ["block_principal_pivoting", "principal_pivoting", "lemke", "cvxpy"])
    @pytest.mark.parametrize("seed", range(3))
    def test_inequalities_against_quadratic_program(self, seed, method):
        tree, state, limits = at_limits(seed)
        tolerance = 1e-7 if method == "cvxpy" else 1e-10
        a, multipliers = dual_acceleration(tree, [*limits, EQUATIONS["gear"]], state, method=method)
        expected = constrained_acceleration(tree, [*limits, EQUATIONS["gear"]], state)
        close(a, expected[0], tolerance)
        close(multipliers, expected[1], tolerance)

    @pytest.mark.parametrize("seed", range(5))
    def test_multipliers_are_complementary(self, seed):
        tree, state, limits = at_limits(seed)
        a, multipliers = dual_acceleration(tree, limits, state)
        rows = [reduced.constraint_rows(tree, each, state, 0.0) for each in limits]
        opening = np.concatenate([each.G @ a + each.bias_acceleration for each in rows])[:3]
        assert np.all(opening > -1e-10)
        assert np.all(multipliers >= 0)
        close(opening * multipliers[:3], np.zeros(3))
        assert np.all(multipliers[3:] == 0)  # far from the bounds

    def test_cases_include_active_and_inactive_inequalities(self):
        """Over the draws above: or nothing is tested."""
        pushing = np.concatenate([dual_acceleration(s, c, x)[1][:3] for s, x, c in map(at_limits, range(5))])
        assert 3 <= np.count_nonzero(pushing) <= 12


def forbidden_call(*args, **kwargs):
    raise AssertionError("formed a Jacobian or a mass matrix")


def test_no_mass_matrix_and_no_jacobian(monkeypatch):
    tree, state, limits = at_limits(0)
    constraints = [*limits, *(EQUATIONS[name] for name in ("loop", "gear", "particle on a body"))]
    expected = constrained_acceleration(tree, constraints, state)[0]
    monkeypatch.setattr("rbnotes.multibody.reduced.kinematics._jacobian", forbidden_call)
    monkeypatch.setattr("rbnotes.multibody.reduced.dynamics._jacobian_unchecked", forbidden_call)
    monkeypatch.setattr(Tree, "mass_matrix", forbidden_call)
    monkeypatch.setattr(Tree, "body_kinematics", forbidden_call)
    close(dual_acceleration(tree, constraints, state)[0], expected)
    with pytest.raises(AssertionError, match="formed a Jacobian"):
        constrained_acceleration(tree, constraints, state)


def test_the_delassus_matrix():
    """``A M^-1 A^T`` from the dense matrices, and the residual of the free motion."""
    tree, state = branched_system(np.random.default_rng(4))
    loop = EQUATIONS["loop"]
    problem = dual_problem(tree, [loop], state)
    G, _, _, drift = loop.rows(tree, state, 0.0)
    M = tree.mass_matrix(state)
    close(problem.delassus_matrix, G @ np.linalg.solve(M, G.T))
    close(problem.residual_target, -drift - G @ np.linalg.solve(M, tree.force(state)))
    close(problem.free_acceleration, tree.acceleration(state))


class TestRefusals:
    def test_contradictions_are_named(self):
        tree, state = branched_system(np.random.default_rng(0))
        prescribed = [reduced.PrescribedJoint("arm", lambda t, a=a: (0.0, 0.0, a)) for a in (1.0, 2.0)]
        with pytest.raises(InconsistentConstraints, match=r"PrescribedJoint\('arm'\)"):
            dual_acceleration(tree, prescribed, state)

    @pytest.mark.parametrize("acceleration", [1.0, 0.0, -1.0])
    def test_limits_fixed_by_an_equation(self, acceleration):
        """They contradict it, repeat it, or let it go."""
        tree, state, limits = at_limits(0)
        prescribed = reduced.PrescribedJoint("arm", lambda t: (0.0, 0.0, acceleration))
        if acceleration > 0:
            for solve in (dual_acceleration, constrained_acceleration):
                with pytest.raises(
                    NotSolved, match=r"JointLimit\('arm'\): block_principal_pivoting.*infeasible"
                ):
                    solve(tree, [prescribed, *limits], state)
        else:
            a, _ = dual_acceleration(tree, [prescribed, *limits], state)
            close(a, constrained_acceleration(tree, [prescribed, *limits], state)[0])

    def test_impact_is_rejected(self):
        tree, state, limits = at_limits(0)
        moving = replace(state, qdot=np.ones(tree.num_coordinates))
        rows = [limit.rows(tree, moving, 0.0).G for limit in limits[:3]]
        assert np.min(np.concatenate(rows) @ moving.velocity) < -0.1
        with pytest.raises(InvalidArgument, match="impact"):
            dual_acceleration(tree, limits, moving)


def test_a_long_chain_between_two_walls():
    """Sixty links, closed at the end."""
    rng = np.random.default_rng(1)
    names = [f"{i}" for i in range(60)]
    chain = [
        Link(name, joints.Revolute(unit(rng)), body(rng), parent, frame(rng))
        for name, parent in zip(names, [None, *names], strict=False)
    ]
    tree = Tree(chain)
    state = State(q=rng.normal(size=60), qdot=rng.normal(size=60))
    loop = LoopClosure("59", [0.1, 0.2, 0.3], None, [1.0, 2.0, 3.0])
    a, force = dual_acceleration(tree, [loop, Gear("3", "17", 2.0)], state)
    expected = constrained_acceleration(tree, [loop, Gear("3", "17", 2.0)], state)
    close(a, expected[0], 1e-8)
    close(force, expected[1], 1e-8)


def test_limit_satisfied_by_an_equation_is_inactive():
    """An inequality parallel to an equation that the free motion satisfies up to rounding."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        row, answer = rng.normal(size=6), rng.normal(size=6)
        answer *= np.sign(row @ answer)
        free = rng.normal(size=6)
        free -= answer * (row @ free) / (row @ answer)
        problem = DualProblem(free, np.outer([0.7, 1.0], row), np.outer([0.7, 1.0], answer), np.zeros(2), 1)
        np.testing.assert_allclose(problem.multipliers(), 0, rtol=0, atol=1e-9)
