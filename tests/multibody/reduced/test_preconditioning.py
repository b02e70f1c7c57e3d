"""Linearly implicit steps by conjugate gradients: operator, preconditioner, number of iterations."""

from dataclasses import replace

import numpy as np
import pytest
from closeness import relative_comparison
from random_trees import body, frame, unit
from scipy.sparse.linalg import cg
from test_tree import branched_system, joint_drive, springs

from rbnotes import joints
from rbnotes.arguments import SingularConfiguration
from rbnotes.dynamics import Forces, State
from rbnotes.forces import (
    Damping,
    ForceGroups,
    LinearSpring,
    PathForces,
    on_body,
    on_particle,
    on_world,
    path_through,
)
from rbnotes.multibody.reduced import Link, Tree, step_operator, step_preconditioner

H = 0.03


def dense(operator):
    return np.stack([operator.matvec(unit) for unit in np.eye(operator.shape[0])], axis=1)


def step_matrix(tree, state, h=H):
    _, K, D = tree.linearized_force(state)
    return tree.mass_matrix(state) - h * D - h**2 * K


close = relative_comparison(1e-10)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("root", [None, joints.QuaternionSpherical()], ids=["universal", "quaternion"])
def test_the_operator(seed, root):
    groups = [*springs(0.7), Damping([0.3, 0.5], [0, 2])]
    tree, state = branched_system(seed, groups, None if root else joint_drive, damping=0.9, root=root)
    close(dense(step_operator(tree, state, H)), step_matrix(tree, state))


def along_the_tree():
    """Return springs of bodies with the world and with their parents, and of the particle with the world."""
    law = LinearSpring(60.0, 5.0, 0.4)
    ends = [
        (on_body(2, [0.3, -0.2, 0.1]), on_world([0.5, 0.4, -0.2])),
        (on_body(1, [-0.1, 0.2, 0.3]), on_body(2, [0.3, 0.1, 0.2])),
        (on_body(3, [0.2, 0.2, -0.3]), on_body(0, [0.1, -0.3, 0.2])),
        (on_particle(0), on_world([0.5, 1.0, -1.5])),
    ]
    return [*(PathForces(law, path_through(*pair)) for pair in ends), Damping([0.3, 0.5], [0, 2])]


@pytest.mark.parametrize("seed", range(3))
def test_preconditioner_is_exact_along_the_tree(seed):
    """Also where K is not symmetric, as that of springs in body coordinates."""
    tree, state = branched_system(seed, along_the_tree(), damping=0.9)
    inverse, matrix = step_preconditioner(tree, state, H), step_matrix(tree, state)
    assert np.max(np.abs(matrix - matrix.T)) > 1e-3
    assert inverse.is_exact
    close(dense(inverse.operator) @ matrix, np.eye(state.size))


@pytest.mark.parametrize(
    ("groups", "drive"),
    [(springs(), None), (along_the_tree(), joint_drive)],
    ids=["bodies far apart", "joints driven by each other"],
)
def test_couplings_outside_the_tree_are_ignored(groups, drive):
    tree, state = branched_system(0, groups, drive)
    inverse = step_preconditioner(tree, state, H)
    assert not inverse.is_exact
    assert np.max(np.abs(dense(inverse.operator) @ step_matrix(tree, state) - np.eye(state.size))) > 1e-3


def stiff_chain(links=50):
    """Return hinges with springs of 1 to 1e6 N m/rad; and weak ones between links far apart."""
    rng = np.random.default_rng(2)
    names = [f"{i}" for i in range(links)]
    chain = [
        Link(
            name,
            joints.Revolute(unit(rng)),
            body(rng),
            parent,
            frame(rng),
            stiffness=10.0 ** (3 + 3 * (i % 2)),
        )
        for i, (name, parent) in enumerate(zip(names, [None, *names], strict=False))
    ]
    q = 0.3 * rng.normal(size=links)
    pairs = [(on_body(i, rng.normal(size=3)), on_body(i + 9, rng.normal(size=3))) for i in (0, 7, 14)]
    pulls = [
        PathForces(LinearSpring(500.0, rest_length=0.5), path_through(*p), stiffness="symmetrized")
        for p in pairs
    ]
    return Tree(chain, applied_forces=ForceGroups(pulls)), State(q=q, qdot=rng.normal(size=links))


def iterations(tree, state, preconditioned):
    operator, steps = step_operator(tree, state, H), []
    inverse = step_preconditioner(tree, state, H)
    assert inverse.is_positive_definite
    assert not inverse.is_exact
    right = operator.matvec(state.velocity) + H * tree.force(state)
    M = inverse.operator if preconditioned else None
    actual, failed = cg(operator, right, rtol=1e-10, M=M, maxiter=2000, callback=steps.append)
    assert not failed
    if preconditioned:
        close(actual, np.linalg.solve(step_matrix(tree, state), right), 1e-6)
    return len(steps)


def test_preconditioner_reduces_iterations():
    tree, state = stiff_chain()
    plain, helped = (iterations(tree, state, kind) for kind in (False, True))
    assert helped < 10 < 50 < plain, (helped, plain)


def test_negative_stiffness_makes_it_indefinite():
    tree, state = branched_system(
        0, [], lambda s: Forces(0 * s.q, 1e6 * np.eye(len(s.q)), np.zeros((len(s.q),) * 2))
    )
    assert not step_preconditioner(tree, state, H).is_positive_definite
    assert np.linalg.eigvalsh(step_matrix(tree, state))[0] < 0


def test_negative_particle_stiffness_is_rejected():
    tree, state = branched_system(0)

    def balanced(maximal):
        f = np.zeros(maximal.size)
        K = np.zeros((len(f), len(f)))
        K[-3:, -3:] = tree.masses[0] / H**2 * np.eye(3)
        return Forces(f, K, np.zeros_like(K))

    with pytest.raises(SingularConfiguration, match="particle"):
        step_preconditioner(replace(tree, masses=tree.masses, applied_forces=balanced), state, H)
