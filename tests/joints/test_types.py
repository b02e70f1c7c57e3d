"""Properties of single joint types against closed forms and SciPy; argument errors."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.testing import derivative

X, Y, Z = np.eye(3)
SKEW = np.array([2.0, -1.0, 2.0]) / 3
RNG = np.random.default_rng(0)


class TestRotations:
    @pytest.mark.parametrize("sequence", joints.euler_sequences())
    def test_euler_angles_against_scipy(self, sequence):
        joint = joints.EulerSpherical(sequence)
        q = RNG.uniform(-3, 3, size=(10, 3))
        expected = Rotation.from_euler(sequence, q).as_matrix()
        np.testing.assert_allclose(joint.transform(q)[:, :3, :3], expected, atol=1e-14)

    def test_there_are_twelve_sequences(self):
        assert len(set(joints.euler_sequences())) == 12
        assert not any(a == b or b == c for a, b, c in joints.euler_sequences())

    def test_angles_of_a_rotation_at_gimbal_lock(self):
        for sequence in joints.euler_sequences():
            lock = 0.0 if sequence[0] == sequence[2] else np.pi / 2
            Q = joints.EulerSpherical(sequence).transform([0.4, lock, -1.1])
            q = joints.EulerSpherical(sequence).nearest_coordinates(Q)
            np.testing.assert_allclose(joints.EulerSpherical(sequence).transform(q), Q, atol=1e-8)

    def test_rotation_about_an_axis(self):
        for axis in (X, Y, Z, SKEW, -SKEW):
            Q = joints.Revolute(axis).transform([[0.7], [-4.0]])
            expected = Rotation.from_rotvec(np.outer([0.7, -4.0], axis)).as_matrix()
            np.testing.assert_allclose(Q[:, :3, :3], expected, atol=1e-15)

    def test_many_turns_keep_all_digits(self):
        q = 1e6
        Q = joints.Revolute().transform([q])
        # An angle reduced by a rounded multiple of 2 pi would be off by 1e-11.
        np.testing.assert_allclose(Q[:2, 0], [np.cos(q), np.sin(q)], rtol=0, atol=1e-14)

    def test_quaternions_of_any_length_are_normalized(self):
        joint, q = joints.QuaternionSpherical(), RNG.normal(size=4)
        expected = Rotation.from_quat(np.roll(q, -1)).as_matrix()
        for length in (1e-6, 1.0, 50.0):
            np.testing.assert_allclose(joint.transform(length * q)[:3, :3], expected, atol=1e-14)
        with pytest.raises(InvalidArgument, match="q: got a zero quaternion"):
            joint.motion_subspace(np.zeros(4))

    @pytest.mark.parametrize("length", [1e-31, 1e-90, 5e-324])
    def test_too_small_quaternions_are_rejected(self, length):
        joint, q, qdot = joints.QuaternionSpherical(), np.array([length, 0, 0, 0]), np.ones(4)
        calls = (
            lambda q: joint.transform(q),
            lambda q: joint.motion_subspace(q),
            lambda q: joint.motion_subspace_rate(q, qdot),
            lambda q: joint.motion_subspace_derivative(q),
            lambda q: joint.bias_acceleration_derivative(q, qdot),
            lambda q: joint.reparametrize(q, qdot)[0],
        )
        for call in calls:
            with pytest.raises(InvalidArgument, match=r"q: got a (zero )?quaternion.*at least 1e-30"):
                call(q)
            assert np.all(np.isfinite(call([1.1e-30, 0, 0, 0])))

    def test_quaternion_constraint(self):
        joint, q, qdot = joints.QuaternionSpherical(), np.array([0.5, -1, 2, 0.25]), np.arange(4.0)
        np.testing.assert_allclose(joint.coordinate_constraint(q), [(q @ q - 1) / 2])
        np.testing.assert_array_equal(joint.coordinate_constraint_jacobian(q), [q])
        np.testing.assert_array_equal(joint.coordinate_constraint_jacobian_rate(q, qdot), [qdot])
        after = joints.Composite(joints.Prismatic(), joint)
        np.testing.assert_array_equal(after.coordinate_constraint_jacobian([7, *q]), [[0, *q]])
        np.testing.assert_array_equal(
            after.coordinate_constraint_jacobian_rate([7, *q], [7, *qdot]), [[0, *qdot]]
        )


class TestRotationVectors:
    joint = joints.ExponentialSpherical()

    @pytest.mark.parametrize("revolutions", [0.7, 0.76, 1.0, 1.2, 1.74, 1.76, 2.0, 3.3])
    def test_long_rotation_vectors_are_shortened_by_full_turns(self, revolutions):
        """While they are longer than 1.5 pi, each time by one turn."""
        expected = q = 2 * np.pi * revolutions * SKEW
        while np.linalg.norm(expected) > 1.5 * np.pi:
            expected = (1 - 2 * np.pi / np.linalg.norm(expected)) * expected
        new, _ = self.joint.reparametrize(q, np.ones(3))
        np.testing.assert_allclose(new, expected, atol=1e-13)
        assert np.linalg.norm(new) <= 1.5 * np.pi + 1e-12

    def test_short_rotation_vectors_are_unchanged(self):
        q, qdot = 1.4 * np.pi * SKEW, np.array([1.0, 2, 3])
        new, rates = self.joint.reparametrize(q, qdot)
        np.testing.assert_array_equal(new, q)
        np.testing.assert_array_equal(rates, qdot)

    def test_distance_from_a_full_turn(self):
        """|2 sin(angle / 2) / angle|, which is 1 at the identity."""
        for angle in (0.0, 0.5, 3.0, 5.0, 6.2, 9.0):
            expected = abs(np.sinc(angle / (2 * np.pi)))
            np.testing.assert_allclose(self.joint.distance_to_singularity(angle * SKEW), expected, atol=1e-14)

    def test_derivatives_at_the_identity(self):
        S, dS = self.joint.motion_subspace(np.zeros(3)), self.joint.motion_subspace_derivative(np.zeros(3))
        np.testing.assert_array_equal(S, np.eye(6)[:, :3])
        # S = I - [q] / 2 + ..., so dS_i/dq_j = e_i x e_j / 2.
        expected = np.array([[np.cross(X_i, X_j) / 2 for X_j in np.eye(3)] for X_i in np.eye(3)])
        np.testing.assert_allclose(dS[:3], np.moveaxis(expected, -1, 0), atol=1e-16)


class TestScrews:
    def test_screw_translates_by_the_pitch_for_each_radian(self):
        Q = joints.Helical(SKEW, 0.25).transform([2 * np.pi * 3])
        np.testing.assert_allclose(Q[:3, :3], np.eye(3), atol=1e-14)
        np.testing.assert_allclose(Q[:3, 3], 2 * np.pi * 3 * 0.25 * SKEW, atol=1e-14)

    def test_nearest_screw_angle_follows_the_translation(self):
        screw = joints.Helical(Z, -0.1)
        np.testing.assert_allclose(screw.nearest_coordinates(screw.transform([40.0])), [40.0], atol=1e-12)

    def test_screw_without_pitch_is_a_hinge(self):
        screw = joints.Helical(Z, 0.0)
        for q in (np.array([0.5]), np.array([[0.5], [-1.2], [2.0]])):
            np.testing.assert_allclose(screw.nearest_coordinates(screw.transform(q)), q, atol=1e-14)


class TestDegreesOfFreedom:
    def test_number_of_degrees_of_freedom(self):
        hinge, slide = joints.Revolute(), joints.Prismatic()
        free = {
            joints.Fixed(): 0,
            hinge: 1,
            joints.Universal(): 2,
            joints.Cylindrical(): 2,
            joints.QuaternionSpherical(): 3,
            joints.Free2D(): 3,
            joints.Free3D(): 6,
            joints.Composite(hinge, hinge): 1,
            joints.Composite(slide, hinge, slide): 2,
            joints.Composite(joints.QuaternionSpherical(), joints.ExponentialSpherical()): 3,
            joints.Composite(joints.Free3D(), joints.Free3D()): 6,
            joints.Composite(joints.Free2D(), joints.Revolute(X)): 4,
        }
        for joint, freedom in free.items():
            assert joint.num_dofs == freedom, joint

    def test_parallel_hinges_give_planar_motion(self):
        offset = np.eye(4)
        offset[0, 3] = 1
        link = joints.Fixed(offset)
        arm = joints.Composite(*[joints.Revolute(), link] * 3, joints.Revolute())
        assert (arm.num_coordinates, arm.num_dofs) == (4, 3)
        np.testing.assert_allclose(
            np.abs(joints.constant_constraint_rows(arm)), np.eye(6)[[0, 1, 5]], atol=1e-13
        )


class TestRows:
    def test_rows_of_a_universal_joint_do_not_flip(self):
        """The common perpendicular of both axes, x of the one frame and y of the other."""
        for q in np.linspace(-3, 3, 25):
            joint = joints.Universal()
            rows = joints.constraint_force_basis(joint, [0.4, q])
            np.testing.assert_array_equal(rows[:3], np.eye(6)[3:])
            perpendicular = np.cross(joint.transform([0.4, q])[0, :3], Y)
            np.testing.assert_allclose(rows[3], [*perpendicular, 0, 0, 0], atol=1e-14)

    def test_rows_along_axes_are_twist_components(self):
        for joint, numbers in (
            (joints.Fixed(), (0, 1, 2, 3, 4, 5)),
            (joints.Revolute(X), (1, 2, 3, 4, 5)),
            (joints.Prismatic(Y), (0, 1, 2, 3, 5)),
            (joints.Cylindrical(), (0, 1, 3, 4)),
            (joints.PlanarTranslation(), (0, 1, 2, 5)),
            (joints.Translational(), (0, 1, 2)),
            (joints.EulerSpherical("ZXZ"), (3, 4, 5)),
            (joints.QuaternionSpherical(), (3, 4, 5)),
            (joints.Free2D(position_first=False), (0, 1, 5)),
            (joints.Free3D(), ()),
        ):
            rows = joints.constraint_force_basis(joint, joint.neutral)
            np.testing.assert_array_equal(rows, np.eye(6)[list(numbers)])


class Ellipse(joints.JointType):
    """A type of one's own: translation along an ellipse, turning as fast as the parameter."""

    num_coordinates = 1

    def compute_transform(self, q):
        Q = joints.Revolute().compute_transform(q)
        Q[..., 0, 3], Q[..., 1, 3] = 2 * np.cos(q[..., 0]), np.sin(q[..., 0])
        return Q

    def compute_motion_subspace(self, q):
        c, s = np.cos(q[..., 0]), np.sin(q[..., 0])
        # The velocity (-2 s, c) in turned coordinates.
        return np.stack([0 * c, 0 * c, 1 + 0 * c, -c * s, 1 + s * s, 0 * c], axis=-1)[..., None]

    def compute_motion_subspace_derivative(self, q):
        c, s = np.cos(q[..., 0]), np.sin(q[..., 0])
        derivative = np.stack([0 * c, 0 * c, 0 * c, s * s - c * c, 2 * c * s, 0 * c], axis=-1)
        return derivative[..., None, None]


class TestUserDefinedTypes:
    def test_user_defined_type_needs_three_functions(self):
        joint, q, qdot = Ellipse(), np.array([0.7]), np.array([1.5])
        dQ = derivative(lambda t: joint.transform(q + t)).value
        np.testing.assert_allclose(
            joint.transform(q) @ se3.hat(joint.motion_subspace(q)[:, 0]), dQ, atol=1e-10
        )
        rate = derivative(lambda t: joint.motion_subspace(q + t * qdot)).value
        np.testing.assert_allclose(joint.motion_subspace_rate(q, qdot), rate, atol=1e-10)
        assert joint.num_dofs == 1
        np.testing.assert_allclose(joint.nearest_coordinates(joint.transform(q)), q, atol=1e-12)
        np.testing.assert_allclose(
            joints.constraint_force_basis(joint, q) @ joint.motion_subspace(q), 0, atol=1e-14
        )

    def test_user_defined_types_in_composites(self):
        arm, q = joints.Composite(joints.Revolute(X), Ellipse()), np.array([0.3, -0.8])
        rate = derivative(lambda t: arm.motion_subspace(q + t * np.array([1.0, -2.0]))).value
        np.testing.assert_allclose(arm.motion_subspace_rate(q, [1.0, -2.0]), rate, atol=1e-10)


class TestModels:
    def test_equal_joints_compare_and_hash_equal(self):
        pairs = [
            (joints.Revolute(X), joints.Revolute((1.0, 0.0, 0.0))),
            (joints.Helical(Z, 1), joints.Helical([0, 0, 1], 1.0)),
            (joints.Universal(), joints.Universal()),
            (joints.Fixed(), joints.Fixed(np.eye(4))),
            (joints.Cylindrical(Y), joints.Cylindrical(Y)),
        ]
        for one, other in pairs:
            assert one == other
            assert hash(one) == hash(other)
        assert joints.Revolute(X) != joints.Revolute(Y)
        assert joints.Revolute() != joints.Prismatic()
        assert joints.Free2D() != joints.Free2D(position_first=False)
        assert joints.Universal() != joints.Composite(joints.Revolute(X), joints.Revolute(Y))

    def test_names_appear_in_messages(self):
        assert str(joints.PlanarTranslation()) == "planar translation"
        assert str(joints.Free3D()) == "free 3d"

    def test_invalid_joints_are_named(self):
        for wrong, message in (
            (lambda: joints.Revolute([1, 1, 0]), "axis: got a length that differs from 1 by 0.414"),
            (lambda: joints.Prismatic(np.eye(3)), r"axis: got shape \(3, 3\), expected one unit vector"),
            (lambda: joints.Cylindrical([0, 0, 2]), "axis: got a length"),
            (lambda: joints.Helical(Z, np.inf), "pitch: got NaN or infinite"),
            (lambda: joints.Fixed(np.zeros((4, 4))), "pose: got a last row"),
            (lambda: joints.EulerSpherical("XXZ"), "sequence: got 'XXZ', expected one of 'XYX'"),
            (lambda: joints.EulerSpherical("xyz"), "sequence: got 'xyz'"),
            (lambda: joints.Composite(joints.Revolute()), "parts: got 1 of them, expected two joint types"),
            (
                lambda: joints.Composite(joints.Revolute(), "hinge"),
                "parts: got 'hinge', expected joint types",
            ),
        ):
            with pytest.raises(InvalidArgument, match=message):
                wrong()
