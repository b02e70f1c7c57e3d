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

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "sueda/s1.11",
    chapter="stabilization",
    page_2019=Page(16, last=17),
    page_2021=Page(22, last=23),
    arguments={
        "E": Argument(POSE, "of the body in the world"),
        "x": Argument(LENGTH, "contact point, in the world"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "phidot": Argument(TWIST / TIME, "in the frame of the body"),
        "n": Argument(NUMBER, "direction in the world"),
        "scene": Argument(TupleQuantity((POSE, LENGTH, NUMBER))),
        "m": Argument(NUMBER),
        "Ei": Argument(POSE, "of the body i in the world"),
        "Ej": Argument(POSE, "of the body j in the world"),
        "phi_i": Argument(TWIST, "of the body i, in its frame"),
        "phi_j": Argument(TWIST, "of the body j, in its frame"),
        "outward": Argument(NUMBER, "normal that points out of body j, in the world"),
        "M": Argument(MASS, "in the generalized coordinates of the system"),
        "f": Argument(FORCE, "in the generalized coordinates of the system"),
        "C": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
    },
)


ONE_BODY = {"E": frames(), "x": vectors(), "phi": twists()}
TWO_BODIES = {"Ei": frames(), "Ej": frames(), "x": arrays(3), "phi_i": arrays(6), "phi_j": arrays(6)}

DIRECTIONS = unit_vectors()


SHARED_NORMAL = st.shared(unit_vectors(), key="normal")


def gamma(x):
    """Return Gamma, written out from the velocity of a point: omega x x + v."""
    return np.hstack([bracket(x).T, np.eye(3)])


def in_body(E, x):
    """Return the body coordinates of a point in the world."""
    return E[:3, :3].T @ (x - E[:3, 3])


def point_velocity(E, x, phi):
    """Return the velocity of the material point of a body at x, from its path."""
    pose, local = motion(E, phi), np.linalg.solve(E, np.append(x, 1.0))
    return derivative(lambda t: (pose(t) @ local)[:3]).value


def world_velocity(E, x, phi):
    """Return the world velocity of the material point at x, from angular velocity and arm."""
    angular_velocity, arm = E[:3, :3] @ phi[:3], x - E[:3, 3]
    return np.cross(angular_velocity, arm) + E[:3, :3] @ phi[3:]


def contact_points(x, normals, bodies, others):
    """Return contacts at x, one for each normal, which push one body and push the other one back."""
    count = len(normals)
    zeros = np.zeros(count)
    bodies, others = np.broadcast_to(bodies, count), np.broadcast_to(others, count)
    return ContactPoints(bodies, others, np.broadcast_to(x, (count, 3)), normals, zeros, zeros, zeros)


SCENE = st.tuples(
    st.tuples(*[frames()] * 3).map(np.array),
    st.tuples(*[vectors()] * 4).map(np.array),
    st.tuples(*[unit_vectors()] * 4).map(np.array),
)


def relative_reference(Ei, Ej, x, phi_i, phi_j):
    """Compare with the angular velocity times arm, plus the origin's velocity, of each body in the world."""
    return world_velocity(Ei, x, phi_i) - world_velocity(Ej, x, phi_j)


def pair_library(Ei, Ej, x, phi_i, phi_j, n):
    row = normal_jacobian(contact_points(x, n[None], 0, 1), np.stack([Ei, Ej])).toarray()[0]
    return row @ np.concatenate([phi_i, phi_j])


POINT_AND_NORMAL = (np.array([0.3, -0.4, 0.5]), np.array([0.48, 0.6, 0.64]))
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
        """Compare with the numerical derivative of the path of the material point at the collision point."""
        return point_velocity(E, x, phi)

    combined_with = ("sueda/s1.4/e1.12#a", "sueda/s1.11/e1.76")
    correction = (
        r"${}^0\dot{\mathbf x} = {}^0_iR\,\Gamma({}^i\mathbf x)\,{}^i\phi_i$, without the dot on the "
        r"right: $\phi_i$ is the twist itself, as in (1.12) and (1.76)"
    )
    units_mismatch = "an acceleration instead of a velocity"
    remark = (
        "The next line is right. With the dot the left side is a velocity and the right side an acceleration."
    )
    implements = se3.point_velocity


@section.holds("t614", "Collision point in body coordinates")
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
        """Compare with the arm from the body's origin, measured along each of the body's axes."""
        return np.array([E[:3, k] @ (x - E[:3, 3]) for k in range(3)])

    implements = (se3.transform_points, se3.inverse)


@section.holds("e1.76", "Row of a contact with the ground")
class e1_76:
    page_2019 = Page(17, r"${}^0_i\mathsf R$")
    page_2021 = Page(22, page_2019.content)
    formula = r"{}^0\mathbf n^\top\,{}^0\mathbf R\,\Gamma({}^i\mathbf x)\,{}^i\phi_i \ge 0\ \text{or}\ \mathbf N\,{}^i\phi_i \ge 0"
    inputs = {"E": frames(), "x": arrays(3), "phi": arrays(6), "n": DIRECTIONS}
    result = Result(VELOCITY)

    def printed(E, x, phi, n):
        R = E[:3, :3]
        N = n @ R @ gamma(in_body(E, x))
        return N @ phi

    def library(E, x, phi, n):
        return (normal_jacobian(contact_points(x, n[None], 0, WORLD), E[None]) @ phi)[0]

    def reference(E, x, phi, n):
        """Compare with the vertical velocity of the material point, from angular velocity and arm in the world."""
        return n @ world_velocity(E, x, phi)

    remark = (
        "The normal points out of the ground, so the product is the rate at which the point rises. The "
        "conversion of the text dropped the index of the body here too, but it is needed only in (1.77), where "
        "there are two bodies."
    )
    implements = normal_jacobian


@section.holds("t618", "Size of N for m collisions of n bodies with the world")
class t618:
    formula = r"\mathbf N \in \mathbb R^{m\times 6n}"
    inputs = {"scene": SCENE, "m": st.integers(1, 4), "n": st.integers(1, 3)}
    result = Result(NUMBER, "rows, then columns")

    def printed(scene, m, n):
        return np.array([m, 6 * n])

    def library(scene, m, n):
        poses, x, normals = scene[0][:n], scene[1][:m], scene[2][:m]
        points = contact_points(x, normals, np.arange(m) % n, WORLD)
        return np.array(normal_jacobian(points, poses).shape)

    def reference(scene, m, n):
        """Compare with the number of contacts, and the length of all twists together."""
        return np.array([len(scene[2][:m]), sum(2 * pose[:3, 3].size for pose in scene[0][:n])])

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
        rows = normal_jacobian(contact_points(x, np.eye(3), 0, 1), np.stack([Ei, Ej])).toarray()
        return rows @ np.concatenate([phi_i, phi_j])

    reference = relative_reference
    correction = (
        r"${}^0_i\mathbf R\,\Gamma({}^i\mathbf x)\,{}^i\phi_i - {}^0_j\mathbf R\,\Gamma({}^j\mathbf "
        r"x)\,{}^j\phi_j$: each body has its own rotation"
    )
    remark = "The conversion of the text dropped the index of the body at both rotations; (1.75) has it."
    implements = normal_jacobian


@section.misprint("e1.78#a", "Row of a contact between two bodies")
class e1_78_a:
    page_2019 = Page(17, r"${}^0_i\mathsf R$ in the first block, ${}^0_j\mathsf R$ in the second")
    page_2021 = Page(22, page_2019.content)
    formula = r"\left({}^0\mathbf n^\top\,{}^0\mathbf R\,\Gamma({}^i\mathbf x)\quad -{}^0\mathbf n^\top\,{}^0\mathbf R\,\Gamma({}^j\mathbf x)\right)\begin{pmatrix} {}^i\phi_i \\ {}^j\phi_j \end{pmatrix} \ge 0"
    edits = (
        (r"{}^0\mathbf R\,\Gamma({}^i\mathbf x)", r"{}^0_i\mathbf R\,\Gamma({}^i\mathbf x)"),
        (r"{}^0\mathbf R\,\Gamma({}^j\mathbf x)", r"{}^0_j\mathbf R\,\Gamma({}^j\mathbf x)"),
    )
    inputs = {**TWO_BODIES, "n": DIRECTIONS}
    result = Result(VELOCITY)

    def printed(Ei, Ej, x, phi_i, phi_j, n):
        R = Ei[:3, :3]
        row = np.hstack([n @ R @ gamma(in_body(Ei, x)), -n @ R @ gamma(in_body(Ej, x))])
        return row @ np.concatenate([phi_i, phi_j])

    library = pair_library

    def reference(Ei, Ej, x, phi_i, phi_j, n):
        """Compare with the relative velocity along the normal, from angular velocities and arms in the world."""
        return n @ relative_reference(Ei, Ej, x, phi_i, phi_j)

    correction = (
        r"$\left({}^0\mathbf n^\top\,{}^0_i\mathbf R\,\Gamma({}^i\mathbf x)\quad -{}^0\mathbf "
        r"n^\top\,{}^0_j\mathbf R\,\Gamma({}^j\mathbf x)\right)$"
    )
    remark = "The same two indices are missing as in (1.77)."
    implements = normal_jacobian


@section.conditional("e1.78#b", "Direction of the normal between two bodies")
class e1_78_b:
    page_2019 = Page(17)
    page_2021 = Page(22)
    formula = r"{}^0\mathbf n^\top\,{}^0\mathbf v_{\text{rel}} \ge 0\ \text{keeps the bodies apart}"
    inputs = {**TWO_BODIES, "outward": DIRECTIONS, "n": DIRECTIONS}
    result = Result(VELOCITY)

    def printed(Ei, Ej, x, phi_i, phi_j, outward, n):
        Ri, Rj = Ei[:3, :3], Ej[:3, :3]
        row = np.hstack([n @ Ri @ gamma(in_body(Ei, x)), -n @ Rj @ gamma(in_body(Ej, x))])
        return row @ np.concatenate([phi_i, phi_j])

    def library(Ei, Ej, x, phi_i, phi_j, outward, n):
        return pair_library(Ei, Ej, x, phi_i, phi_j, outward)

    def reference(Ei, Ej, x, phi_i, phi_j, outward, n):
        """Compare with the rate at which the gap between the two material points opens, out of body j."""
        return outward @ world_velocity(Ei, x, phi_i) - outward @ world_velocity(Ej, x, phi_j)

    condition_inputs = {**TWO_BODIES, "outward": SHARED_NORMAL, "n": SHARED_NORMAL}

    def holds_when(Ei, Ej, x, phi_i, phi_j, outward, n):
        """Return True if the reported normal points out of body j."""
        return np.allclose(n, outward)

    condition = "the collision normal points from body j to body i"
    remark = (
        "With the ground, the normal is that of the ground. For two bodies, a collision detector may "
        "report either direction. If the normal points from $i$ to $j$, the printed inequality permits "
        "penetration and forbids separation."
    )
    implements = normal_jacobian


@section.demonstration("t628", "A contact of two bodies fills twelve columns")
class t628:
    formula = r"2\ \text{block columns (12 columns total)}"
    result = Result(NUMBER)

    def printed():
        return 12

    def library():
        x, n = POINT_AND_NORMAL
        return np.count_nonzero(normal_jacobian(contact_points(x, n[None], 2, 0), BODIES).toarray())

    def reference():
        """Count the velocities of three bodies that change the relative velocity at a contact of two of them."""
        x, n = POINT_AND_NORMAL
        units = np.eye(18).reshape(18, 3, 6)
        rates = [
            n @ (point_velocity(BODIES[2], x, unit[2]) - point_velocity(BODIES[0], x, unit[0]))
            for unit in units
        ]
        return np.count_nonzero(np.abs(rates) > 1e-9)

    tolerance = 0.05
    implements = normal_jacobian


# ------------------------------------------------------------------------------------------------------------
# One step with contacts and joints.


NO_ROWS = np.zeros((0, 4))


QP = {"M": spd_matrices(4), "f": vectors(4)}


@section.holds("e1.79", "One step with contacts as a quadratic program")
class e1_79:
    formula = r"\min_\Phi\ \tfrac12\,\Phi^\top\mathbf M\Phi - \Phi^\top\tilde{\mathbf f}\quad\text{subject to}\quad \mathbf C\Phi \ge 0"
    any_size = True
    inputs = {**QP, "C": full_rank_matrices(2, 4)}
    result = Result(ACCELERATION, SYSTEM_COORDINATES)

    def printed(M, f, C):
        return constrained_minimizer(lambda Phi: 0.5 * Phi @ M @ Phi - Phi @ f, C, NO_ROWS)

    def library(M, f, C):
        return solve_step(StepProblem(M, f, unilateral=UnilateralRows(C))).velocity

    def reference(M, f, C):
        """Try all sets of closed contacts in the momentum balance: impulses push, and pushing contacts do not open."""
        return contact_velocities(M, f, C, NO_ROWS)

    tolerance = 1e-08
    remark = (
        r"$\mathbf C$ is the matrix that (1.76) calls $\mathbf N$; in (1.87) the symbol also contains "
        "the tangents."
    )
    implements = solve_step


@section.holds("e1.80", "One step with contacts and joints")
class e1_80:
    formula = r"\min_\Phi\ \tfrac12\,\Phi^\top\mathbf M\Phi - \Phi^\top\tilde{\mathbf f}\quad\text{subject to}\quad \mathbf C\Phi \ge 0,\ \mathbf G\Phi = 0"
    any_size = True
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
