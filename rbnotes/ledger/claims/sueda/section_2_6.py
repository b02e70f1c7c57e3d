"""Sueda 2.6: coordinates of all joints as functions of fewer ones. The oracles use point masses."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.dynamics import State
from rbnotes.ledger.claims.sueda.section_2_5 import (
    SPRINGS_AND_DAMPERS,
    equations_of_motion,
    hinge_chain,
    model,
)
from rbnotes.ledger.joint_quantities import BRANCHING, POINT_MASS_TREE
from rbnotes.ledger.oracles import point_mass_tree
from rbnotes.ledger.oracles.dalembert import acceleration, mass_matrix, net_generalized_force
from rbnotes.ledger.oracles.pose_products import derivative_along_motion
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ENERGY,
    LENGTH,
    NUMBER,
    RATE,
    SCREW,
    TIME,
    TORQUE,
    TWIST,
    VELOCITY,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody.reduced import (
    Gear,
    JointCoordinates,
    constrained_acceleration,
    gear_coordinates,
    inverse_dynamics_dense,
    jacobian,
    jacobian_rate,
    linear_coordinates,
    reduce_coordinates,
)
from rbnotes.multibody.reduced.reduced_tree import ReducedTree
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, numbers

section = Section(
    "sueda/s2.6",
    chapter="hyper-reduced-coordinates",
    page_2019=Page(34, last=35),
    page_2021=Page(46),
    arguments={
        "body_tree": Argument(
            POINT_MASS_TREE,
            (
                "a hinge that carries a universal joint on one branch, and a slider and then a screw on "
                "the other: joints in the frames of their parent joints, bodies in the frames of their "
                "joints, centers in the bodies, inertias about these"
            ),
        ),
        "r": Argument(NUMBER, "reduced coordinates, which determine those of the joints"),
        "r_dot": Argument(RATE, "rates of the reduced coordinates"),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "a": Argument(
            vector_quantity((NUMBER / TIME**2, 3), (ACCELERATION, 1), (NUMBER / TIME**2, 1)),
            "of the joints, in their order",
        ),
        "initial_angles": Argument(NUMBER, "initial angles of the joints, in their order"),
        "rotation": Argument(NUMBER, "angle by which all joints rotate"),
        "n": Argument(meaning="number of joints"),
        "theta": Argument(NUMBER),
        "theta_dot": Argument(RATE),
        "W": Argument(NUMBER),
        "U": Argument(NUMBER),
    },
)


TREE = {"body_tree": SPRINGS_AND_DAMPERS["body_tree"], "q": arrays(5), "v": arrays(5), "a": arrays(5)}
# Two coordinates r, and five functions of them.
REDUCED = {"W": arrays(5, 2), "U": arrays(5, 2), "r": arrays(2), "r_dot": arrays(2)}
HYPER = {"body_tree": SPRINGS_AND_DAMPERS["body_tree"], **REDUCED}
TREE_OF_FIVE = model(point_mass_tree.point_mass_tree(0))


def nonlinear_coordinates(W, U):
    """Return the coordinates of all joints as nonlinear functions of two."""

    def q(r):
        return r @ W.T + np.sin(r) @ U.T

    return q


def nonlinear_jacobian(W, U, r):
    """Return J_rR."""
    return W + U * np.cos(r)


def nonlinear_jacobian_rate(U, r, r_dot):
    """Return the rate of J_rR."""
    return -U * np.sin(r) * r_dot


def coordinates(W, U):
    """Return the library's object for these coordinates."""
    return JointCoordinates(
        2,
        nonlinear_coordinates(W, U),
        lambda r: nonlinear_jacobian(W, U, r),
        lambda r, r_dot: nonlinear_jacobian_rate(U, r, r_dot),
    )


def equal_angles(n):
    """Return the library's chain of n hinges with equal angles."""
    zeros = np.zeros(n)
    chain = hinge_chain(zeros, zeros, zeros)
    ratios = {str(i): 1 for i in range(n)}
    return reduce_coordinates(chain, gear_coordinates(chain, ratios))


def differences(n):
    """Return the matrix ``(n - 1, n)`` of the differences of neighboring angles."""
    return np.array([[float(j == i) - float(j == i + 1) for j in range(n)] for i in range(n - 1)])


@section.holds("t1174#a", "Equal joint angles: a single degree of freedom")
class t1174_a:
    formula = r"\text{`we end up with a single DOF system'}"
    inputs = {"n": st.integers(2, 6)}
    result = Result(NUMBER, "of the joints, in their order")

    def printed(n):
        """Count the columns of (2.81)."""
        return np.ones((n, 1)).shape[1]

    def library(n):
        return len(equal_angles(n).mass_matrix(State(q=[0.3], qdot=[0.2])))

    def reference(n):
        """Subtract from the number of angles the rank of the equations between neighbors."""
        return n - np.linalg.matrix_rank(differences(n))

    exact = "the number of coordinates is a whole number"
    implements = (gear_coordinates, reduce_coordinates)


@section.holds("t1174#b", "Equal joint angles by constraints and by a chained Jacobian")
class t1174_b:
    formula = r"\text{`This can be accomplished by adding constraints as shown in §2.8, but if we use a chained Jacobian ...'}"
    inputs = {"body_tree": SPRINGS_AND_DAMPERS["body_tree"], "r": arrays(3), "r_dot": arrays(3)}
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(body_tree, r, r_dot):
        """Evaluate with one coordinate for hinge, slider and screw; both angles of the universal joint are free."""
        J = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0]])
        M, f = equations_of_motion(body_tree, J @ r, J @ r_dot)
        return J @ np.linalg.solve(J.T @ M @ J, J.T @ f)

    def library(body_tree, r, r_dot):
        """Solve with gears as constraints."""
        equal = [0, 1, 2, 0, 0]
        gears = [Gear("root", "right"), Gear("root", "tip")]
        return constrained_acceleration(model(body_tree), gears, State(q=r[equal], qdot=r_dot[equal]))[0]

    def reference(body_tree, r, r_dot):
        """Compare with d'Alembert's principle for point masses that depend on three coordinates."""
        equal = [0, 1, 2, 0, 0]
        positions = point_mass_tree.point_positions(body_tree)
        qddot = acceleration(
            lambda x: positions(x[..., equal]),
            point_mass_tree.masses_of_points(body_tree),
            body_tree.gravity,
            r,
            r_dot,
        )
        return qddot[equal]

    tolerance = 1e-08
    implements = (constrained_acceleration, Gear)


@section.holds("e2.80", "Equations of motion in the coordinates of the joints")
class e2_80:
    formula = r"J_{mr}^TM_mJ_{mr}\,\ddot q_r = J_{mr}^T\left(f_m - M_m\dot J_{mr}\dot q_r\right)"
    inputs = TREE
    result = Result(ENERGY / BRANCHING, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(body_tree, q, v, a):
        """Return the joint forces for an acceleration: left-hand side minus right-hand side."""
        M, f = equations_of_motion(body_tree, q, v)
        return M @ a - f

    def library(body_tree, q, v, a):
        return inverse_dynamics_dense(model(body_tree), q, v, a)

    def reference(body_tree, q, v, a):
        """Compare with d'Alembert's principle for the point masses of four bodies on branching joints."""
        positions, masses = (
            point_mass_tree.point_positions(body_tree),
            point_mass_tree.masses_of_points(body_tree),
        )
        return mass_matrix(positions, masses, q) @ a - net_generalized_force(
            positions, masses, body_tree.gravity, q, v
        )

    remark = (
        "This is for joints without torques: the $f_r$ of (2.73) is missing, although the equation is "
        "said to be `written out in full'."
    )
    implements = inverse_dynamics_dense


@section.holds("e2.81", "Rates of equal joint angles")
class e2_81:
    formula = r"\begin{pmatrix} \dot\theta_1 \\ \vdots \\ \dot\theta_n \end{pmatrix} = \begin{pmatrix} 1 \\ \vdots \\ 1 \end{pmatrix}\dot\theta"
    inputs = {"n": st.integers(2, 6), "theta": numbers(), "theta_dot": numbers()}
    result = Result(RATE, "of the joints, in their order")

    def printed(n, theta, theta_dot):
        return np.ones(n) * theta_dot

    def library(n, theta, theta_dot):
        return equal_angles(n).expand(State(q=[theta], qdot=[theta_dot])).qdot

    def reference(n, theta, theta_dot):
        """Differentiate the angles that solve the equations between neighbors, with the last one given."""
        equations = np.vstack([differences(n), np.eye(n)[-1]])

        def angles(t):
            return np.linalg.solve(equations, np.append(np.zeros(n - 1), theta + t * theta_dot))

        return derivative(angles).value

    implements = (gear_coordinates, ReducedTree.expand)


@section.conditional("t1178", "Joint angles with equal rates")
class t1178:
    page_2019 = Page(34)
    page_2021 = Page(46)
    formula = r"\dot\theta_i = \dot\theta:\ \text{`so that these joint angles become the same'}"
    inputs = {"initial_angles": arrays(3), "rotation": numbers()}
    result = Result(NUMBER, "of the joints, in their order")

    def printed(initial_angles, rotation):
        """Rotate all joints by the same angle, from their initial angles."""
        return initial_angles + rotation

    def library(initial_angles, rotation):
        zeros = np.zeros(3)
        system = reduce_coordinates(hinge_chain(zeros, zeros, zeros), linear_coordinates(np.ones((3, 1))))
        return system.expand(State(q=[initial_angles[0] + rotation], qdot=[0.0])).q

    def reference(initial_angles, rotation):
        """Compare with three equal angles, for any value of the first one."""
        selection = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0]])
        return selection @ initial_angles + np.full(3, rotation)

    exact = "sums of angles on the grid are exact"
    condition_inputs = {
        "initial_angles": numbers().map(lambda angle: np.full(3, angle)),
        "rotation": numbers(),
    }

    def holds_when(initial_angles, rotation):
        return np.ptp(initial_angles) == 0

    condition = "the angles are equal initially"
    remark = (
        "(2.81) is about rates, which preserve the initial differences of the angles. Therefore the "
        "library takes $q_r$ as a function of $q_R$, and not only its Jacobian."
    )
    implements = ReducedTree.expand


@section.holds("d1", "Rates of all joints from those of the reduced coordinates")
class d1:
    formula = r"\dot{\mathbf q}_r = J_{rR}\,\dot{\mathbf q}_R"
    inputs = REDUCED
    result = Result(RATE, "of the joints, in their order")

    def printed(W, U, r, r_dot):
        return nonlinear_jacobian(W, U, r) @ r_dot

    def library(W, U, r, r_dot):
        system = reduce_coordinates(TREE_OF_FIVE, coordinates(W, U))
        return system.expand(State(q=r, qdot=r_dot)).qdot

    def reference(W, U, r, r_dot):
        """Compare with differences of the joints' coordinates along a motion of the reduced ones."""
        return derivative(lambda t: W @ (r + t * r_dot) + U @ np.sin(r + t * r_dot)).value

    implements = ReducedTree.expand


@section.holds("e2.82#a", "Jacobian of the bodies with respect to the reduced coordinates")
class e2_82_a:
    formula = r"J_{mR} = J_{mr}J_{rR}"
    inputs = HYPER
    result = Result(
        matrix_quantity(SCREW, NUMBER),
        "of each body, in its frame: a column for each reduced coordinate",
    )
    constants = (LENGTH,)

    def printed(body_tree, W, U, r, r_dot):
        return point_mass_tree.jacobian(body_tree, nonlinear_coordinates(W, U)(r)) @ nonlinear_jacobian(
            W, U, r
        )

    def library(body_tree, W, U, r, r_dot):
        system = reduce_coordinates(model(body_tree), coordinates(W, U))
        state = State(q=r, qdot=r_dot)
        return jacobian(system.tree, system.expand(state).q) @ system.reduction(state).J

    def reference(body_tree, W, U, r, r_dot):
        """Compare with twists of the bodies, by derivatives of their poses over the reduced coordinates."""
        return reduced_twists(body_tree, W, U, r)

    implements = (ReducedTree.reduction, jacobian)


def reduced_twists(body_tree, W, U, r):
    """Return the twists of the bodies for unit rates of the two coordinates, one column each."""

    def body_poses(x):
        return point_mass_tree.poses(body_tree, x @ W.T + np.sin(x) @ U.T)

    return point_mass_tree.body_jacobian(body_poses, r)


@section.holds("e2.82#b", "Rate of the Jacobian of the bodies with respect to the reduced coordinates")
class e2_82_b:
    formula = r"\dot J_{mR} = \dot J_{mr}J_{rR} + J_{mr}\dot J_{rR}"
    inputs = HYPER
    result = Result(
        matrix_quantity(TWIST, NUMBER),
        "of each body, in its frame: a column for each reduced coordinate",
    )
    constants = (LENGTH,)

    def printed(body_tree, W, U, r, r_dot):
        J_rR, q = nonlinear_jacobian(W, U, r), nonlinear_coordinates(W, U)(r)
        J_mr = point_mass_tree.jacobian(body_tree, q)
        J_mr_dot = derivative_along_motion(lambda x: point_mass_tree.jacobian(body_tree, x), q, J_rR @ r_dot)
        return J_mr_dot @ J_rR + J_mr @ nonlinear_jacobian_rate(U, r, r_dot)

    def library(body_tree, W, U, r, r_dot):
        tree, state = model(body_tree), State(q=r, qdot=r_dot)
        system = reduce_coordinates(tree, coordinates(W, U))
        expanded, J_rR = system.expand(state), system.reduction(state).J
        J_rR_dot = np.asarray(system.coordinates.jacobian_rate(r, r_dot))
        return jacobian_rate(tree, expanded.q, expanded.qdot) @ J_rR + jacobian(tree, expanded.q) @ J_rR_dot

    def reference(body_tree, W, U, r, r_dot):
        """Compare with differences of complex steps of poses, along a motion of the reduced coordinates."""
        return derivative_along_motion(lambda x: reduced_twists(body_tree, W, U, x), r, r_dot)

    implements = (jacobian_rate, reduce_coordinates)


@section.holds("e2.83", "Equations of motion in the reduced coordinates")
class e2_83:
    formula = r"J_{mR}^TM_mJ_{mR}\,\ddot q_R = J_{mR}^T\left(f_m - M_m\dot J_{mR}\dot q_R\right)"
    inputs = {**HYPER, "a": arrays(2)}
    arguments = {"a": Argument(NUMBER / TIME**2, "of the joints, in their order")}
    result = Result(TORQUE, "of the reduced coordinates")
    constants = (LENGTH,)

    def printed(body_tree, W, U, r, r_dot, a):
        """Return the generalized forces for an acceleration: left-hand side minus right-hand side."""
        J_rR, q = nonlinear_jacobian(W, U, r), nonlinear_coordinates(W, U)(r)
        v, J_mr, M = (
            J_rR @ r_dot,
            point_mass_tree.jacobian(body_tree, q),
            point_mass_tree.maximal_mass_matrix(body_tree),
        )
        J_mR = J_mr @ J_rR
        bias = (
            point_mass_tree.bias_acceleration(body_tree, q, v)
            + J_mr @ nonlinear_jacobian_rate(U, r, r_dot) @ r_dot
        )
        return J_mR.T @ M @ J_mR @ a - J_mR.T @ (
            point_mass_tree.gyroscopic_and_gravity_wrenches(body_tree, q, J_mr @ v) - M @ bias
        )

    def library(body_tree, W, U, r, r_dot, a):
        system = reduce_coordinates(model(body_tree), coordinates(W, U))
        state = State(q=r, qdot=r_dot)
        return system.mass_matrix(state) @ a - system.force(state)

    def reference(body_tree, W, U, r, r_dot, a):
        """Compare with d'Alembert's principle for point masses that depend on two coordinates."""
        joint_positions, masses = (
            point_mass_tree.point_positions(body_tree),
            point_mass_tree.masses_of_points(body_tree),
        )

        def positions(x):
            return joint_positions(x @ W.T + np.sin(x) @ U.T)

        return mass_matrix(positions, masses, r) @ a - net_generalized_force(
            positions, masses, body_tree.gravity, r, r_dot
        )

    remark = "Joint torques, which (2.83) omits like (2.80), add $J_{rR}^Tf_r$ to the right-hand side."
    implements = (ReducedTree.mass_matrix, ReducedTree.force)
