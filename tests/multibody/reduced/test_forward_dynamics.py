"""Forward dynamics where joints constrain their own coordinates, and where the mass matrix is singular."""

import numpy as np
import pytest
from random_trees import body, frame, unit

from rbnotes import inertia, joints
from rbnotes.arguments import SingularConfiguration
from rbnotes.dynamics import State
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.multibody.reduced.dynamics import _singular_mass_matrix_error
from rbnotes.testing import derivative

HINGE = joints.Revolute()
M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])


def with_balls(ball, seed=0):
    rng = np.random.default_rng(seed)
    links = [
        Link("hip", joints.Composite(joints.Translational(), ball), body(rng), None, frame(rng), frame(rng)),
        Link("arm", joints.Revolute(unit(rng)), body(rng), "hip", frame(rng), frame(rng), stiffness=1.0),
        Link("hand", ball, body(rng), "arm", frame(rng), frame(rng)),
    ]
    return Tree(links, gravity=rng.normal(size=3))


BALLS = joints.QuaternionSpherical(), joints.ExponentialSpherical()


def states(tree, ball, seed=1):
    """Return coordinates and rates of the same poses and twists, for either kind of spherical joint."""
    rng = np.random.default_rng(seed)
    q, v = {}, {}
    for link in tree.links:
        turn, omega, rest = *rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
        own = ball.nearest_coordinates(joints.ExponentialSpherical().transform(turn))
        rate = np.linalg.pinv(ball.motion_subspace(own)[:3]) @ omega
        if link.name == "arm":
            q["arm"], v["arm"] = rest[0, :1], rest[1, :1]
        elif link.name == "hand":
            q["hand"], v["hand"] = own, rate
        else:
            q["hip"], v["hip"] = np.append(rest[0], own), np.append(rest[1], rate)
    return tree.coordinates(q), tree.coordinates(v, default=0)


def test_accelerations_agree_for_quaternions_and_rotation_vectors():
    rng = np.random.default_rng(2)
    wrenches, accelerations = rng.normal(size=(3, 6)), []
    for ball in BALLS:
        tree = with_balls(ball)
        q, v = states(tree, ball)
        qddot = reduced.forward_dynamics_dense(tree, q, v, wrenches=wrenches)
        kinematics = reduced.body_kinematics(tree, q, v)
        accelerations.append(kinematics.J @ qddot + kinematics.bias_acceleration)
    np.testing.assert_allclose(accelerations[0], accelerations[1], rtol=1e-9, atol=1e-9)


def test_quaternions_stay_of_unit_length():
    """Whatever pulls at their length."""
    rng = np.random.default_rng(3)
    tree = with_balls(BALLS[0])
    q, v = states(tree, BALLS[0])
    qddot = reduced.forward_dynamics_dense(tree, q, v, rng.normal(size=tree.num_coordinates))
    for own in (slice(3, 7), slice(8, 12)):
        length = derivative(
            lambda t, own=own: (
                derivative(lambda s: np.linalg.norm((q + (t + s) * v + (t + s) ** 2 / 2 * qddot)[own])).value
            )
        )
        assert np.linalg.norm(v[own]) > 0.2
        assert length.value == pytest.approx(0, abs=1e-8)
    np.testing.assert_allclose(
        tree.acceleration(State(q=q, qdot=v)),
        reduced.forward_dynamics_dense(tree, q, v),
        rtol=1e-10,
        atol=1e-10,
    )


def test_many_states_at_once():
    rng = np.random.default_rng(4)
    tree = with_balls(BALLS[0])
    q = tree.neutral + 0.3 * rng.normal(size=(3, 1, tree.num_coordinates))  # quaternions of any length
    v, tau = rng.normal(size=(2, tree.num_coordinates)), rng.normal(size=tree.num_coordinates)
    many = reduced.forward_dynamics_dense(tree, q, v, tau)
    assert many.shape == (3, 2, tree.num_coordinates)
    alone = reduced.forward_dynamics_dense(tree, q[2, 0], v[1], tau)
    np.testing.assert_allclose(many[2, 1], alone, rtol=1e-9, atol=1e-9)
    # What acts on what is not forbidden is as inverse dynamics wants it.
    back = reduced.inverse_dynamics_dense(tree, q[2, 0], v[1], alone) - tau
    free = np.ones(tree.num_coordinates, dtype=bool)
    free[3:7] = free[8:12] = False
    np.testing.assert_allclose(back[free], 0, atol=1e-9)


class TestSingular:
    def test_a_light_link_between_parallel_hinges(self):
        tree = Tree(
            [Link("base", joints.Prismatic(), M), Link("a", HINGE, None, "base"), Link("b", HINGE, M, "a")]
        )
        with pytest.raises(SingularConfiguration, match=r"q: got .* singular along 'a', 'b' \(eigenvalue"):
            reduced.forward_dynamics_dense(tree, np.zeros(3), np.zeros(3))

    def test_light_link_between_inclined_hinges(self):
        tilted = Link("b", joints.Revolute((1.0, 0.0, 0.0)), M, "a")
        tree = Tree([Link("a", HINGE), tilted])
        assert np.all(np.isfinite(reduced.forward_dynamics_dense(tree, [0.3, 0.4], [0.1, 0.2])))

    def test_error_does_not_depend_on_the_sign_of_a_direction(self):
        tree = Tree([Link("a", HINGE, M), Link("b", HINGE, M, "a"), Link("c", HINGE, M, "b")])
        for along in ([1.0, 0.01, -0.5], [-1.0, 0.01, 0.5], [-1.0, 0.01, -0.5]):
            assert "along 'a', 'c' (" in str(_singular_mass_matrix_error(tree, 0.0, np.array(along)))

    def test_singular_joint_is_named(self):
        tree = Tree([Link("hip", HINGE, M), Link("ball", joints.EulerSpherical("XZX"), M, "hip")])
        with pytest.raises(SingularConfiguration, match="singular along 'ball'"):
            reduced.forward_dynamics_dense(tree, np.zeros(4), np.zeros(4))
        states = np.array([[0.3, 0.4, 0.5, 0.6], np.zeros(4)])
        with pytest.raises(SingularConfiguration, match="singular along 'ball'"):
            reduced.forward_dynamics_dense(tree, states, np.zeros(4))
        with pytest.raises(SingularConfiguration, match="singular along 'ball'"):
            tree.acceleration(State(q=np.zeros(4)))

    def test_tree_without_coordinates(self):
        tree = Tree([Link("rock", joints.Fixed(), M)])
        assert reduced.forward_dynamics_dense(tree, np.zeros(0), np.zeros(0)).shape == (0,)
        assert reduced.inverse_dynamics_derivatives(tree, [], [], []).q.shape == (0, 0)
