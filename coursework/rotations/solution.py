"""One way to solve the sheet."""

import numpy as np


def midpoint_orientation(A, B):
    # The projected mean of two rotations loses all digits half a turn apart; this halves the rotation of the
    # relative quaternion instead.
    w = quaternion(A.T @ B)
    half = w + np.array([1.0, 0.0, 0.0, 0.0])
    return A @ matrix(half / np.linalg.norm(half))


def quaternion(R):
    # All four squares from the diagonal; the largest is safe to divide by.
    xx, yy, zz = np.diag(R)
    squares = 1 + np.array([xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy])
    K = np.array(
        [
            [squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], squares[1], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], squares[2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], squares[3]],
        ]
    )
    row = K[np.argmax(squares)]
    q = row / np.linalg.norm(row)
    return q if q[0] >= 0 else -q


def matrix(q):
    s, v = q[0], q[1:]
    X = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * s * X + 2 * X @ X


def hinge_angle(u, R):
    # The trace of R^T exp(theta u) is a cos + b sin + c.
    X = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.arctan2(np.sum(R * X), -np.sum(R * (X @ X)))


def mean_orientation(Rs):
    U, _, Vt = np.linalg.svd(np.sum(Rs, axis=0))
    return U @ np.diag([1, 1, np.linalg.det(U @ Vt)]) @ Vt
