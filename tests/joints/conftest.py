"""The joints and states of the tests of this folder."""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import joints
from rbnotes.joints import curves, euler_sequences, surfaces

sys.path.insert(0, str(Path(__file__).parent))  # this folder's helpers

SKEW = np.array([2.0, -1.0, 2.0]) / 3
"""An axis along none of the frame's."""


@dataclass(frozen=True)
class Case:
    """A joint, the box ``[low, high]`` of its usual coordinates, and where it is singular."""

    joint: joints.JointType
    low: tuple[float, ...]
    high: tuple[float, ...]
    singular: tuple[tuple[float, ...], ...] = ()

    def random(self, count: int = 6, seed: int = 0) -> np.ndarray:
        """Return coordinates ``(count, k)`` over the whole box."""
        rng = np.random.default_rng(seed)
        q = rng.uniform(self.low, self.high, size=(count, len(self.low)))
        # A spline is three times differentiable within its segments only: keep off their ends.
        return np.floor(q) + 0.1 + 0.8 * (q - np.floor(q)) if self.is_spline else q

    def rates(self, count: int = 6, seed: int = 1) -> np.ndarray:
        return np.random.default_rng(seed).normal(size=(count, len(self.low)))

    def states(self) -> np.ndarray:
        """Return states over the box, near the neutral position, and near singular states."""
        if self.is_spline:
            return self.random(8)
        rng = np.random.default_rng(2)
        coordinates = [np.asarray(self.joint.neutral), *map(np.array, self.singular)]
        near = [
            q + size * rng.normal(size=q.shape)
            for q in coordinates
            for size in (0, 1e-12, 1e-8, 1e-5, 1e-3, 0.03)
        ]
        return np.concatenate([self.random(), np.array(near).reshape(len(near), len(self.low))])

    @property
    def is_spline(self) -> bool:
        return isinstance(self.joint, joints.SplineCurve | joints.SplineSurface)


def pose(w=(0, 0, 0), p=(0, 0, 0)):
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = Rotation.from_rotvec(np.asarray(w, dtype=float)).as_matrix(), p
    return E


def control_frames(count, seed):
    """Return poses along a curved path, with increasing rotations."""
    rng = np.random.default_rng(seed)
    frames = [pose(rng.normal(size=3), rng.normal(size=3))]
    for _ in range(count - 1):
        frames.append(frames[-1] @ pose(0.6 * rng.normal(size=3), rng.normal(size=3)))
    return np.array(frames)


def ring(count, seed):
    """Return poses around a circle, each rotated by slightly more than its angle on the circle."""
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(count) / count
    return np.array(
        [
            pose([0, 0, a]) @ pose(p=[2, 0, 0]) @ pose(0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3))
            for a in angles
        ]
    )


def surface(rows, columns, seed):
    """Return a grid of positions and angles ``(rows, columns, 6)``."""
    rng = np.random.default_rng(seed)
    y, x = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    grid = np.stack([x, y, 0 * x, 0 * x, 0 * x, 0 * x], axis=-1).astype(float)
    return grid + 0.3 * rng.normal(size=grid.shape)


def ellipse_joint(q):
    """Return a function of a user: around an ellipse and up, with a rotation about a rotating axis."""
    c, s = np.cos(q[0]), np.sin(q[0])
    a, b = np.cos(q[1] + q[0] ** 2 / 4), np.sin(q[1] + q[0] ** 2 / 4)
    about_x = np.array([[1, 0, 0], [0, a, -b], [0, b, a]])
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ about_x, np.array([2 * c, s, q[1] * np.exp(c / 3)])


@cache
def general():
    """Return joints given as functions: those of a user, and the predefined ones."""
    rng, half = np.random.default_rng(6), np.pi / 2
    torus, ball = surfaces.torus(1.0, 0.3), surfaces.sphere(0.7)
    egg = surfaces.ellipsoid([0.5, 0.8, 1.1])
    sheet = surfaces.bezier_surface(surface(5, 4, 7)[..., :3])
    wire = curves.bezier_curve(np.cumsum(rng.normal([1, 0, 0], 1, size=(7, 3)), axis=0))
    return {
        "function": Case(joints.FunctionJoint(ellipse_joint, 2), *full(2, 2)),
        "torus on torus": Case(
            joints.surface_on_surface(torus, torus), (-3, -1.2) * 2 + (-3,), (3, 1.2) * 2 + (3,)
        ),
        "torus on torus, held": Case(joints.surface_on_surface(torus, torus, half), *full(4)),
        "ellipsoid on sphere": Case(
            joints.surface_on_surface(ball, egg), (-3, -1.2) * 2 + (-3,), (3, 1.2) * 2 + (3,)
        ),
        "sphere on Bezier surface": Case(
            joints.point_on_surface(sheet, "ball", 0.2), (0, 0, -2, -2, -2), (1, 1, 2, 2, 2)
        ),
        "board on Bezier surface": Case(joints.point_on_surface(sheet, "normal"), (0, 0, -3), (1, 1, 3)),
        "ring on Bezier curve": Case(joints.point_on_curve(wire, "tangent"), (0, -3), (1, 3)),
        "two rings": Case(joints.curve_on_curve(curves.circle(1.0), curves.circle(0.6)), *full(5, 2)),
        "gear in a ring": Case(joints.rolling_gear(1.0, 0.3, internal=True), *full(1)),
    }


def full(k, size=3.0):
    return (-size,) * k, (size,) * k


def catalogue():
    X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    cases = {
        "fixed": Case(joints.Fixed(), (), ()),
        "fixed apart": Case(joints.Fixed(pose([0.3, 0.2, -0.5], [1, 2, 3])), (), ()),
        "revolute": Case(joints.Revolute(), *full(1, 7)),
        "revolute about x": Case(joints.Revolute(X), *full(1)),
        "revolute, skew": Case(joints.Revolute(SKEW), *full(1)),
        "prismatic": Case(joints.Prismatic(), *full(1)),
        "prismatic, skew": Case(joints.Prismatic(SKEW), *full(1)),
        "helical": Case(joints.Helical(Z, 0.3), *full(1, 9)),
        "helical, skew": Case(joints.Helical(SKEW, -0.7), *full(1, 9)),
        "planar translation": Case(joints.PlanarTranslation(), *full(2)),
        "translational": Case(joints.Translational(), *full(3)),
        "cylindrical": Case(joints.Cylindrical(), *full(2)),
        "cylindrical, skew": Case(joints.Cylindrical(SKEW), *full(2)),
        "universal": Case(joints.Universal(), *full(2)),
        "exponential": Case(
            joints.ExponentialSpherical(),
            *full(3),
            ((0, 0, 2 * np.pi), tuple(4 * np.pi * SKEW)),
        ),
        "quaternion": Case(joints.QuaternionSpherical(), *full(4, 1)),
        "free in 2-D": Case(joints.Free2D(), *full(3)),
        "free in 2-D, rotation first": Case(joints.Free2D(position_first=False), *full(3)),
        "free in 3-D": Case(joints.Free3D(), *full(6), ((1, 2, 3, 2 * np.pi, 0, 0),)),
        "free in 3-D, rotation first": Case(
            joints.Free3D(position_first=False), *full(6), ((0, -2 * np.pi, 0, 3, 2, 1),)
        ),
        "two hinges apart": Case(
            joints.Composite(joints.Revolute(), joints.Fixed(pose([1, 0, 0.5], Y)), joints.Revolute()),
            *full(2),
        ),
        "arm of four": Case(
            joints.Composite(
                joints.Revolute(SKEW),
                joints.Helical(X, 0.4),
                joints.Fixed(pose([0.4, 0, 0.1], Z)),
                joints.Prismatic(SKEW),
                joints.Revolute(Y),
            ),
            *full(4),
        ),
        "ball on a slide": Case(
            joints.Composite(joints.Prismatic(SKEW), joints.QuaternionSpherical()), *full(5, 1)
        ),
        "composite of composites": Case(
            joints.Composite(joints.Universal(), joints.Cylindrical(SKEW)), *full(4)
        ),
        "same hinge twice": Case(joints.Composite(joints.Revolute(), joints.Revolute()), *full(2)),
        "spline curve": Case(joints.SplineCurve(control_frames(6, 0), cyclic=False), (0,), (3,)),
        "shortest spline curve": Case(joints.SplineCurve(control_frames(4, 1), cyclic=False), (0,), (1,)),
        "cyclic spline curve": Case(joints.SplineCurve(ring(7, 2)), (-7,), (14,)),
        "shortest cyclic spline curve": Case(joints.SplineCurve(ring(4, 3)), (0,), (4,)),
        "spline surface": Case(joints.SplineSurface(surface(4, 4, 4)), (0, 0), (1, 1)),
        "larger spline surface": Case(joints.SplineSurface(surface(6, 5, 5)), (0, 0), (2, 3)),
    }
    half = np.pi / 2
    for sequence in euler_sequences():
        locks = (0, np.pi) if sequence[0] == sequence[2] else (half, -half)
        cases[f"euler {sequence}"] = Case(
            joints.EulerSpherical(sequence), *full(3), tuple((0.4, lock, -1.1) for lock in locks)
        )
    return cases | general()


CASES = catalogue()


SEARCHING = {
    "test_nearest_rates_against_differences",
    "test_nearest_coordinates_minimize_the_pose_error",
    "test_errors_grow_along_the_rows",
    "test_grouped_joints_equal_single_joints",
    "test_steps_keep_the_joint_closed",
}
"""Tests that look for the nearest pose again and again."""
SOME = {"function", "torus on torus, held"}
"""Joints given as functions that suffice there."""


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        left_out = set(general()) - SOME if metafunc.function.__name__ in SEARCHING else set()
        cases = {name: case for name, case in CASES.items() if name not in left_out}
        metafunc.parametrize("case", list(cases.values()), ids=list(cases))
