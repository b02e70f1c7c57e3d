"""Mechanisms of several tests, and functions to simulate them."""

import numpy as np
from maximal_simulation import simulate
from scipy.spatial.transform import Rotation

from rbnotes import inertia, se3
from rbnotes.dynamics import State, integrate, runge_kutta, symplectic_euler
from rbnotes.joints import Cylindrical, ExponentialSpherical, Universal
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel

G9 = 9.81
X, Y, Z = np.eye(3)


def pose(R=None, p=(0, 0, 0)):
    return se3.frame(np.eye(3) if R is None else R, np.asarray(p, dtype=float))


def turn(axis, angle):
    return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()


def run(model, state, h, steps):
    """Return the states of the reference, one after the other."""
    return integrate(runge_kutta, model, state, h, steps)


def step(model, state, h, **options):
    """Return the state after a step of the simulator, and the impulses of the joints."""
    path = simulate(model, state, h, 1, integrator=symplectic_euler, **options)
    return path.states[-1], path.joint_impulses[0]


def steps(model, state, h, count, **options):
    """Return the states of so many steps of the simulator."""
    return simulate(model, state, h, count, integrator=symplectic_euler, **options).states


def rods(lengths, weights):
    """Return the spatial inertias of thin rods along x from the origin of their frames."""
    return np.stack(
        [
            inertia.spatial_inertia(m, m * length**2 / 12 * np.diag([1e-3, 1, 1]), [length / 2, 0, 0])
            for length, m in zip(lengths, weights, strict=True)
        ]
    )


def hanging_chain():
    """Return bodies on joints of several kinds, in general frames, moving as the joints allow."""
    rng = np.random.default_rng(5)
    bodies = np.stack(
        [
            inertia.spatial_inertia(m, J * np.diag([1.0, 0.8, 0.6]))
            for m, J in ((1, 0.2), (2, 0.3), (0.5, 0.1))
        ]
    )
    poses = se3.exp(rng.normal(size=(3, 6)))
    where = se3.exp(0.5 * rng.normal(size=(3, 6)))
    joints = [
        maximal.joint_from_world_frame(ExponentialSpherical(), where[0], poses, 0),
        maximal.joint_from_world_frame(Universal(), where[1], poses, 1, 0),
        maximal.joint_from_world_frame(Cylindrical(), where[2], poses, 2, 1),
    ]
    model = MaximalModel(bodies, joints)
    return model, maximal.project(model, State(poses, rng.normal(size=(3, 6))))
