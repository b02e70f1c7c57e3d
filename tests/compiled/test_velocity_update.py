"""Contact velocities after gravity and applied impulses, against velocities of the contact points."""

import numpy as np
from numba import njit

from rbnotes import so3
from rbnotes.compiled.contact_solver.contact_impulses import ContactJacobian
from rbnotes.compiled.contact_solver.joint_constraints import Bodies
from rbnotes.compiled.contact_solver.velocity_update import StepParameters, force_velocity_changes


@njit(error_model="numpy")
def velocities_after_free_motion(bodies, rows, plan):
    """Write the velocities after free motion to an array; compiled code alone calls this function."""
    fallen = np.zeros(len(rows.blocks))
    force_velocity_changes(bodies, rows, plan, fallen)
    return fallen


def test_contact_velocities_include_gravity_and_applied_impulses():
    """Two bodies and the ground, which has no gravity; every pair in both orders."""
    rng = np.random.default_rng(7)
    h, gravity, impulses = 0.03, np.array([0.4, -9.0, 2.0]), rng.normal(size=(3, 6))
    R = np.stack([so3.exp(rng.normal(size=3)) for _ in range(2)] + [np.eye(3)])
    x = rng.normal(size=(3, 3))
    pairs = np.array([(0, 1), (1, 0), (0, 2), (2, 1)])
    along, expected = np.empty((len(pairs), 2, 6)), np.empty(len(pairs))
    for r, pair in enumerate(pairs):
        point, direction = rng.normal(size=(2, 3))
        speeds = []
        for side, b in enumerate(pair):
            arm, sign = point - x[b], 1 - 2 * side
            along[r, side, :3] = sign * (R[b].T @ np.cross(arm, direction))
            along[r, side, 3:] = sign * direction
            falls = h * gravity / 2 if b < 2 else 0.0
            speeds.append(impulses[b, 3:] + falls + np.cross(R[b] @ impulses[b, :3], arm))
        expected[r] = direction @ (speeds[0] - speeds[1])
    masses, none = np.array([1.0, 2.5]), np.zeros((2, 3))
    bodies = Bodies(masses, np.zeros((2, 3, 3)), 1 / masses, np.zeros((2, 3, 3)), none)
    actual = velocities_after_free_motion(
        bodies, ContactJacobian(pairs, along), StepParameters(h, gravity, 0.0, 0.0, impulses)
    )
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)
