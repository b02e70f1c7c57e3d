"""Si & Guenter 5 and 6: Table 1, the figures, and joints of any kind."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import joints
from rbnotes.ledger.joint_quantities import MASS_POINTS, coordinates, velocities
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.branching_tree import newton_equations
from rbnotes.ledger.oracles.branching_tree_inputs import mass_points, spatial_inertia
from rbnotes.ledger.oracles.torus_contact import point_positions
from rbnotes.ledger.quantities import ACCELERATION, LENGTH, NUMBER, RATE, TIME
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, numbers
from rbnotes.unchecked.central_differences import time_derivative_at_zero

section_5 = Section(
    "si/s5",
    chapter="general-joints-linear-time",
    arguments={
        "radii": Argument(LENGTH),
        "points": Argument(MASS_POINTS, "of each body: mass, then position in it"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "q": Argument(coordinates, "of the joints, in their order"),
        "qdot": Argument(velocities, "of the joints, in their order"),
    },
)
section_6 = Section(
    "si/s6",
    chapter="general-joints-linear-time",
    arguments={
        "a": Argument(NUMBER),
        "b": Argument(NUMBER),
        "c": Argument(NUMBER),
        "w": Argument(NUMBER, "along the axes of the moving frame"),
        "axis": Argument(NUMBER, "of the rotation vector, in either frame"),
        "beyond": Argument(NUMBER),
    },
)


BODY = spatial_inertia(np.array([[1.0, 1, 1, 1], [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]))


def translation_along_x(x):
    """Return the pose shifted along x."""
    E = np.eye(4)
    E[0, 3] = x
    return E


def torus_on_torus(R, r, second_R, second_r):
    """Return a joint that rotates about each torus and about each tube."""
    z, y = joints.Revolute(), joints.Revolute([0, 1.0, 0])
    before = (z, joints.Fixed(translation_along_x(R)), joints.Revolute([0, -1.0, 0]))
    return joints.Composite(
        *before,
        joints.Fixed(translation_along_x(r + second_r)),
        y,
        joints.Fixed(translation_along_x(second_R)),
        z,
    )


def chain(first, joint, n):
    """Return a chain of n links whose first link has a joint of its own."""
    links = [reduced.Link("0", first, BODY)]
    links += [reduced.Link(str(i), joint, BODY, str(i - 1)) for i in range(1, n)]
    return reduced.Tree(links)


@section_5.demonstration("table1", "Degrees of freedom of the six examples")
class table1:
    formula = r"\text{DOFs of RC20, RC50, RC100, TC10, TC20, WM}"
    result = Result(NUMBER, "one for each example")

    def printed():
        return np.array([20, 50, 100, 38, 78, 73])

    def library():
        hinge, tori = joints.Revolute(), torus_on_torus(2.0, 0.5, 2.0, 0.5)
        chains = [chain(hinge, hinge, n) for n in (20, 50, 100)]
        chains += [chain(joints.Universal(), tori, n) for n in (10, 20)]
        return np.array([tree.num_coordinates for tree in (*chains, chain(hinge, tori, 19))])

    def reference():
        """Count six coordinates for each body, minus the constraints of its joint.

        A hinge has five constraints, a universal joint four, a contact of surfaces two.
        """
        bodies = np.array([20, 50, 100, 10, 20, 19])
        constraint_counts = np.array([20 * 5, 50 * 5, 100 * 5, 4 + 9 * 2, 4 + 19 * 2, 5 + 18 * 2])
        return 6 * bodies - constraint_counts

    remark = (
        "TC10 and TC20 show that each additional torus has four coordinates, and that the first "
        "torus has two. The 73 coordinates of the windmill agree with a hinge and 18 pairs of "
        "surfaces, which the paper does not list. The times are those of a machine of 2010. Their"
        " ratios show that the cost of Methods I and II is linear (0.020, 0.050, 0.112 ms for 20,"
        " 50, 100 links: exponents 1.00 and 1.16), whereas that of SD/FAST is not (0.016 to 0.136"
        " ms, exponent 2.3), and that Method II takes 19 to 50 times as long as Method I. The "
        "statement 'Faster than both ... in most cases' holds for four of the five pairs of "
        "times; SD/FAST is faster at 20 links."
    )
    implements = (reduced.Tree, joints.Composite)


@section_5.demonstration("fig1", "A chain of 20 tori")
class fig1:
    result = Result(NUMBER, "coordinates of the joints, by their two kinds")

    def printed():
        """Return the number of tori, and of pairs of surfaces that connect them."""
        return np.array([20, 19])

    def library():
        tori = chain(joints.Universal(), torus_on_torus(2.0, 0.5, 2.0, 0.5), 20)
        pairs = [link for link in tori.links if isinstance(link.joint, joints.Composite) and link.parent]
        return np.array([len(tori.links), len(pairs)])

    def reference():
        """Compare with the 78 coordinates of Table 1: two of the first torus, and four of each other one."""
        num_pairs = (78 - 2) // 4
        return np.array([1 + num_pairs, num_pairs])

    implements = joints.Composite


@section_5.definition("fig2", "A windmill of spheres, ellipsoids and tori")
class fig2:
    remark = (
        "This is a picture. Sphere on sphere and sphere on torus are composites of hinges, like "
        "torus on torus. Joints with ellipsoids need a function of their own."
    )
    implements = joints.surface_on_surface


@section_6.definition("fig3", "A torus chain sliding along a spline")
class fig3:
    remark = (
        "This is a picture. The first joint of the chain has one coordinate, the position on a "
        "Bezier curve of seven points; its axis follows the tangent."
    )
    implements = joints.general.curves.bezier_curve


@section_6.definition("fig4", "A board on a spline surface")
class fig4:
    remark = (
        "This is a picture. Two coordinates give the position on a Bezier surface of 25 points, "
        "whose tangent plane the board follows."
    )
    implements = joints.general.surfaces.bezier_surface


@section_5.holds("t218", "Any function from coordinates to poses defines a joint")
class t218:
    formula = r"\text{`no limit in the joint types'}"
    inputs = {
        "radii": arrays(4).map(lambda drawn: 2.5 + drawn / 2),
        "points": mass_points(1),
        "g": arrays(3),
        "q": arrays(4),
        "qdot": arrays(4),
    }
    result = Result(RATE / TIME, "of the two joints")

    def printed(radii, points, g, q, qdot):
        """Apply Newton's law along the coordinates of a torus that rolls and slides on another.

        The pose alone describes the torus.
        """
        M, force = newton_equations(
            point_positions(radii, points[0]), points[0, :, 0], points[0, :, :1] * g, q, qdot
        )
        return np.linalg.inv(M) @ force

    def library(radii, points, g, q, qdot):
        link = reduced.Link("torus", torus_on_torus(*radii), spatial_inertia(points[0]))
        return reduced.factored_dynamics(reduced.Tree([link], gravity=g), q, qdot).qddot

    def reference(radii, points, g, q, qdot):
        """Evaluate Lagrange's equations for the energy of the points, by complex steps and differences."""
        m, positions, h = points[0, :, 0], point_positions(radii, points[0]), 1e-2

        def momentum(x, v):
            """Return the derivatives of the kinetic energy with respect to the rates."""
            jacobian = complex_steps.partial_derivatives(positions, x)
            return jacobian * np.repeat(m, 3) @ (jacobian.T @ v)

        def lagrangian(x):
            """Return the Lagrangian at these rates, with velocities by differences of positions."""
            velocity = time_derivative_at_zero(lambda t: np.stack([positions(x + s * qdot) for s in t]), h)
            kinetic = velocity**2 @ np.repeat(m, 3) / 2
            return kinetic + positions(x) @ np.outer(m, g).ravel()

        momentum_rate = time_derivative_at_zero(
            lambda t: np.stack([momentum(q + s * qdot, qdot) for s in t]), h
        )
        M = np.stack([momentum(q, unit) for unit in np.eye(4)], axis=-1)
        return np.linalg.solve(M, complex_steps.partial_derivatives(lagrangian, q) - momentum_rate)

    tolerance = 1e-6
    tolerance_reason = "two of the terms are differences with steps of 0.01 at rates up to 2"
    remark = (
        "As the paper states, the coordinates must be independent: the Jacobian of the pose must "
        "have full rank. The joint must not depend on time (scleronomic), and its rates must not "
        "be constrained, as in rolling without slip."
    )
    implements = (joints.Composite, reduced.factored_dynamics)


def zxz_axes(b, c):
    """Return the axes, in the body, of three rotations about z, x and z again.

    They do not depend on the first angle.
    """
    last = np.array([[np.cos(c), np.sin(c), 0], [-np.sin(c), np.cos(c), 0], [0, 0, 1]])
    first = last @ np.array([0, np.sin(b), np.cos(b)])
    return np.stack([first, last[:, 0], [0, 0, 1]], axis=-1)


@section_6.holds("t234#a", "Gimbal lock: another sequence of angles has other singular points")
class t234_a:
    formula = r"\text{switching between parameterizations with different singular points}"
    inputs = {"a": numbers(), "b": numbers(0.3, 1.4), "c": numbers(), "w": arrays(3)}
    result = Result(
        NUMBER, "the volume at the gimbal lock of the first angles, then the rates of the other angles"
    )

    def printed(a, b, c, w):
        """Return the volume that the axes x, y, z span at gimbal lock, which is zero, and the rates.

        The rates are those of the angles about z, x, z.
        """
        R = Rotation.from_euler("XYZ", [a, b, c])
        _, second, third = R.as_euler("ZXZ")
        return np.concatenate([[0.0], np.linalg.inv(zxz_axes(second, third)) @ w])

    def library(a, b, c, w):
        xyz, zxz = joints.EulerSpherical("XYZ"), joints.EulerSpherical("ZXZ")
        at_lock = np.array([a, np.pi / 2, c])
        angles = zxz.nearest_coordinates(xyz.transform([a, b, c]))
        volume = np.linalg.det(xyz.motion_subspace(at_lock)[:3])
        rates = np.linalg.solve(zxz.motion_subspace(angles)[:3], w)
        return np.concatenate([[volume], rates])

    def reference(a, b, c, w):
        """Compare with derivatives of the angles at this angular velocity, and the volume of the axes."""
        R = Rotation.from_euler("XYZ", [a, b, c])
        angles = R.as_euler("ZXZ")

        def sines_and_cosines(t):
            rotated_angles = Rotation.from_matrix(R.as_matrix() @ expm(t * bracket(w))).as_euler("ZXZ")
            return np.stack([np.sin(rotated_angles), np.cos(rotated_angles)])

        sine_rates, cosine_rates = derivative(sines_and_cosines).value
        lock = Rotation.from_euler("XYZ", [a, np.pi / 2, c])
        axes = [
            lock.inv().apply([1.0, 0, 0]),
            Rotation.from_rotvec([0, 0, -c]).apply([0, 1.0, 0]),
            [0, 0, 1.0],
        ]
        rates = np.cos(angles) * sine_rates - np.sin(angles) * cosine_rates
        return np.concatenate([[np.linalg.det(np.stack(axes))], rates])

    implements = joints.EulerSpherical


@section_6.holds("t234#b", "A ball joint without singularities, by changing the rotation vector in time")
class t234_b:
    formula = r"\mathbf q \to (1 - 2\pi/|\mathbf q|)\,\mathbf q"
    inputs = {"axis": arrays(3).filter(lambda r: np.linalg.norm(r) > 0.3), "beyond": numbers(0.1, 1.5)}
    result = Result(NUMBER, "of the moving frame in the fixed frame, by the shortest rotation")

    def printed(axis, beyond):
        """Evaluate between 1.5 pi, where the library changes the chart, and 2 pi, where the chart ends."""
        angle = 1.5 * np.pi + beyond
        q = angle * axis / np.linalg.norm(axis)
        return (1 - 2 * np.pi / np.linalg.norm(q)) * q

    def library(axis, beyond):
        q = (1.5 * np.pi + beyond) * axis / np.linalg.norm(axis)
        return joints.ExponentialSpherical().reparametrize(q, np.zeros(3))[0]

    def reference(axis, beyond):
        """Compute the shortest rotation vector from the rotation matrix."""
        q = (1.5 * np.pi + beyond) * axis / np.linalg.norm(axis)
        return Rotation.from_matrix(expm(bracket(q))).as_rotvec()

    remark = (
        "No single chart of three coordinates is free of singular points, but two overlapping "
        "charts are. This method switches between rotation vectors of the same rotation, not "
        "between sequences of angles."
    )
    implements = joints.ExponentialSpherical
