"""Si & Guenter's operators and square factors against the dense equations and Pinocchio."""

import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import ALL, KINDS, body, frame, pinocchio_model, random_tree

from rbnotes import joints
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import (
    Link,
    SpatialOperators,
    Tree,
    factor_matrices,
    factored_dynamics,
    square_factors,
)
from rbnotes.multibody.reduced.dynamics import regularized_mass_matrix


def mixed_tree(seed, links=7):
    rng = np.random.default_rng(seed)
    made = random_tree(rng, links, tuple(ALL), ALL)
    return (
        rng,
        made,
        made.neutral + 0.4 * rng.normal(size=made.num_coordinates),
        rng.normal(size=made.num_coordinates),
    )


close = relative_comparison(1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_six_passes_give_the_accelerations_of_the_dense_equations(seed):
    rng, made, q, qdot = mixed_tree(seed)
    tau, wrenches = rng.normal(size=made.num_coordinates), rng.normal(size=(7, 6))
    passes = factored_dynamics(made, q, qdot, tau, wrenches)
    close(passes.qddot, reduced.forward_dynamics_dense(made, q, qdot, tau, wrenches))


def test_springs_and_dampers_of_joints_act():
    rng = np.random.default_rng(0)
    links = [
        Link(
            "a",
            joints.Universal(),
            body(rng),
            None,
            frame(rng),
            frame(rng),
            stiffness=3.0,
            spring_reference=[0.2, 0.1],
        ),
        Link("b", joints.Revolute(), body(rng), "a", frame(rng), damping=0.7),
    ]
    made, q, qdot = Tree(links), rng.normal(size=3), rng.normal(size=3)
    expected = reduced.forward_dynamics_dense(made, q, qdot)
    close(factored_dynamics(made, q, qdot).qddot, expected)
    close(SpatialOperators(made, q, qdot).net_generalized_force(), reduced.mass_matrix(made, q) @ expected)


@pytest.mark.parametrize("seed", range(3))
def test_six_passes_agree_with_pinocchio(seed):
    rng = np.random.default_rng(seed)
    made = random_tree(rng, 8, tuple(kind for kind in KINDS if kind != "fixed"))
    q, qdot, tau = rng.normal(size=(3, made.num_coordinates))
    model = pinocchio_model(made)
    expected = pinocchio.aba(model, model.createData(), q, qdot, tau)
    close(factored_dynamics(made, q, qdot, tau).qddot, expected, 1e-10)


def test_leading_axes_of_every_argument_broadcast():
    rng, made, q, qdot = mixed_tree(3, 4)
    many = q + 0.1 * rng.normal(size=(2, 1, made.num_coordinates))
    tau, wrenches = rng.normal(size=(3, made.num_coordinates)), rng.normal(size=(2, 1, 4, 6))
    at_once = factored_dynamics(made, many, qdot, tau, wrenches)
    matrices = factor_matrices(made, many)
    for i in range(2):
        for j in range(3):
            one = factored_dynamics(made, many[i, 0], qdot, tau[j], wrenches[i, 0])
            close(at_once.qddot[i, j], one.qddot)
            close(at_once.z[i, j], one.z)
        close(matrices.unit_triangular[i, 0], factor_matrices(made, many[i, 0]).unit_triangular)
        close(SpatialOperators(made, many, qdot).a[i, 0], SpatialOperators(made, many[i, 0], qdot).a)


@pytest.mark.parametrize("seed", range(3))
def test_factors_multiply_to_the_mass_matrix_and_to_its_inverse(seed):
    _, made, q, _ = mixed_tree(seed)
    factors, M = factor_matrices(made, q), regularized_mass_matrix(made, q)
    close(factors.mass_matrix, M)
    close(factors.inverse_mass_matrix @ M, np.eye(made.num_coordinates), 1e-9)
    close(factors.unit_triangular @ factors.unit_triangular_inverse, np.eye(made.num_coordinates))
    for matrix in (factors.Y, factors.unit_triangular):
        assert np.all(np.tril(matrix, -1) == 0) or np.abs(np.tril(matrix, -1)).max() < 1e-12
        close(np.diag(matrix), np.ones(len(matrix)))
    determinant = np.prod([np.linalg.det(block) for block in square_factors(made, q).Omega])
    close(determinant, np.linalg.det(M), 1e-9)


def test_blocks_of_the_matrices_are_those_of_the_recursion():
    _, made, q, _ = mixed_tree(1)
    factors, matrices = square_factors(made, q), factor_matrices(made, q)
    steps = np.eye(6 * len(made.links)) - np.linalg.inv(matrices.Y)
    for i, parent in enumerate(made.parents):
        rows, columns = slice(6 * parent, 6 * parent + 6), slice(6 * i, 6 * i + 6)
        if parent >= 0:
            close(steps[rows, columns], factors.Y[i], 1e-9)
            close(matrices.Pi[rows, made.coordinate_slices[i]], factors.Pi[i])
        close(matrices.Jbar[columns, columns], factors.articulated_inertias[i])


def test_articulated_inertia_is_the_least_kinetic_energy():
    """On a free root: the least kinetic energy for each of its twists, over motions of the other joints."""
    rng = np.random.default_rng(5)
    links = [
        Link("root", joints.Free3D(), body(rng), None, frame(rng), frame(rng)),
        Link("arm", joints.Universal(), body(rng), "root", frame(rng), frame(rng)),
        Link("hand", joints.Revolute(), body(rng), "arm", frame(rng), frame(rng)),
        Link("tail", joints.Helical([0, 0, 1.0], 0.3), body(rng), "root", frame(rng), frame(rng)),
    ]
    made, q = Tree(links), 0.5 * rng.normal(size=10)
    M = reduced.mass_matrix(made, q)
    felt = M[:6, :6] - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, :6])
    to_twist = np.linalg.inv(reduced.jacobian(made, q)[:6, :6])
    close(square_factors(made, q).articulated_inertias[0], to_twist.T @ felt @ to_twist, 1e-10)


@pytest.mark.parametrize("seed", range(2))
def test_operators_satisfy_the_equations_of_all_bodies(seed):
    rng, made, q, qdot = mixed_tree(seed)
    wrenches, qddot = rng.normal(size=(7, 6)), rng.normal(size=made.num_coordinates)
    operators, size = SpatialOperators(made, q, qdot, wrenches), 6 * 7
    close(operators.G, np.linalg.inv(np.eye(size) - operators.Gamma))
    assert not np.any(np.linalg.matrix_power(operators.Gamma, 7))
    moving = reduced.body_kinematics(made, q, qdot)
    close(operators.v, moving.phi.ravel())
    close(operators.Gamma @ operators.v + operators.S @ qdot, operators.v)
    close(operators.G @ operators.a, moving.bias_acceleration.ravel())
    vdot = operators.G @ (operators.S @ qddot + operators.a)
    f = operators.G.T @ (operators.b + operators.J @ vdot)
    tau = reduced.inverse_dynamics_dense(made, q, qdot, qddot, wrenches)
    plain = tau + reduced.passive_joint_forces(made, q, qdot)
    close(operators.S.T @ f, plain)
    close(operators.mass_matrix @ qddot + operators.coriolis_matrix @ qdot + operators.load_forces, plain)
    close(operators.net_generalized_force(tau), operators.mass_matrix @ qddot)


def test_coriolis_matrix_is_passive():
    """The rate of M along the motion, less twice C, has no power: by differences of M."""
    _, made, q, qdot = mixed_tree(2)
    C, h = SpatialOperators(made, q, qdot).coriolis_matrix, 1e-5
    change = reduced.mass_matrix(made, q + h * qdot) - reduced.mass_matrix(made, q - h * qdot)
    assert abs(qdot @ (change / (2 * h) - 2 * C) @ qdot) < 1e-6


def test_a_joint_in_a_singular_state_is_named():
    rng = np.random.default_rng(0)
    links = [
        Link("post", joints.Revolute(), body(rng)),
        Link("ball", joints.EulerSpherical("XYZ"), body(rng), "post", frame(rng)),
    ]
    made = Tree(links)
    with pytest.raises(SingularConfiguration, match="'ball'"):
        square_factors(made, [0.3, 0.2, np.pi / 2, 0.1])


def test_collinear_hinges_without_mass_are_rejected():
    """The first hinge moves without inertia, because the second one carries all bodies."""
    rng = np.random.default_rng(0)
    links = [Link("idle", joints.Revolute()), Link("twin", joints.Revolute(), body(rng), "idle")]
    with pytest.raises(SingularConfiguration, match="'idle'"):
        factored_dynamics(Tree(links), [0.3, 0.2], [0.1, 0.5])


@pytest.mark.parametrize(
    "function",
    [
        SpatialOperators,
        factored_dynamics,
        square_factors,
        reduced.parent_motion_transforms,
        reduced.motion_subspaces,
    ],
)
def test_non_tree_is_rejected(function):
    with pytest.raises(InvalidArgument, match=r"^tree"):
        function("tree", [0.0]) if function is not factored_dynamics else function("tree", [0.0], [0.0])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("q", ([0.0], [0.0, 0.0])),
        ("qdot", ([0.0, 0.0], [0.0])),
        ("tau", ([0.0, 0.0], [0.0, 0.0], [1.0])),
        ("wrenches", ([0.0, 0.0], [0.0, 0.0], 0.0, np.zeros((3, 6)))),
    ],
)
def test_arguments_of_wrong_size_are_named(name, arguments):
    rng = np.random.default_rng(0)
    made = Tree([Link("a", joints.Revolute(), body(rng)), Link("b", joints.Revolute(), body(rng), "a")])
    with pytest.raises(InvalidArgument, match=f"^{name}"):
        factored_dynamics(made, *arguments)
