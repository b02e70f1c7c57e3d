"""Joints given as functions: argument errors, programs, and the geometry of predefined ones."""

import copy
import math
import pickle
import sys

import numpy as np
import pytest
from scipy.interpolate import BPoly
from scipy.spatial.transform import Rotation

from rbnotes import joints, se3, so3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.joints import FunctionJoint, Helical, curves, python_source, rotation, surfaces, translation
from rbnotes.testing import derivative, jacobian

RNG = np.random.default_rng(0)
STATES = RNG.uniform(-1.2, 1.2, size=(4, 5))
TORUS, BALL, EGG = surfaces.torus(1.0, 0.3), surfaces.sphere(0.7), surfaces.ellipsoid([0.5, 0.8, 1.1])


def on_torus(x):
    return (np.hypot(x[0], x[1]) - 1.0) ** 2 + x[2] ** 2 - 0.3**2


def on_ball(x):
    return x @ x - 0.7**2


def on_egg(x):
    return np.sum((x / [0.5, 0.8, 1.1]) ** 2) - 1


def outward(implicit, x):
    gradient = np.array([derivative(lambda t, e=e: implicit(x + t * e)).value for e in np.eye(3)])
    return gradient / np.linalg.norm(gradient)


def about_z(v):
    c, s = np.cos(v), np.sin(v)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


class TestSurfaces:
    @pytest.mark.parametrize("spin", [None, 0.4])
    @pytest.mark.parametrize(
        ("first", "second", "implicit"),
        [
            (TORUS, EGG, (on_torus, on_egg)),
            (EGG, TORUS, (on_egg, on_torus)),
            (BALL, TORUS, (on_ball, on_torus)),
        ],
    )
    def test_surfaces_touch_with_opposite_normals(self, first, second, implicit, spin):
        """Against the equations of both surfaces and their gradients."""
        joint = joints.surface_on_surface(first, second, spin)
        for q in STATES:
            Q = joint.transform(q[: joint.num_coordinates])
            at_first, at_second = first.point(q[0], q[1]), second.point(q[2], q[3])
            np.testing.assert_allclose(implicit[0](at_first), 0, atol=1e-13)
            np.testing.assert_allclose(implicit[1](at_second), 0, atol=1e-13)
            np.testing.assert_allclose(Q[:3, :3] @ at_second + Q[:3, 3], at_first, atol=1e-13)
            normal = outward(implicit[0], at_first)
            np.testing.assert_allclose(
                Q[:3, :3] @ outward(implicit[1], at_second), -normal, atol=1e-9, rtol=0
            )
            # The spin turns the lines of constant v of one surface to those of the other.
            lines = [
                derivative(lambda t, s=s, u=u, v=v: s.point(u + t, v)).value
                for s, u, v in ((first, q[0], q[1]), (second, q[2], q[3]))
            ]
            x, y = (line / np.linalg.norm(line) for line in (lines[0], Q[:3, :3] @ lines[1]))
            angle = math.atan2(np.cross(x, y) @ normal, x @ y)
            np.testing.assert_allclose(angle, q[4] if spin is None else spin, atol=1e-9)

    def test_bezier_surface_against_scipy(self):
        points = RNG.normal(size=(5, 4, 3))
        surface = surfaces.bezier_surface(points)
        for u, v in RNG.uniform(size=(3, 2)):
            rows = BPoly(points.transpose(0, 1, 2)[:, None], [0, 1])(u)
            expected = BPoly(rows[:, None], [0, 1])(v)
            np.testing.assert_allclose(surface.point(u, v), expected, atol=1e-13)
            joint = joints.point_on_surface(surface, "normal", 0.2)
            Q = joint.transform([u, v, 0.7])
            tangents = jacobian(lambda p: surface.point(*p), np.array([u, v])).value.T
            normal = np.cross(*tangents) / np.linalg.norm(np.cross(*tangents))
            np.testing.assert_allclose(Q[:3, 2], normal, atol=1e-10)
            np.testing.assert_allclose(Q[:3, 3], expected + 0.2 * normal, atol=1e-10)
            flat = joints.point_on_surface(surface, "none", 0.2).transform([u, v])
            np.testing.assert_allclose(flat[:3, 0], tangents[0] / np.linalg.norm(tangents[0]), atol=1e-10)
            np.testing.assert_allclose(Q[:3, :3], flat[:3, :3] @ about_z(0.7), atol=1e-10)

    def test_ball_on_a_surface_rotates_freely(self):
        joint = joints.point_on_surface(TORUS, "ball", 0.4)
        for q in STATES:
            Q = joint.transform(q)
            normal = outward(on_torus, TORUS.point(q[0], q[1]))
            np.testing.assert_allclose(Q[:3, 3], TORUS.point(q[0], q[1]) + 0.4 * normal, atol=1e-9)
            np.testing.assert_allclose(
                Q[:3, :3], joints.ExponentialSpherical().transform(q[2:])[:3, :3], atol=1e-13
            )


class TestCurves:
    def test_bezier_curve_against_scipy_with_tangent_z(self):
        points = RNG.normal(size=(7, 3))
        curve, spline = curves.bezier_curve(points), BPoly(points[:, None], [0, 1])
        joint = joints.point_on_curve(curve, "tangent", reference_direction=[0.6, 0, 0.8])
        for s in (0.1, 0.6, 0.95):
            Q = joint.transform([s, 0.0])
            np.testing.assert_allclose(Q[:3, 3], spline(s), atol=1e-13)
            tangent = spline.derivative()(s)
            np.testing.assert_allclose(Q[:3, 2], tangent / np.linalg.norm(tangent), atol=1e-12)
            np.testing.assert_allclose(Q[:3, 1] @ [0.6, 0, 0.8], 0, atol=1e-13)
            assert Q[:3, 0] @ [0.6, 0, 0.8] > 0
            np.testing.assert_allclose(
                joint.transform([s, 0.7])[:3, :3], Q[:3, :3] @ about_z(0.7), atol=1e-13
            )
            free = joints.point_on_curve(curve, "ball").transform([s, 0, 0, 0])
            np.testing.assert_allclose(free[:3, 3], spline(s), atol=1e-13)

    def test_curves_cross_at_a_common_point(self):
        first, second = curves.circle(1.0), curves.circle(0.6)
        joint = joints.curve_on_curve(first, second)
        for q in STATES:
            Q = joint.transform(q)
            second_point = Q[:3, :3] @ second.point(q[4]) + Q[:3, 3]
            np.testing.assert_allclose(second_point, first.point(q[0]), atol=1e-13)
        # Where both run the same way, gliding along one is gliding along the other.
        assert joint.distance_to_singularity([0.4, 0, 0, 0, 0.4]) < 1e-14


def test_circle_starts_from_x_towards_y():
    points = [curves.circle(0.5).point(s) for s in (0.0, np.pi / 2)]
    np.testing.assert_allclose(points, [[0.5, 0, 0], [0, 0.5, 0]], atol=1e-15)


@pytest.mark.parametrize(("inside", "center", "meshing"), [(False, 1.3, 1.0), (True, 0.7, 1.0)])
def test_gears_roll_without_slip(inside, center, meshing):
    joint = joints.rolling_gear(1.0, 0.3, internal=inside)
    assert joint.neutral == [0.0]
    for q in (0.0, 0.8, -2.5):
        Q, twist = joint.transform([q]), joint.motion_subspace([q])[:, 0]
        arm = np.array([np.cos(q), np.sin(q), 0])
        np.testing.assert_allclose(Q[:3, 3], center * arm, atol=1e-14)
        contact_point = Q[:3, :3].T @ (meshing * arm - Q[:3, 3])
        np.testing.assert_allclose(twist[3:] + np.cross(twist[:3], contact_point), 0, atol=1e-14)


@pytest.mark.parametrize(
    ("surface", "area"),
    [
        (surfaces.sphere(0.7), 4 * np.pi * 0.7**2),
        (surfaces.ellipsoid([0.7, 0.7, 0.7]), 4 * np.pi * 0.7**2),
        (surfaces.torus(1.0, 0.3), 4 * np.pi**2 * 0.3),
    ],
    ids=["sphere", "ellipsoid", "torus"],
)
def test_triangulation_covers_the_surface_once(surface, area):
    """The missing part goes with the square of their size."""
    missing = []
    for count in (24, 48):
        vertices, triangles = surfaces.triangulate(surface, count, count)
        a, b, c = np.moveaxis(vertices[triangles], 1, 0)
        missing.append(1 - np.sum(np.linalg.norm(np.cross(b - a, c - a), axis=1)) / 2 / area)
    assert 0 < missing[0] < 0.02
    assert missing[0] / missing[1] == pytest.approx(4, rel=0.05)


FUNCTIONS = {
    "arithmetic": lambda x: (2 * x - x / 3 + 1 / (x + 2)) ** 3 - np.abs(x) + (+x) * (1 - x) + 2.0**x - x**0.3,
    "circular": lambda x: np.sin(x) + np.cos(x) * np.tan(x / 2) + np.arcsin(x / 2) * np.arccos(x / 3),
    "inverse": lambda x: np.arctan(x) + np.arctan2(x, 0.3) * np.arctan2(0.3, x**2) + np.hypot(x, 2.0),
    "hyperbolic": lambda x: np.sinh(x) + np.cosh(x) * np.tanh(x) + np.arcsinh(x) * np.arctanh(x / 4),
    "exponential": lambda x: (
        np.exp(x) + np.expm1(x) * np.log(x) + np.log1p(x) * np.sqrt(x) + np.arccosh(1 + x)
    ),
    "arrays": lambda x: (
        np.linalg.norm(np.array([x, 2.0, x]) / x) + np.cross([x, 1, 2], [3, x, 1]) @ [x, 2, 1]
    ),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_numpy_functions_are_supported(function):
    """A slide along the values: poses as numpy has them, S their differences, and the program the same."""
    joint = FunctionJoint(lambda q: (np.eye(3), np.array([function(q[0]), 0, 0])), 1, low=0.2, high=1.5)
    program = {"math": math}
    exec(python_source(joint.kinematics_function), program)
    for x in (0.4, 0.7, 1.3):
        np.testing.assert_allclose(joint.transform([x])[0, 3], function(x), rtol=1e-13)
        numeric = derivative(lambda t, x=x: function(x + t)).value
        np.testing.assert_allclose(joint.motion_subspace([x])[3, 0], numeric, rtol=1e-8)
        R, t, S, bias_acceleration = np.zeros((3, 3)), np.zeros(3), np.zeros((6, 1)), np.zeros(6)
        program["motion"]([x], [1.5], R, t, S, bias_acceleration)
        np.testing.assert_allclose(t[0], function(x), rtol=1e-13)
        np.testing.assert_allclose(S, joint.motion_subspace([x]), rtol=1e-12)
        np.testing.assert_allclose(
            bias_acceleration, joint.motion_subspace_rate([x], [1.5]) @ [1.5], rtol=1e-12
        )


def test_programs_agree_with_the_joint():
    joint = joints.surface_on_surface(TORUS, EGG)
    program = {"math": math}
    source = python_source(joint.kinematics_function, "contact")
    exec(source, program)
    # Factor by factor; four times as many if the product is differentiated as a whole.
    assert len(source.splitlines()) < 800
    for q in STATES:
        qdot = np.cos(3 * q)
        R, t, S, bias_acceleration = np.zeros((3, 3)), np.zeros(3), np.zeros((6, 5)), np.zeros(6)
        program["contact"](q, qdot, R, t, S, bias_acceleration)
        np.testing.assert_allclose(R, joint.transform(q)[:3, :3], atol=1e-13)
        np.testing.assert_allclose(t, joint.transform(q)[:3, 3], atol=1e-13)
        np.testing.assert_allclose(S, joint.motion_subspace(q), atol=1e-12)
        np.testing.assert_allclose(bias_acceleration, joint.motion_subspace_rate(q, qdot) @ qdot, atol=1e-12)


def test_factored_joint_equals_the_product():
    def factors(q):
        return [
            (about_z(q[0]), np.array([1.0, q[1], 0])),
            (np.eye(3)[[1, 2, 0]], np.ones(3)),
            (about_z(q[1]), q[:1] * np.ones(3)),
        ]

    def product(q):
        R, t = np.eye(3), np.zeros(3)
        for Rj, tj in factors(q):
            R, t = R @ Rj, t + R @ tj
        return R, t

    by_factors, by_product = FunctionJoint(factors, 2), FunctionJoint(product, 2)
    q, qdot = np.array([0.4, -1.1]), np.array([0.8, 1.3])
    for method, arguments in (
        ("transform", (q,)),
        ("motion_subspace", (q,)),
        ("motion_subspace_derivative", (q,)),
        ("motion_subspace_rate", (q, qdot)),
        ("bias_acceleration_derivative", (q, qdot)),
    ):
        result = getattr(by_factors, method)(*arguments)
        np.testing.assert_allclose(result, getattr(by_product, method)(*arguments), atol=1e-13)


def test_joints_can_be_pickled():
    joint = joints.surface_on_surface(BALL, TORUS)
    before = joint.motion_subspace(STATES)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(joint)).motion_subspace(STATES), before)


GRID = np.random.default_rng(1).normal(size=(3, 4, 3))
SHAPES = {
    "sphere": BALL,
    "ellipsoid": EGG,
    "torus": TORUS,
    "Bezier surface": surfaces.bezier_surface(GRID),
    "circle": curves.circle(0.5),
    "Bezier curve": curves.bezier_curve(GRID[0]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_curves_and_surfaces_pickle_and_copy(name):
    shape = SHAPES[name]
    arguments = (0.3,) if isinstance(shape, curves.Curve) else (0.3, 0.4)
    for twin in (pickle.loads(pickle.dumps(shape)), copy.deepcopy(shape)):
        assert (twin.low, twin.high) == (shape.low, shape.high)
        np.testing.assert_array_equal(twin.point(*arguments), shape.point(*arguments))
        if isinstance(shape, surfaces.Surface):
            for (R, t), (R_twin, t_twin) in zip(shape.frame(*arguments), twin.frame(*arguments), strict=True):
                np.testing.assert_array_equal(R_twin, R)
                np.testing.assert_array_equal(t_twin, t)


class TestSingularStates:
    @pytest.mark.parametrize(
        ("joint", "q", "message"),
        [
            (
                joints.surface_on_surface(BALL, TORUS),
                [0, np.pi / 2 + 1e-8, 0, 0, 0],
                r"sphere-torus joint 1.0e-08 from a pole of its first surface, sphere, expected at least",
            ),
            (
                joints.surface_on_surface(TORUS, EGG),
                [0, 0, 0, -np.pi / 2, 0],
                "pole of its second surface, ellipsoid",
            ),
            (
                joints.point_on_surface(EGG, "normal"),
                [0, np.pi / 2, 0],
                "point on ellipsoid joint 6.1e-17 from a pole of its only surface",
            ),
            (
                joints.point_on_curve(curves.bezier_curve([[0, 0, 0], [1, 0, 0], [1, 0, 1]]), "none"),
                [1.0],
                r"point on Bezier curve joint .* from a tangent of its Bezier curve along \[0.0, 0.0, 1.0\]",
            ),
            (
                joints.point_on_surface(
                    surfaces.bezier_surface([[[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [1, 1, 0]]])
                ),
                [0.3, 0.0, 0, 0, 0],
                "point on Bezier surface joint .* from a fold",
            ),
        ],
    )
    def test_singular_states_are_named(self, joint, q, message):
        for method in (joint.transform, joint.motion_subspace, joint.motion_subspace_derivative):
            with pytest.raises(SingularConfiguration, match=message):
                method(np.stack([np.array(q) + 0.3, q]))
        joint.motion_subspace(np.array(q) + 0.01)

    def test_pole_with_fixed_spin_is_regular(self):
        joint = joints.surface_on_surface(TORUS, BALL, 0.3)
        assert joint.distance_to_singularity([0.2, 0.3, 0.4, np.pi / 2]) > 0.05

    def test_normals_may_be_parallel_or_opposite(self):
        """Parallel or against each other: the frames of two spheres turn through all of it smoothly."""
        joint = joints.surface_on_surface(BALL, BALL)
        for u in np.linspace(0, 2 * np.pi, 9):
            assert joint.distance_to_singularity([0.1, 0.2, u, 0.3, 0.4]) > 0.1


class TestWrongFunctions:
    @pytest.mark.parametrize(
        ("function", "message"),
        [
            (
                lambda q: (np.eye(3) if q[0] > 0 else -np.eye(3), np.zeros(3)),
                "function: got TypeError, a comparison",
            ),
            (lambda q: (np.eye(3), np.zeros(3)) if q[0] else None, "a branch on a coordinate"),
            (lambda q: (np.eye(3) * math.cos(q[0]), np.zeros(3)), "got TypeError, must be real number"),
            (lambda q: np.eye(4), r"function: got .*expected"),
            (lambda q: (np.eye(3), np.zeros(2)), r"results of shape \(3, 3\), \(2,\), expected R \(3, 3\)"),
            (
                lambda q: (np.eye(3) * q[0], np.zeros(3)),
                r"a matrix R with max \|R\^T R - I\| = .*, for the odd",
            ),
            (lambda q: (-np.eye(3), np.zeros(3)), "a reflection R"),
            (lambda q: (np.eye(3), np.array([np.sqrt(-1 - q[0] ** 2), 0, 0])), "no finite numbers"),
        ],
    )
    def test_invalid_functions_are_rejected(self, function, message):
        with pytest.raises(InvalidArgument, match=message):
            FunctionJoint(function, 1, name="odd")

    def test_invalid_arguments_are_rejected(self):
        def nothing(q):
            return np.eye(3), np.zeros(3)

        for wrong, message in (
            (lambda: FunctionJoint(nothing, 0), "num_coordinates: got 0"),
            (lambda: FunctionJoint(nothing, 2, neutral=[1, 2, 3]), r"neutral: got shape \(3,\)"),
            (
                lambda: FunctionJoint(nothing, 2, low=[0, 1], high=[1, 0]),
                r"high: got \[1.0, 0.0\], exp",
            ),
            (lambda: surfaces.torus(0.1, 0.1), "tube_radius: got 0.1, expected a tube thinner"),
            (lambda: surfaces.bezier_surface(np.zeros((1, 3, 3))), r"points: got shape \(1, 3, 3\)"),
            (lambda: curves.bezier_curve(np.zeros((1, 3))), r"points: got shape \(1, 3\)"),
            (
                lambda: joints.rolling_gear(0.3, 0.3, internal=True),
                "wheel_radius: got 0.3, expected a wheel smaller",
            ),
            (lambda: joints.point_on_surface(BALL, "free"), "rotation: got 'free', expected one of 'ball'"),
        ):
            with pytest.raises(InvalidArgument, match=message):
                wrong()

    def test_without_casadi_the_extra_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "casadi", None)
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'rbnotes\[joints\]'"):
            FunctionJoint(lambda q: (np.eye(3), np.zeros(3)), 1)


def test_rotations_and_translations_compose_to_a_composite_of_simple_joints():
    axis, other = np.array([0.6, 0.0, 0.8]), np.array([0.0, 0.28, 0.96])

    def motion(q):
        return [
            rotation(axis, q[0]),
            translation(0.3, -q[1], 0.05 * q[0] + 2 * q[1]),
            rotation(other, 3 * q[1] - 0.5),
        ]

    composed = FunctionJoint(motion, 2)
    rng = np.random.default_rng(2)
    for q in rng.uniform(-2, 2, size=(4, 2)):
        Q = (
            se3.frame(Rotation.from_rotvec(q[0] * axis).as_matrix(), np.zeros(3))
            @ se3.frame(np.eye(3), [0.3, -q[1], 0.05 * q[0] + 2 * q[1]])
            @ se3.frame(Rotation.from_rotvec((3 * q[1] - 0.5) * other).as_matrix(), np.zeros(3))
        )
        np.testing.assert_allclose(composed.transform(q), Q, atol=1e-14)
    helix = FunctionJoint(lambda q: [rotation(axis, q[0]), translation(*(0.07 * q[0] * axis))], 1)
    pitch = Helical(axis, 0.07)
    for q in ([0.4], [-5.0]):
        np.testing.assert_allclose(helix.transform(q), pitch.transform(q), atol=1e-14)
        np.testing.assert_allclose(helix.motion_subspace(q), pitch.motion_subspace(q), atol=1e-13)


def test_functions_that_need_numbers_are_refused_with_a_hint():
    for function in (
        lambda q: (so3.exp(q[0] * np.array([0, 0, 1.0])), np.zeros(3)),
        lambda q: (np.eye(3), np.array([math.cos(q[0]), 0, 0])),
    ):
        with pytest.raises(InvalidArgument, match=r"rotation and translation of rbnotes\.joints"):
            FunctionJoint(function, 1)
