"""Splines of poses: against SciPy and scalar splines, at segment boundaries, and beyond the ends."""

import numpy as np
import pytest
from scipy.interpolate import BSpline, CubicHermiteSpline
from scipy.spatial.transform import Rotation

from rbnotes import joints
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.joints.spline import CATMULL_ROM_BASIS


def frames_at(points, angles=None):
    """Return frames at points ``(n, 3)``, rotated about z by angles ``(n,)``."""
    frames = np.tile(np.eye(4), (len(points), 1, 1))
    frames[:, :3, 3] = points
    if angles is not None:
        frames[:, :3, :3] = Rotation.from_rotvec(np.outer(angles, [0, 0, 1])).as_matrix()
    return frames


def scipy_spline(points):
    """Return the uniform cubic B-spline whose first segment is q from 0 to 1."""
    return BSpline(np.arange(-3, len(points) + 1), points, 3)


POINTS = np.random.default_rng(0).normal(size=(7, 3))
ANGLES = np.array([0.3, 0.9, 1.8, 1.1, 0.2, -0.9, -2.0])
Q = np.linspace(0.05, 3.95, 21)


class TestCurve:
    def test_translations_give_an_ordinary_spline(self):
        curve = joints.SplineCurve(frames_at(POINTS), cyclic=False)
        spline = scipy_spline(POINTS)
        pose, S, dS = (
            curve.transform(Q[:, None]),
            curve.motion_subspace(Q[:, None]),
            curve.motion_subspace_derivative(Q[:, None]),
        )
        np.testing.assert_allclose(pose[:, :3, :3] - np.eye(3), 0, atol=1e-15)
        np.testing.assert_allclose(pose[:, :3, 3], spline(Q), atol=1e-13)
        np.testing.assert_allclose(S[:, 3:, 0], spline(Q, 1), atol=1e-13)
        np.testing.assert_allclose(dS[:, 3:, 0, 0], spline(Q, 2), atol=1e-12)
        np.testing.assert_array_equal(S[:, :3], 0)

    def test_rotations_about_one_axis_give_a_spline_of_angles(self):
        curve = joints.SplineCurve(frames_at(np.zeros((7, 3)), ANGLES), cyclic=False)
        spline = scipy_spline(ANGLES)
        expected = Rotation.from_rotvec(np.outer(spline(Q), [0, 0, 1])).as_matrix()
        np.testing.assert_allclose(curve.transform(Q[:, None])[:, :3, :3], expected, atol=1e-13)
        np.testing.assert_allclose(curve.motion_subspace(Q[:, None])[:, 2, 0], spline(Q, 1), atol=1e-13)

    @pytest.mark.parametrize("cyclic", [True, False])
    def test_is_twice_differentiable_at_the_boundary_of_segments(self, cyclic):
        rng = np.random.default_rng(1)
        frames = frames_at(POINTS)
        frames[:, :3, :3] = Rotation.from_rotvec(rng.normal(size=(7, 3))).as_matrix()
        curve = joints.SplineCurve(frames, cyclic=cyclic)
        for knot in range(1, curve.num_segments):
            before, after = np.array([[knot - 1e-9], [knot + 1e-9]])
            np.testing.assert_allclose(curve.transform(before), curve.transform(after), atol=1e-7)
            np.testing.assert_allclose(curve.motion_subspace(before), curve.motion_subspace(after), atol=1e-7)
            np.testing.assert_allclose(
                curve.motion_subspace_derivative(before), curve.motion_subspace_derivative(after), atol=1e-6
            )

    def test_cyclic_spline_closes(self):
        curve = joints.SplineCurve(frames_at(POINTS, 0.1 * ANGLES))
        assert curve.num_segments == 7
        for q in (0.3, 6.7):
            for periods in (-2, -1, 1, 5):
                around = [q + 7 * periods]
                np.testing.assert_allclose(curve.transform(around), curve.transform([q]), atol=1e-12)
                new, rate = curve.reparametrize(around, [2.0])
                np.testing.assert_allclose(new, [q], atol=1e-12)
                np.testing.assert_array_equal(rate, [2.0])
        np.testing.assert_allclose(curve.motion_subspace([7 - 1e-9]), curve.motion_subspace([0.0]), atol=1e-7)

    def test_open_spline_extrapolates(self):
        curve = joints.SplineCurve(frames_at(POINTS), cyclic=False)
        spline = scipy_spline(POINTS)
        for q in (-0.25, 4.25):
            np.testing.assert_allclose(curve.transform([q])[:3, 3], spline(q, extrapolate=True), atol=1e-12)

    def test_spline_starts_at_the_weighted_first_frames(self):
        """Weights 1/6, 4/6, 1/6 of the first three."""
        curve = joints.SplineCurve(frames_at(POINTS), cyclic=False)
        np.testing.assert_allclose(curve.transform([0.0])[:3, 3], POINTS[:3].T @ [1, 4, 1] / 6, atol=1e-14)

    def test_interpolating_basis_passes_through_the_frames(self):
        frames = frames_at(POINTS, ANGLES)
        for cyclic, frame_indices in ((True, [1, 2, 3, 4, 5, 6, 0]), (False, [1, 2, 3, 4, 5])):
            curve = joints.SplineCurve(frames, cyclic=cyclic, basis=CATMULL_ROM_BASIS)
            actual = curve.transform(np.arange(len(frame_indices), dtype=float)[:, None])
            np.testing.assert_allclose(actual, frames[frame_indices], atol=1e-13)
        actual = curve.transform(Q[:, None])[:, 2, 3]
        expected_tangents = (POINTS[2:] - POINTS[:-2]) / 2
        expected = CubicHermiteSpline(np.arange(5), POINTS[1:-1], expected_tangents)(Q)[:, 2]
        np.testing.assert_allclose(actual, expected, atol=1e-13)

    def test_weights_with_sum_other_than_one_are_rejected(self):
        hermite = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [-3, -2, 3, -1], [2, 1, -2, 1]])
        with pytest.raises(InvalidArgument, match=r"basis: got rows with the sums \[1.0, 1.0, -3.0, 2.0\]"):
            joints.SplineCurve(frames_at(POINTS), basis=hermite)
        with pytest.raises(InvalidArgument, match="basis"):
            joints.SplineCurve(frames_at(POINTS), basis=np.eye(3))

    def test_invalid_curves_are_rejected(self):
        with pytest.raises(
            InvalidArgument, match=r"frames: got shape \(3, 4, 4\), expected 4 control frames"
        ):
            joints.SplineCurve(frames_at(POINTS[:3]))
        with pytest.raises(InvalidArgument, match=r"frames: got shape \(4, 4\)"):
            joints.SplineCurve(np.eye(4))
        with pytest.raises(SingularConfiguration, match="frames: got frames 1 and 2 half a turn apart"):
            joints.SplineCurve(frames_at(POINTS[:4], [0.0, 0.5, 0.5 + np.pi, 3.0]), cyclic=False)
        with pytest.raises(SingularConfiguration, match="frames 3 and 0 half a turn apart"):
            joints.SplineCurve(frames_at(POINTS[:4], [0.0, 1.0, 2.0, np.pi]))
        joints.SplineCurve(frames_at(POINTS[:4], [0.0, 1.0, 2.0, np.pi]), cyclic=False)


class TestSurface:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(6, 5, 6))
    surface = joints.SplineSurface(points)

    def test_is_a_product_of_splines(self):
        """The first index of the grid along q[1], the second one along q[0]."""
        for q0, q1 in self.rng.uniform((0, 0), (2, 3), size=(5, 2)):
            along = scipy_spline(self.points)(q1)
            point = scipy_spline(along)(q0)
            pose = self.surface.transform([q0, q1])
            np.testing.assert_allclose(pose[:3, 3], point[:3], atol=1e-13)
            expected = Rotation.from_euler("XYZ", point[3:]).as_matrix()
            np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-13)

    def test_translation_surface_has_the_derivatives_of_the_splines(self):
        points = self.points * [1, 1, 1, 0, 0, 0]
        S = joints.SplineSurface(points).motion_subspace([0.7, 2.2])
        np.testing.assert_allclose(S[3:, 0], scipy_spline(scipy_spline(points)(2.2))(0.7, 1)[:3], atol=1e-13)
        np.testing.assert_allclose(S[3:, 1], scipy_spline(scipy_spline(points)(2.2, 1))(0.7)[:3], atol=1e-13)

    def test_is_twice_differentiable_at_the_boundary_of_patches(self):
        for before, after in (([1 - 1e-9, 0.4], [1 + 1e-9, 0.4]), ([0.4, 2 - 1e-9], [0.4, 2 + 1e-9])):
            np.testing.assert_allclose(
                self.surface.motion_subspace(before), self.surface.motion_subspace(after), atol=1e-7
            )
            np.testing.assert_allclose(
                self.surface.motion_subspace_derivative(before),
                self.surface.motion_subspace_derivative(after),
                atol=1e-6,
            )

    def test_invalid_surfaces_are_rejected(self):
        with pytest.raises(InvalidArgument, match=r"points: got shape \(3, 4, 6\), expected 4 x 4"):
            joints.SplineSurface(np.zeros((3, 4, 6)))
        with pytest.raises(InvalidArgument, match=r"points: got shape \(4, 4, 5\)"):
            joints.SplineSurface(np.zeros((4, 4, 5)))
