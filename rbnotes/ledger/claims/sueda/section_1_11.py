"""Sueda 1.11: contact constraints."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes import se3
from rbnotes.contact import ContactPoints, normal_jacobian
from rbnotes.dynamics import WORLD, BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.quadratic_programs import constrained_minimizer, contact_velocities
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    FORCE,
    LENGTH,
    MASS,
    NUMBER,
    POSE,
    TIME,
    TWIST,
    VELOCITY,
    TupleQuantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import (
    arrays,
    frames,
    full_rank_matrices,
    spd_matrices,
    twists,
    unit_vectors,
    vectors,
)

SYSTEM_COORDINATES = "in the coordinates of the whole system"

section = Section(
    "sueda/s1.11",
    chapter="stabilization",
    page_2019=Page(16, last=17),
    page_2021=Page(22, last=23),
    arguments={
        "E": Argument(POSE, "of the body in the world"),
        "x": Argument(LENGTH, "where they touch, in the world"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "phidot": Argument(TWIST / TIME, "in the frame of the body"),
        "n": Argument(NUMBER, "direction in the world"),
        "several": Argument(TupleQuantity((POSE, LENGTH, NUMBER))),
        "m": Argument(NUMBER),
        "Ei": Argument(POSE, "of the body i in the world"),
        "Ej": Argument(POSE, "of the body j in the world"),
        "phi_i": Argument(TWIST, "of the body i, in its frame"),
        "phi_j": Argument(TWIST, "of the body j, in its frame"),
        "out": Argument(NUMBER, "direction in the world"),
        "M": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "f": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "C": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
        "G": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
    },
)


ONE_BODY = {"E": frames(), "x": vectors(), "phi": twists()}
TWO_BODIES = {"Ei": frames(), "Ej": frames(), "x": arrays(3), "phi_i": arrays(6), "phi_j": arrays(6)}

DIRECTIONS = unit_vectors()


REPORTED = st.shared(unit_vectors(), key="normal")


def gamma(x):
    """Return the material Jacobian, written out from the velocity of a point: omega x x + v."""
    return np.hstack([bracket(x).T, np.eye(3)])


def in_body(E, x):
    """Coordinates in the body of a point of the world."""
    return E[:3, :3].T @ (x - E[:3, 3])


def point_rate(E, x, phi):
    """Velocity of the body's material point that is at x now, from its path."""
    pose, local = motion(E, phi), np.linalg.solve(E, np.append(x, 1.0))
    return derivative(lambda t: (pose(t) @ local)[:3]).value


def world_velocity(E, x, phi):
    """Return the velocity of the material point at x of a body that turns about its moving origin (in the world)."""
    turning, arm = E[:3, :3] @ phi[:3], x - E[:3, 3]
    return np.cross(turning, arm) + E[:3, :3] @ phi[3:]


def touching(x, normals, bodies, others):
    """Contacts at x, one for each normal, which pushes the body and pushes the other one back."""
    count = len(normals)
    none = np.zeros(count)
    bodies, others = np.broadcast_to(bodies, count), np.broadcast_to(others, count)
    return ContactPoints(bodies, others, np.broadcast_to(x, (count, 3)), normals, none, none, none)


SEVERAL = st.tuples(
    st.tuples(*[frames()] * 3).map(np.array),
    st.tuples(*[vectors()] * 4).map(np.array),
    st.tuples(*[unit_vectors()] * 4).map(np.array),
)


def relative_reference(Ei, Ej, x, phi_i, phi_j):
    """Compare with the angular velocity times arm, plus the origin's velocity, of each body in the world."""
    return world_velocity(Ei, x, phi_i) - world_velocity(Ej, x, phi_j)


def pair_library(Ei, Ej, x, phi_i, phi_j, n):
    row = normal_jacobian(touching(x, n[None], 0, 1), np.stack([Ei, Ej])).toarray()[0]
    return row @ np.concatenate([phi_i, phi_j])


PLACES = (np.array([0.3, -0.4, 0.5]), np.array([0.48, 0.6, 0.64]))
BODIES = np.stack([se3.exp(np.array([0.1, 0.2, -0.3, 0.4, 0.5, 0.6]) * k) for k in (1, -2, 3)])


@section.erratum("e1.75", "Velocity of the collision point")
class e1_75:
    page_2019 = Page(16, r"${}^i\phi_i$, without a dot")
    page_2021 = Page(22, page_2019.content)
    formula = r"{}^0\dot{\mathbf x} = {}^0_iR\,\Gamma({}^i\mathbf x)\,{}^i\dot\phi_i"
    edit = (r"\dot\phi_i", r"\phi_i")
    inputs = {**ONE_BODY, "phidot": twists()}
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E, x, phi, phidot):
        return E[:3, :3] @ gamma(in_body(E, x)) @ phidot

    def library(E, x, phi, phidot):
        return se3.point_velocity(E, se3.transform_points(se3.inverse(E), x), phi)

    def reference(E, x, phi, phidot):
        """Compare with the numerical derivative of the path of the material point that is at the collision point now."""
        return point_rate(E, x, phi)

    combined_with = ("sueda/s1.4/e1.12#a", "sueda/s1.11/e1.76")
    correction = (
        r"${}^0\dot{\mathbf x} = {}^0_iR\,\Gamma({}^i\mathbf x)\,{}^i\phi_i$, without the dot on the "
        r"right: $\phi_i$ is the twist itself, as in (1.12) and (1.76)"
    )
    units_mismatch = r"an acceleration stands where a velocity belongs"
    remark = (
        "The next line has it right. With the dot the left side would be a velocity and the right one an "
        "acceleration."
    )
    implements = se3.point_velocity


@section.holds("t614", "The collision point in body coordinates")
class t614:
    formula = r"{}^i\mathbf x = {}^i_0\mathbf E\;{}^0\mathbf x"
    inputs = {"E": frames(), "x": vectors()}
    result = Result(LENGTH, "in the frame of the body")

    def printed(E, x):
        E_0i = np.linalg.inv(E)
        return (E_0i @ np.append(x, 1.0))[:3]

    def library(E, x):
        return se3.transform_points(se3.inverse(E), x)

    def reference(E, x):
        """Compare with the arm from the body's origin, measured along each of the body's axes.

        The point's arm from the body's origin, measured along the body's three axes one by one.
        """
        return np.array([E[:3, k] @ (x - E[:3, 3]) for k in range(3)])

    implements = (se3.transform_points, se3.inverse)


@section.holds("e1.76", "The row of a contact with the ground")
class e1_76:
    page_2019 = Page(17, r"${}^0_i\mathsf R$")
    page_2021 = Page(22, page_2019.content)
    formula = r"{}^0\mathbf n^\top\,{}^0\mathbf R\,\Gamma({}^i\mathbf x)\,{}^i\phi_i \ge 0\ \text{or}\ \mathbf N\,{}^i\phi_i \ge 0"
    inputs = {"E": frames(), "x": arrays(3), "phi": arrays(6), "n": DIRECTIONS}
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(E, x, phi, n):
        R = E[:3, :3]
        N = n @ R @ gamma(in_body(E, x))
        return N @ phi

    def library(E, x, phi, n):
        return (normal_jacobian(touching(x, n[None], 0, WORLD), E[None]) @ phi)[0]

    def reference(E, x, phi, n):
        """Compare with the rate at which the material point rises: angular velocity times arm, plus the origin's velocity, in the world.

        The rate at which the material point rises above the plane of the ground.
        """
        return n @ world_velocity(E, x, phi)

    remark = (
        "The normal points out of the ground: then the product is the rate at which the point rises. The conversion of "
        "the text dropped the index of its body here too, but only in (1.77), where there are two, does one need it."
    )
    implements = normal_jacobian


@section.holds("t618", "Size of N for m collisions of n bodies with the world")
class t618:
    formula = r"\mathbf N \in \mathbb R^{m\times 6n}"
    inputs = {"several": SEVERAL, "m": st.integers(1, 4), "n": st.integers(1, 3)}
    result = Result(NUMBER, "rows, then columns")

    def printed(several, m, n):
        return np.array([m, 6 * n])

    def library(several, m, n):
        poses, x, normals = several[0][:n], several[1][:m], several[2][:m]
        points = touching(x, normals, np.arange(m) % n, WORLD)
        return np.array(normal_jacobian(points, poses).shape)

    def reference(several, m, n):
        """Compare with the number of contacts, and the length of all twists together.

        As many numbers as there are contacts, and as many as the twists of the bodies have together.
        """
        return np.array([len(several[2][:m]), sum(2 * pose[:3, 3].size for pose in several[0][:n])])

    implements = normal_jacobian


@section.misprint("e1.77", "Relative velocity of two bodies at a contact")
class e1_77:
    page_2019 = Page(17, r"${}^0_i\mathsf R$ in the first term, ${}^0_j\mathsf R$ in the second")
    page_2021 = Page(22, page_2019.content)
    formula = r"{}^0\mathbf v_{\text{rel}} = {}^0\mathbf R\,\Gamma({}^i\mathbf x)\,{}^i\phi_i - {}^0\mathbf R\,\Gamma({}^j\mathbf x)\,{}^j\phi_j"
    edits = (
        (r"{}^0\mathbf R\,\Gamma({}^i\mathbf x)", r"{}^0_i\mathbf R\,\Gamma({}^i\mathbf x)"),
        (r"{}^0\mathbf R\,\Gamma({}^j\mathbf x)", r"{}^0_j\mathbf R\,\Gamma({}^j\mathbf x)"),
    )
    inputs = TWO_BODIES
    result = Result(VELOCITY, "along the axes of the world")

    def printed(Ei, Ej, x, phi_i, phi_j):
        R = Ei[:3, :3]
        return R @ gamma(in_body(Ei, x)) @ phi_i - R @ gamma(in_body(Ej, x)) @ phi_j

    def library(Ei, Ej, x, phi_i, phi_j):
        rows = normal_jacobian(touching(x, np.eye(3), 0, 1), np.stack([Ei, Ej])).toarray()
        return rows @ np.concatenate([phi_i, phi_j])

    reference = relative_reference
    correction = (
        r"${}^0_i\mathbf R\,\Gamma({}^i\mathbf x)\,{}^i\phi_i - {}^0_j\mathbf R\,\Gamma({}^j\mathbf "
        r"x)\,{}^j\phi_j$: each body has a rotation of its own"
    )
    remark = "The conversion of the text dropped the index of the body, which (1.75) still has."
    implements = normal_jacobian


@section.misprint("e1.78#a", "The row of a contact between two bodies")
class e1_78_a:
    page_2019 = Page(17, r"${}^0_i\mathsf R$ in the first block, ${}^0_j\mathsf R$ in the second")
    page_2021 = Page(22, page_2019.content)
    formula = r"\left({}^0\mathbf n^\top\,{}^0\mathbf R\,\Gamma({}^i\mathbf x)\quad -{}^0\mathbf n^\top\,{}^0\mathbf R\,\Gamma({}^j\mathbf x)\right)\begin{pmatrix} {}^i\phi_i \\ {}^j\phi_j \end{pmatrix} \ge 0"
    edits = (
        (r"{}^0\mathbf R\,\Gamma({}^i\mathbf x)", r"{}^0_i\mathbf R\,\Gamma({}^i\mathbf x)"),
        (r"{}^0\mathbf R\,\Gamma({}^j\mathbf x)", r"{}^0_j\mathbf R\,\Gamma({}^j\mathbf x)"),
    )
    inputs = {**TWO_BODIES, "n": DIRECTIONS}
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(Ei, Ej, x, phi_i, phi_j, n):
        R = Ei[:3, :3]
        row = np.hstack([n @ R @ gamma(in_body(Ei, x)), -n @ R @ gamma(in_body(Ej, x))])
        return row @ np.concatenate([phi_i, phi_j])

    library = pair_library

    def reference(Ei, Ej, x, phi_i, phi_j, n):
        """Compare with the angular velocity times arm, plus the origin's velocity, of each body in the world, along the normal."""
        return n @ relative_reference(Ei, Ej, x, phi_i, phi_j)

    correction = (
        r"$\left({}^0\mathbf n^\top\,{}^0_i\mathbf R\,\Gamma({}^i\mathbf x)\quad -{}^0\mathbf "
        r"n^\top\,{}^0_j\mathbf R\,\Gamma({}^j\mathbf x)\right)$"
    )
    remark = "The same two indices as in (1.77)."
    implements = normal_jacobian


@section.conditional("e1.78#b", "Which way the normal points between two bodies")
class e1_78_b:
    page_2019 = Page(17)
    page_2021 = Page(22)
    formula = r"{}^0\mathbf n^\top\,{}^0\mathbf v_{\text{rel}} \ge 0\ \text{keeps the bodies apart}"
    inputs = {**TWO_BODIES, "out": DIRECTIONS, "n": DIRECTIONS}
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(Ei, Ej, x, phi_i, phi_j, out, n):
        Ri, Rj = Ei[:3, :3], Ej[:3, :3]
        row = np.hstack([n @ Ri @ gamma(in_body(Ei, x)), -n @ Rj @ gamma(in_body(Ej, x))])
        return row @ np.concatenate([phi_i, phi_j])

    def library(Ei, Ej, x, phi_i, phi_j, out, n):
        return pair_library(Ei, Ej, x, phi_i, phi_j, out)

    def reference(Ei, Ej, x, phi_i, phi_j, out, n):
        """Compare with the rate at which the gap between the two material points opens, from their velocities in the world.

        How fast the gap opens between the points of the two bodies, measured out of body j.
        """
        return out @ world_velocity(Ei, x, phi_i) - out @ world_velocity(Ej, x, phi_j)

    given = {**TWO_BODIES, "out": REPORTED, "n": REPORTED}

    def holds_when(Ei, Ej, x, phi_i, phi_j, out, n):
        """Return True if the reported normal points out of body j."""
        return np.allclose(n, out)

    condition = "the collision normal points from body j to body i"
    remark = (
        "With the ground the normal can only be the ground's. Of two bodies a detector may report "
        "either; if it points from i to j, the printed inequality lets the bodies through each other and "
        "forbids them to part."
    )
    implements = normal_jacobian


@section.demonstration("t628", "A contact of two bodies fills twelve columns")
class t628:
    formula = r"2\ \text{block columns (12 columns total)}"
    result = Result(NUMBER, SYSTEM_COORDINATES)

    def printed():
        return 12

    def library():
        x, n = PLACES
        return np.count_nonzero(normal_jacobian(touching(x, n[None], 2, 0), BODIES).toarray())

    def reference():
        """Find which of the velocities of three bodies change the relative velocity, one by one.

        How many of the 18 velocities of three bodies change the relative velocity at a contact of two.
        """
        x, n = PLACES
        units = np.eye(18).reshape(18, 3, 6)
        rates = [
            n @ (point_rate(BODIES[2], x, unit[2]) - point_rate(BODIES[0], x, unit[0])) for unit in units
        ]
        return np.count_nonzero(np.abs(rates) > 1e-9)

    tolerance = 0.05
    implements = normal_jacobian


# ------------------------------------------------------------------------------------------------------------
# One step with contacts, and with joints besides.


NOTHING = np.zeros((0, 4))


QP = {"M": spd_matrices(4), "f": vectors(4)}


@section.holds("e1.79", "One step with contacts as a quadratic program")
class e1_79:
    formula = r"\min_\Phi\ \tfrac12\,\Phi^\top\mathbf M\Phi - \Phi^\top\tilde{\mathbf f}\quad\text{subject to}\quad \mathbf C\Phi \ge 0"
    inputs = {**QP, "C": full_rank_matrices(2, 4)}
    result = Result(ACCELERATION, SYSTEM_COORDINATES)

    def printed(M, f, C):
        return constrained_minimizer(lambda Phi: 0.5 * Phi @ M @ Phi - Phi @ f, C, NOTHING)

    def library(M, f, C):
        return solve_step(StepProblem(M, f, unilateral=UnilateralRows(C))).velocity

    def reference(M, f, C):
        """Try all sets of closed contacts in the momentum balance: impulses push, and pushing contacts do not open.

        Newton's law with impulses that push, where a contact that pushes does not open (all cases tried).
        """
        return contact_velocities(M, f, C, NOTHING)

    tolerance = 1e-08
    remark = r"$\mathbf C$ is what (1.76) calls $\mathbf N$; in (1.87) the letter holds the tangents as well."
    implements = solve_step


@section.holds("e1.80", "One step with contacts and joints")
class e1_80:
    formula = r"\min_\Phi\ \tfrac12\,\Phi^\top\mathbf M\Phi - \Phi^\top\tilde{\mathbf f}\quad\text{subject to}\quad \mathbf C\Phi \ge 0,\ \mathbf G\Phi = 0"
    inputs = {
        **QP,
        "C": full_rank_matrices(2, 4),
        "G": full_rank_matrices(1, 4),
    }
    result = Result(ACCELERATION, SYSTEM_COORDINATES)

    def printed(M, f, C, G):
        return constrained_minimizer(lambda Phi: 0.5 * Phi @ M @ Phi - Phi @ f, C, G)

    def library(M, f, C, G):
        return solve_step(StepProblem(M, f, BilateralRows(G), UnilateralRows(C))).velocity

    def reference(M, f, C, G):
        """Try all sets of closed contacts in the momentum balance with impulses of joints."""
        return contact_velocities(M, f, C, G)

    tolerance = 1e-08
    implements = solve_step
