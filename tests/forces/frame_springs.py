"""Random frame springs, and an independent implementation of their force."""

import numpy as np
from closeness import relative_comparison
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.forces.frame_spring import (
    FrameSpring,
)
from rbnotes.testing import derivative
from rbnotes.testing.strategies import (
    frames,
    positive_numbers,
    rotation_vectors,
    spd_matrices,
    vectors,
)

DAMPINGS = st.sampled_from(["origins", "displacement"])
AT_REST = np.zeros((2, 6))


def velocities():
    """Return the twists of both bodies."""
    return vectors(12).map(lambda entries: entries.reshape(2, 6))


@st.composite
def springs(draw, isotropic=None, damping=DAMPINGS):
    if draw(st.booleans()) if isotropic is None else isotropic:
        k_t, k_r, d_t, d_r = (draw(positive_numbers()) for _ in range(4))
        return FrameSpring.isotropic(
            draw(frames()), draw(frames()), k_t, k_r, d_t, d_r, damping=draw(damping)
        )
    matrices = [draw(spd_matrices(3)) for _ in range(4)]
    return FrameSpring(draw(frames()), draw(frames()), *matrices, damping=draw(damping))


@st.composite
def pairs(draw, isotropic=None, damping=DAMPINGS, angles="moderate"):
    """Return a spring, and poses at which frame 2 is rotated by a chosen angle relative to frame 1."""
    spring = draw(springs(isotropic, damping))
    if angles == "moderate":
        w = draw(rotation_vectors().filter(lambda w: np.linalg.norm(w) < 3))
    else:
        w = draw(rotation_vectors(angles))
    A, r = draw(frames()), draw(vectors())
    B = A @ spring.X_1 @ se3.frame(Rotation.from_rotvec(w).as_matrix(), r) @ se3.inverse(spring.X_2)
    return spring, np.array([A, B]), w


def second_force(spring, E, phi):
    """Return the wrenches of forces and torques in the world, transformed to the bodies."""
    (A, B), (phi_A, phi_B) = E, phi
    R_A, R_B = A[:3, :3], B[:3, :3]
    R_1, R_2 = R_A @ spring.X_1[:3, :3], R_B @ spring.X_2[:3, :3]
    arm_1, arm_2 = R_A @ spring.X_1[:3, 3], R_B @ spring.X_2[:3, 3]
    separation = B[:3, 3] + arm_2 - A[:3, 3] - arm_1
    omega_A, omega_B = R_A @ phi_A[:3], R_B @ phi_B[:3]
    velocity = R_B @ phi_B[3:] + np.cross(omega_B, arm_2) - R_A @ phi_A[3:] - np.cross(omega_A, arm_1)
    w = Rotation.from_matrix(R_2 @ R_1.T).as_rotvec()  # in the world
    elastic = R_1 @ spring.K_t @ R_1.T @ separation
    torque = R_1 @ np.linalg.solve(left_jacobian(R_1.T @ w).T, spring.K_r @ R_1.T @ w)
    torque = torque + R_1 @ spring.D_r @ R_1.T @ (omega_B - omega_A)
    # The elastic force acts at the second origin on both bodies.
    on_A = torque + np.cross(arm_1 + separation, elastic)
    on_B = -torque - np.cross(arm_2, elastic)
    if spring.damping == "origins":
        viscous = R_1 @ spring.D_t @ R_1.T @ velocity
        on_A = on_A + np.cross(arm_1, viscous)
    else:
        viscous = R_1 @ spring.D_t @ R_1.T @ (velocity - np.cross(omega_A, separation))
        on_A = on_A + np.cross(arm_1 + separation, viscous)
    on_B = on_B - np.cross(arm_2, viscous)
    force = elastic + viscous
    return np.concatenate([R_A.T @ on_A, R_A.T @ force, R_B.T @ on_B, -R_B.T @ force])


def left_jacobian(w):
    """Sum of hat(w)^k / (k + 1)!, from the exponential of a larger matrix."""
    W = np.zeros((6, 6))
    W[:3, :3], W[:3, 3:] = np.cross(np.eye(3), w), np.eye(3)
    return expm(W)[:3, 3:]


def to_world(R, six):
    """Return both halves of each row of ``six`` rotated by the body's R (back again, for transposed R)."""
    return np.einsum("nij,nkj->nki", R, np.reshape(six, (2, 2, 3))).reshape(2, 6)


def derivative_along(function, E, xi):
    """Return the derivative of a function of the two poses along the body-frame increments ``xi (12,)``."""
    twists = np.zeros((2, 4, 4))
    for matrix, (theta, shift) in zip(twists, xi.reshape(2, 2, 3), strict=True):
        matrix[:3, :3], matrix[:3, 3] = np.cross(np.eye(3), theta), shift

    def function_along_motion(t):
        E_t = E @ np.array([expm(t * matrix) for matrix in twists])
        E_t[:, 3] = 0, 0, 0, 1
        return function(E_t)

    return derivative(function_along_motion).value


close = relative_comparison(1e-8)
