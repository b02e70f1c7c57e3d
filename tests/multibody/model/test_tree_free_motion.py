"""Motion of trees without forces: free bodies to rounding, other links to fourth order, in any mixture."""

import numpy as np
import pytest
from model_parts import shift
from scipy.integrate import solve_ivp

from rbnotes import joints, se3, so3
from rbnotes.multibody import Body, Model, simulate
from rbnotes.multibody.tree_free_motion import FreeMotion
from rbnotes.shapes import Box

SPIN = np.array([9.0, 14.0, 3.0])
BRICK = Box([0.1, 0.2, 0.4])
TILTED = se3.frame(so3.exp([0.3, -0.5, 0.2]), [0.1, 0.05, -0.2])


def pendulum(**options):
    """Return two links on skew hinges."""
    upper = Body(
        "upper",
        BRICK,
        mass=1.0,
        joint=joints.Revolute([0, 0.6, 0.8]),
        body_frame=shift(0, 0, -0.2),
        **options,
    )
    hinge = joints.Revolute([1, 0, 0])
    lower = Body("lower", BRICK, mass=2.0, parent="upper", joint=hinge, body_frame=TILTED, joint_frame=TILTED)
    return [upper, lower]


def motion_of(model):
    return FreeMotion.of_tree(model.tree, model.tree.armature)


def test_fast_free_bodies_move_as_in_maximal_coordinates():
    """Their centers of mass lie outside the origins of their frames."""
    E = se3.frame(so3.exp([0.2, 0.1, -0.3]), [0.1, 0.2, 0.3])
    M = se3.Ad_inverse(TILTED).T @ BRICK.spatial_inertia(mass=2.0) @ se3.Ad_inverse(TILTED)
    model = Model([Body("body", inertia=M, pose=E)])
    start = model.state(twists={"body": [*SPIN, 1.0, 0.5, -0.2]})
    ends = [
        simulate(model, start, h=0.05, steps=20, coordinates=coordinates).body_states
        for coordinates in ("reduced", "maximal")
    ]
    for name in ("E", "phi"):
        np.testing.assert_allclose(*(getattr(end, name)[-1] for end in ends), rtol=0, atol=1e-11)


def test_link_on_a_spherical_joint_solves_eulers_equations():
    body = Body("body", BRICK, mass=2.0, joint=joints.ExponentialSpherical(), body_frame=TILTED)
    model, h = Model([body]), 0.3
    q, qdot = motion_of(model).advance(np.zeros(3), SPIN, h)
    M = se3.Ad_inverse(TILTED).T @ model.tree.inertias[0] @ se3.Ad_inverse(TILTED)
    J = M[:3, :3]

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        return [*(R @ so3.hat(w)).ravel(), *np.linalg.solve(J, np.cross(J @ w, w))]

    exact = solve_ivp(rates, [0, h], [*np.eye(3).ravel(), *SPIN], method="DOP853", rtol=1e-12, atol=1e-12)
    R, w = exact.y[:9, -1].reshape(3, 3), exact.y[9:, -1]
    np.testing.assert_allclose(so3.exp(q), R, rtol=0, atol=1e-10)
    np.testing.assert_allclose(body.joint.motion_subspace(q) @ qdot, [*w, 0, 0, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("position_first", [True, False])
def test_rotation_vectors_continue_beyond_half_a_turn(position_first):
    """They change by whole turns between steps only, in the re-parametrization."""
    joint = joints.Free3D(position_first=position_first)
    motion = motion_of(Model([Body("body", BRICK, mass=1.0, joint=joint)]))
    q, qdot = np.zeros(6), np.zeros(6)
    turning = 5 if position_first else 2
    q[turning], qdot[turning] = 3.0, 0.5
    end_q, end_qdot = motion.advance(q, qdot, 1.0)
    np.testing.assert_allclose(end_q, q + qdot, rtol=0, atol=1e-13)
    np.testing.assert_allclose(end_qdot, qdot, rtol=0, atol=1e-13)


@pytest.mark.parametrize("armature", [0.0, 0.3])
def test_links_move_independently_of_other_trees(armature):
    """Bodies that move freely stand between the links of another tree, with and without a rotor."""
    upper, lower = pendulum(armature=armature)
    free = [Body(f"free {k}", BRICK, mass=1.0 + k, position=[k, 0, 0]) for k in range(2)]
    ball = Body("ball", BRICK, mass=1.0, joint=joints.ExponentialSpherical(), body_frame=TILTED)
    rng = np.random.default_rng(3)

    def advance(bodies, values):
        model = Model(bodies)
        stacked = [
            model.tree.coordinates({each.name: values[each.name][k] for each in bodies}) for k in range(2)
        ]
        ends = motion_of(model).advance(*stacked, 0.05)
        slices = zip(model.tree.links, model.tree.coordinate_slices, strict=True)
        return {link.name: [end[own] for end in ends] for link, own in slices}

    bodies = [free[0], upper, ball, lower, free[1]]
    sizes = {"upper": 1, "lower": 1, "ball": 3}
    values = {each.name: rng.normal(size=(2, sizes.get(each.name, 6))) for each in bodies}
    together = advance(bodies, values)
    apart = [advance(each, values) for each in ([upper, lower], [ball], free)]
    for name, ends in together.items():
        expected = next(each[name] for each in apart if name in each)
        np.testing.assert_array_equal(np.concatenate(ends), np.concatenate(expected))


def test_other_links_are_integrated_to_fourth_order():
    model = Model(pendulum())
    motion, q, qdot = motion_of(model), np.array([0.3, -0.4]), np.array([2.0, -3.0])

    def end(steps):
        state = q, qdot
        for _ in range(steps):
            state = motion.advance(*state, 0.4 / steps)
        return np.concatenate(state)

    ends = [end(steps) for steps in (4, 8, 16)]
    assert np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2]) == pytest.approx(
        16, rel=0.25
    )
