"""Implicit contacts of bearings: supported wrenches, load distribution, friction."""

import numpy as np
import pytest

from rbnotes.arguments import InvalidArgument
from rbnotes.friction import Bearing, journal_bearing, prismatic_guide, spherical_bearing

AXIS = np.array([2.0, -1.0, 2.0]) / 3
BEARINGS = {
    "journal": (lambda: journal_bearing(0.05, 0.3, 0.4, axis=AXIS), np.append(AXIS, np.zeros(3))),
    "slide": (lambda: prismatic_guide(0.1, 0.2, 0.5, 0.4, axis=AXIS), np.append(np.zeros(3), AXIS)),
    "socket": (lambda: spherical_bearing(0.07, 0.4), np.array([0.3, -0.5, 0.2, 0, 0, 0])),
}


@pytest.mark.parametrize("kind", BEARINGS)
def test_normals_do_no_work_and_span_the_constraint_wrenches(kind):
    bearing, motion = BEARINGS[kind][0](), BEARINGS[kind][1]
    assert np.max(np.abs(bearing.normal_jacobian @ motion)) < 1e-14
    assert bearing.rank == {"journal": 5, "slide": 5, "socket": 3}[kind]
    wrench = bearing.normal_jacobian.T @ np.random.default_rng(0).normal(size=bearing.count)
    multipliers = bearing.normal_multipliers(wrench)
    np.testing.assert_allclose(bearing.normal_jacobian.T @ multipliers, wrench, atol=1e-6)
    assert np.max(np.abs(bearing.unsupported_wrench(wrench))) < 1e-6
    least = np.linalg.pinv(bearing.normal_jacobian.T) @ wrench
    np.testing.assert_allclose(multipliers, least, atol=1e-6)


def test_unsupported_wrench_remains():
    without = journal_bearing(0.05, 0.3, 0.4, thrust=False)
    wrench = np.array([0, 0, 0, 0, 0, 7.0])
    assert without.rank == 4
    np.testing.assert_allclose(without.unsupported_wrench(wrench), wrench, atol=1e-12)
    assert np.max(np.abs(journal_bearing(0.05, 0.3, 0.4).unsupported_wrench(wrench))) < 1e-7


@pytest.mark.parametrize(("points", "factor"), [(4, np.sqrt(2)), (400, 4 / np.pi)])
def test_journal_friction_against_closed_form(points, factor):
    """Radial load F: ``mu r F`` times (2/n) sum |cos|, with many points ``4/pi``."""
    bearing = journal_bearing(0.05, 0.3, 0.4, points=points, thrust=False)
    load = bearing.normal_multipliers([0, 0, 0, 3.0, 0, 0])
    assert 0.4 * 0.05 * np.sum(np.abs(load)) == pytest.approx(0.4 * 0.05 * 3.0 * factor, rel=1e-4)


def test_moment_load_is_larger_for_a_short_journal():
    loads = [
        np.sum(
            np.abs(journal_bearing(0.05, height, 0.4, thrust=False).normal_multipliers([2.0, 0, 0, 0, 0, 0]))
        )
        for height in (0.1, 0.2)
    ]
    assert loads[0] == pytest.approx(2 * loads[1], rel=1e-6)


def test_spherical_bearing_friction_against_closed_form():
    """``mu r F``, the integral of a pressure that goes with the cosine."""
    bearing = spherical_bearing(0.05, 0.4)
    load = np.abs(bearing.normal_multipliers([0, 0, 0, 0, 0, 3.0]))
    arms = np.linalg.norm(np.cross(bearing.points, [0, 0, 1.0]), axis=1)
    assert 0.4 * load @ arms == pytest.approx(0.4 * 0.05 * 3.0, rel=0.08)


@pytest.mark.parametrize("points", [6, 8, 12, 20, 32])
def test_points_of_a_spherical_bearing_are_isotropic(points):
    normals = spherical_bearing(1.0, 0.4, points=points).normals
    np.testing.assert_allclose(normals.T @ normals, points / 3 * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.sum(normals, axis=0), 0, atol=1e-12)


def test_prismatic_guide_contacts_are_at_its_corners():
    """A transverse moment is supported over the length of the guide, an axial one over its cross section."""
    x, y, z = np.eye(3)
    guide = prismatic_guide(0.1, 0.2, 0.5, 0.4, axis=z, width_direction=x, center=[1.0, 2.0, 3.0])
    distances = np.abs(guide.points - [1.0, 2.0, 3.0])
    np.testing.assert_allclose(distances, np.tile([0.05, 0.1, 0.25], (16, 1)), rtol=1e-12)
    for length in (0.5, 2.0):
        for width, moment, arm in ((0.1, y, length), (0.1, x, length)):
            guide = prismatic_guide(width, 0.2, length, 0.4, axis=z, width_direction=x)
            load = np.abs(guide.normal_multipliers([*(3.0 * moment), 0, 0, 0]))
            assert np.sum(load) == pytest.approx(3.0 / (arm / 2), rel=1e-6)


def test_invalid_bearings_are_rejected():
    with pytest.raises(InvalidArgument, match="normals"):
        Bearing([[0, 0, 0]], [[0, 0, 2.0]], 0.3)
    with pytest.raises(InvalidArgument, match="points"):
        spherical_bearing(0.1, 0.3, points=10)
    with pytest.raises(InvalidArgument, match="tangents"):
        Bearing([[0, 0, 0]], [[0, 0, 1.0]], 0.3, [[[0, 0, 1.0], [0, 1.0, 0]]])
    with pytest.raises(InvalidArgument, match="width_direction"):
        prismatic_guide(0.1, 0.1, 0.1, 0.3, axis=[0, 0, 1.0], width_direction=[0, 0, 1.0])
