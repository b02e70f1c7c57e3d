"""Forces between rigid bodies: against mechanics written out, against energies, against physics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tension_laws import STIFFENING

from rbnotes import se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.forces.body_forces import (
    body_path_length,
    body_path_segments,
    directional_energy,
    directional_force,
    path_wrenches,
    viscous_damping,
    zero_length_energy,
    zero_length_spring,
)
from rbnotes.forces.muscle import Muscle
from rbnotes.forces.path import dissipated_power, path_energy, path_length, symmetric_part
from rbnotes.forces.tension import (
    ConstantTension,
    LinearSpring,
    QuadraticStrain,
    SpringDamper,
)
from rbnotes.forces.wrenches import point_kinematics
from rbnotes.testing import jacobian, jacobian_se3
from rbnotes.testing.strategies import frames, numbers, positive_numbers, twists, vectors


def world(E, x, phi):
    """Return positions and velocities by v + omega x r, rotated to world axes."""
    X = np.array([pose[:3, :3] @ point + pose[:3, 3] for pose, point in zip(E, x, strict=True)])
    V = [
        pose[:3, :3] @ (twist[3:] + np.cross(twist[:3], point))
        for pose, point, twist in zip(E, x, phi, strict=True)
    ]
    return X, np.array(V)


def tension_forces(tension, E, x, phi, active=None):
    """Return the world forces on the points, from one segment after the other."""
    X, V = world(E, x, phi)
    steps = np.diff(X, axis=0)
    lengths = np.sqrt(np.sum(steps**2, axis=1))
    rates = np.sum(steps * np.diff(V, axis=0), axis=1) / lengths
    counted = np.ones(len(steps), dtype=bool) if active is None else active
    F = tension(lengths[counted].sum(), rates[counted].sum())
    f = np.zeros_like(X)
    f[:-1] += F * steps / lengths[:, None]
    f[1:] -= F * steps / lengths[:, None]
    return f


def wrenches(tension, E, x, phi, active=None):
    """Return torques about the bodies' origins and forces, in body axes."""
    X, _ = world(E, x, phi)
    return np.array(
        [
            np.concatenate([pose[:3, :3].T @ np.cross(point - pose[:3, 3], f), pose[:3, :3].T @ f])
            for pose, point, f in zip(E, X, tension_forces(tension, E, x, phi, active), strict=True)
        ]
    )


def se3_derivative(function, E):
    """Return derivatives along body-frame increments of every body ``(..., 6n)``, and their error."""
    parts = [
        jacobian_se3(lambda pose, i=i: function(np.array([*E[:i], pose, *E[i + 1 :]])), E[i])
        for i in range(len(E))
    ]
    return np.concatenate([part.value for part in parts], axis=-1), max(part.error for part in parts)


@st.composite
def paths(draw, most=3, passive=True, closest=0.5):
    """Return the poses, points, twists and active segments of a path whose points are apart."""
    n = draw(st.integers(2, most))
    bodies = st.lists(st.tuples(frames(), vectors(), twists()), min_size=n, max_size=n)

    def are_distinct(path):
        X, _ = world(*zip(*path, strict=True))
        return np.min(np.linalg.norm(np.diff(X, axis=0), axis=1)) >= closest

    E, x, phi = map(np.array, zip(*draw(bodies.filter(are_distinct)), strict=True))
    flags = draw(st.lists(st.booleans(), min_size=n - 1, max_size=n - 1).filter(any))
    return E, x, phi, np.array(flags) if passive else np.ones(n - 1, dtype=bool)


@st.composite
def laws(draw):
    """Return a tension law and an independent implementation of its formula."""
    k, d, r = draw(positive_numbers()), draw(numbers(0.0, 2.0)), draw(positive_numbers())
    return draw(
        st.sampled_from(
            [
                (LinearSpring(k, d, r), lambda L, Ldot: k * (L - r) + d * Ldot),
                (SpringDamper(k, d, r), lambda L, Ldot: (k * (L - r) + d * Ldot) / r),
                (QuadraticStrain(k, r), lambda L, Ldot: k * L * (L * L / (r * r) - 1) / 2),
                (STIFFENING, STIFFENING.function),
            ]
        )
    )


def close(actual, expected, error=0.0):
    scale = max(1.0, np.abs(expected).max())
    assert_allclose(actual, expected, rtol=0, atol=1e-8 * scale + error)


class TestPathWrenches:
    @given(laws(), paths())
    def test_wrenches_against_mechanics(self, law, path):
        law, tension = law
        close(path_wrenches(law, *path).w, wrenches(tension, *path))

    @given(laws(), paths())
    def test_stiffness_against_differences(self, law, path):
        law, tension = law
        E, x, phi, active = path
        forces = path_wrenches(law, E, x, phi, active).K
        K, error = se3_derivative(lambda poses: wrenches(tension, poses, x, phi, active).ravel(), E)
        close(forces, K, error)

    @given(laws(), paths())
    def test_damping_against_differences(self, law, path):
        law, tension = law
        E, x, phi, active = path
        forces = path_wrenches(law, E, x, phi, active).D
        D = jacobian(lambda z: wrenches(tension, E, x, z.reshape(-1, 6), active).ravel(), phi.ravel())
        close(forces, D.value, D.error)

    @pytest.mark.slow
    @given(positive_numbers(), positive_numbers(), paths(passive=False))
    def test_force_is_minus_the_energy_gradient(self, k, r, path):
        E, x, phi, _ = path
        law = QuadraticStrain(k, r)
        gradient, error = se3_derivative(lambda poses: path_energy(law, world(poses, x, phi)[0]), E)
        close(path_wrenches(law, E, x, 0 * phi).w.ravel(), -gradient, error)

    @given(positive_numbers(), positive_numbers(), positive_numbers(), paths(passive=False))
    def test_power_balance_and_passivity(self, k, d, r, path):
        E, x, phi, _ = path
        law = SpringDamper(k, d, r)
        forces = path_wrenches(law, E, x, phi)
        L, Ldot = path_length(*point_kinematics(E, x, phi))
        stored = k * (L - r) / r * Ldot
        dissipated = dissipated_power(law, *point_kinematics(E, x, phi))
        assert dissipated >= 0
        close(np.sum(forces.w * phi), -stored - dissipated)
        assert np.linalg.eigvalsh(symmetric_part(forces.D)).max() <= 1e-10 * max(1.0, np.abs(forces.D).max())

    @pytest.mark.slow
    @given(positive_numbers(), paths(most=2))
    def test_stretched_spring_attracts(self, k, path):
        E, x, phi, _ = path
        X, _ = world(E, x, phi)
        separation = X[1] - X[0]
        law = SpringDamper(k, 0.0, 0.5 * np.linalg.norm(separation))
        w = path_wrenches(law, E, x, 0 * phi).w
        assert (E[0, :3, :3] @ w[0, 3:]) @ separation > 0
        assert (E[1, :3, :3] @ w[1, 3:]) @ separation < 0

    @pytest.mark.slow
    @given(laws(), paths())
    def test_action_and_reaction(self, law, path):
        E, x, phi, active = path
        w = path_wrenches(law[0], E, x, phi, active).w
        f = [pose[:3, :3] @ wrench[3:] for pose, wrench in zip(E, w, strict=True)]
        torques = [
            pose[:3, :3] @ wrench[:3] + np.cross(pose[:3, 3], force)
            for pose, wrench, force in zip(E, w, f, strict=True)
        ]
        scale = max(1.0, np.abs(w).max())
        assert_allclose(np.sum(f, axis=0), 0, atol=1e-10 * scale)
        assert_allclose(np.sum(torques, axis=0), 0, atol=1e-10 * scale)

    @pytest.mark.slow
    @given(laws(), paths(), frames())
    def test_common_rigid_motion_does_not_change_wrenches(self, law, path, motion):
        E, x, phi, active = path
        before, after = (path_wrenches(law[0], poses, x, phi, active) for poses in (E, motion @ E))
        for part, displaced in zip(before, after, strict=True):
            close(displaced, part)

    @pytest.mark.slow
    @given(laws(), paths(), frames(), vectors())
    def test_common_rotation_does_not_change_the_length(self, law, path, motion, omega):
        E, x, _, active = path
        phi = np.array([np.concatenate([R.T @ omega, R.T @ np.cross(omega, p)]) for R, p in _poses(E)])
        still, turning = (path_wrenches(law[0], E, x, twist, active).w for twist in (0 * phi, phi))
        close(turning, still)

    @given(laws(), paths())
    def test_positional_stiffness_is_exact_at_rest_only(self, law, path):
        E, x, phi, active = path
        exact, positional, symmetrized = (
            path_wrenches(law[0], E, x, 0 * phi, active, stiffness=name).K
            for name in ("exact", "positional", "symmetrized")
        )
        close(positional, exact)
        close(symmetrized, (exact + exact.T) / 2)
        moving = [
            path_wrenches(law[0], E, x, phi, active, stiffness=name) for name in ("exact", "positional")
        ]
        close(moving[1].w, moving[0].w)
        close(moving[1].D, moving[0].D)

    @pytest.mark.slow
    @given(laws(), paths())
    def test_positional_stiffness_keeps_the_length_rate_constant(self, law, path):
        law, tension = law
        E, x, phi, active = path
        rate = path_length(*world(E, x, phi), active).Ldot
        forces = path_wrenches(law, E, x, phi, active, stiffness="positional").K
        K, error = se3_derivative(
            lambda poses: wrenches(lambda L, _: tension(L, rate), poses, x, phi, active).ravel(), E
        )
        close(forces, K, error)

    def test_positional_stiffness_is_wrong_in_motion(self):
        E = np.array([np.eye(4), np.eye(4)])
        E[1, :3, 3] = 1.0, 0.5, 0.0
        phi = np.arange(12.0).reshape(2, 6) / 4
        law, x = SpringDamper(1.0, 2.0, 0.5), np.array([[0.0, 0.2, 0.0], [0.3, 0.0, 0.1]])
        exact, positional = (path_wrenches(law, E, x, phi, stiffness=s).K for s in ("exact", "positional"))
        assert np.abs(exact - positional).max() > 0.5

    def test_broadcasting(self):
        rng = np.random.default_rng(3)
        E = np.tile(np.eye(4), (5, 2, 1, 1))
        E[..., :3, 3] = rng.normal(size=(5, 2, 3))
        x, phi, k = rng.normal(size=(2, 3)), rng.normal(size=(5, 2, 6)), np.arange(1.0, 6.0)
        many = path_wrenches(SpringDamper(k, 1.0, 0.5), E, x, phi)
        for i in range(5):
            one = path_wrenches(SpringDamper(k[i], 1.0, 0.5), E[i], x, phi[i])
            for a, b in zip(many, one, strict=True):
                assert_allclose(a[i], b, rtol=1e-12, atol=1e-12)

    def test_coinciding_points_are_refused(self):
        E = np.array([np.eye(4), np.eye(4)])
        x = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])
        with pytest.raises(SingularConfiguration, match="coinciding points 0 and 1"):
            path_wrenches(ConstantTension(1.0), E, x, np.zeros((2, 6)))

    def test_bad_arguments(self):
        E, x, phi = np.array([np.eye(4), np.eye(4)]), np.arange(6.0).reshape(2, 3), np.zeros((2, 6))
        law = ConstantTension(1.0)
        with pytest.raises(InvalidArgument, match="stiffness: got 'about'"):
            path_wrenches(law, E, x, phi, stiffness="about")
        with pytest.raises(InvalidArgument, match="phi"):
            path_wrenches(law, E, x, phi[:, :5])
        with pytest.raises(InvalidArgument, match=r"phi: got \(3,\) of them, expected one for each"):
            path_wrenches(law, E, x, np.zeros((3, 6)))
        with pytest.raises(InvalidArgument, match=r"x: got \(3,\) of them"):
            path_wrenches(law, E, np.zeros((3, 3)), phi)
        for few in (0, slice(1)):
            with pytest.raises(InvalidArgument, match=r"x: got points of shape .* expected a path"):
                path_wrenches(law, E[few], x[few], phi[few])
        with pytest.raises(InvalidArgument, match="E"):
            path_wrenches(law, 2 * E, x, phi)
        with pytest.raises(InvalidArgument, match="x"):
            path_wrenches(law, E, x * np.nan, phi)


def _poses(E):
    return [(pose[:3, :3], pose[:3, 3]) for pose in E]


class TestBodyPathLength:
    @given(paths())
    def test_against_differences(self, path):
        E, x, phi, active = path
        result = body_path_length(E, x, phi, active)
        points_and_velocities = world(E, x, phi)
        assert_allclose([result.L, result.Ldot], path_length(*points_and_velocities, active), atol=1e-12)
        gradient, error = se3_derivative(lambda poses: path_length(*world(poses, x, phi), active).L, E)
        close(result.dL_dxi, gradient, error)
        by_twists = jacobian(lambda z: path_length(*world(E, x, z.reshape(-1, 6)), active).Ldot, phi.ravel())
        close(result.dL_dxi, by_twists.value, by_twists.error)
        gradient, error = se3_derivative(lambda poses: path_length(*world(poses, x, phi), active).Ldot, E)
        close(result.dLdot_dxi, gradient, error)


class TestBodyPathSegments:
    @given(paths())
    def test_against_differences(self, path):
        E, x, phi, _ = path
        found = body_path_segments(E, x)

        def directions(poses):
            steps = np.diff(world(poses, x, phi)[0], axis=0)
            return steps / np.sqrt(np.sum(steps**2, axis=1, keepdims=True))

        assert_allclose(found.u, directions(E), atol=1e-12)
        assert_allclose(found.l, np.linalg.norm(np.diff(world(E, x, phi)[0], axis=0), axis=1), atol=1e-12)
        derivative, error = se3_derivative(directions, E)
        close(found.du_dxi, derivative, error)

    def test_a_3_4_5_segment(self):
        E = np.array([np.eye(4), np.eye(4)])
        E[1, :3, 3] = [3.0, 4.0, 0.0]
        u, lengths, du_dxi = body_path_segments(E, np.zeros((2, 3)))
        assert_allclose(u, [[0.6, 0.8, 0.0]], atol=1e-15)
        assert_allclose(lengths, [5.0], rtol=1e-15)
        turning = np.array([[16.0, -12, 0], [-12, 9, 0], [0, 0, 25]]) / 125
        zero = np.zeros((3, 3))
        assert_allclose(du_dxi, [np.hstack([zero, -turning, zero, turning])], atol=1e-15)

    def test_many_paths_at_once(self):
        rng = np.random.default_rng(0)
        E, x = se3.exp(rng.normal(size=(4, 3, 6))), rng.normal(size=(3, 3))
        found = body_path_segments(E, x)
        assert found.du_dxi.shape == (4, 2, 3, 18)
        for i in range(4):
            for value, single in zip(found, body_path_segments(E[i], x), strict=True):
                assert_allclose(value[i], single, atol=1e-14)

    def test_bad_arguments(self):
        E, x = np.array([np.eye(4), np.eye(4)]), np.arange(6.0).reshape(2, 3)
        with pytest.raises(InvalidArgument, match=r"x: got \(3,\) of them"):
            body_path_segments(E, np.zeros((3, 3)))
        with pytest.raises(InvalidArgument, match="expected a path"):
            body_path_segments(E[0], x[0])
        with pytest.raises(SingularConfiguration, match="coinciding points 0 and 1"):
            body_path_segments(E, x[:1])


class TestMuscle:
    muscle = Muscle(3.0, 0.8, 4.0, tendon_length=0.3, activation=0.6)

    @given(paths(most=2, passive=False))
    def test_agrees_with_a_zero_length_spring_of_the_same_stiffness(self, path):
        E, x, phi, _ = path
        L, Ldot = path_length(*point_kinematics(E, x, phi))
        assert_allclose(
            path_wrenches(self.muscle, E, x, phi).w,
            zero_length_spring(self.muscle(L, Ldot).F / L, E, x).w,
            atol=1e-11,
        )

    @given(paths(most=2, passive=False), vectors())
    def test_via_point_on_the_body_of_the_insertion_only_adds_length(self, path, via):
        E, x, phi, _ = path
        extra = np.linalg.norm(via - x[0])
        if extra < 0.25:
            via, extra = x[0] + np.array([0.0, 0.75, 1.0]), 1.25
        longer = Muscle(3.0, 0.8, 4.0, tendon_length=0.3 + extra, activation=0.6)
        straight = path_wrenches(self.muscle, E, x, phi)
        bent = path_wrenches(longer, E[[0, 0, 1]], np.array([via, x[0], x[1]]), phi[[0, 0, 1]])
        gather = np.kron([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], np.eye(6))
        close(gather @ bent.w.ravel(), straight.w.ravel())
        close(gather @ bent.K @ gather.T, straight.K)
        close(gather @ bent.D @ gather.T, straight.D)

    @given(paths(most=3, passive=False))
    def test_velocity_dependence_never_adds_energy(self, path):
        assert dissipated_power(self.muscle, *point_kinematics(*path[:3])) >= 0


class TestZeroLengthSpring:
    @given(positive_numbers(), paths(most=2))
    def test_against_energy_and_differences(self, k, path):
        E, x, phi, _ = path
        forces = zero_length_spring(k, E, x)
        gradient, error = se3_derivative(lambda poses: zero_length_energy(k, poses, x), E)
        close(forces.w.ravel(), -gradient, error)
        K, error = se3_derivative(lambda poses: wrenches(lambda L, Ldot: k * L, poses, x, phi).ravel(), E)
        close(forces.K, K, error)
        assert np.all(forces.D == 0)

    @pytest.mark.slow
    @given(positive_numbers(), paths(most=2))
    def test_is_a_path_of_rest_length_zero(self, k, path):
        E, x, phi, _ = path
        forces, path_found = zero_length_spring(k, E, x), path_wrenches(LinearSpring(k), E, x, phi)
        for part, same in zip(forces, path_found, strict=True):
            close(part, same)

    def test_has_exact_derivatives_at_coinciding_points(self):
        E, x = np.array([np.eye(4), np.eye(4)]), np.ones((2, 3))
        forces = zero_length_spring(2.0, E, x)
        assert np.all(forces.w == 0)
        K, error = se3_derivative(lambda poses: zero_length_spring(2.0, poses, x).w.ravel(), E)
        close(forces.K, K, error)

    def test_negative_stiffness_is_refused(self):
        with pytest.raises(InvalidArgument, match="k: got -1"):
            zero_length_spring(-1.0, np.array([np.eye(4)] * 2), np.zeros((2, 3)))

    def test_needs_two_points(self):
        with pytest.raises(InvalidArgument, match="two points"):
            zero_length_spring(1.0, np.array([np.eye(4)] * 3), np.zeros((3, 3)))


class TestDirectionalForce:
    @given(numbers(), vectors(), frames(), vectors())
    def test_against_mechanics_energy_and_differences(self, k, a, E, x):
        def wrench(pose):
            f = k * pose[:3, :3].T @ a
            return np.concatenate([np.cross(x, f), f])

        forces = directional_force(k, a, E, x)
        close(forces.w, wrench(E))
        gradient = jacobian_se3(lambda pose: directional_energy(k, a, pose, x), E)
        close(forces.w, -gradient.value, gradient.error)
        K = jacobian_se3(wrench, E)
        close(forces.K, K.value, K.error)
        assert np.all(forces.D == 0)

    def test_broadcasting(self):
        forces = directional_force([1.0, 2.0], [0.0, 0.0, 1.0], np.eye(4), [0.0, 1.0, 0.0])
        assert_allclose(forces.w, [[1, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]])
        assert forces.K.shape == forces.D.shape == (2, 6, 6)


class TestViscousDamping:
    @given(numbers(0.0, 4.0), twists())
    def test_opposes_the_motion(self, d, phi):
        forces = viscous_damping(d, phi)
        assert_allclose(forces.w, -d * phi)
        assert_allclose(forces.D @ phi, forces.w)
        assert forces.w @ phi <= 0
        assert np.all(forces.K == 0)

    def test_bad_arguments(self):
        with pytest.raises(InvalidArgument, match="d: got -1"):
            viscous_damping(-1.0, np.zeros(6))
