"""Sueda 2.6: coordinates of all joints as functions of fewer ones. The oracles push point masses."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State
from rbnotes.ledger.claims.sueda.section_2_5 import SPRUNG, equations_of_motion, joints_only, model
from rbnotes.ledger.joint_quantities import BRANCHING, CLOUD
from rbnotes.ledger.oracles import point_mass_tree as clouds
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
    HyperReducedSystem,
    JointCoordinates,
    TreeSystem,
    constrained_acceleration,
    gear_coordinates,
    inverse_dynamics_dense,
    jacobian,
    jacobian_rate,
    linear_coordinates,
)
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, numbers

section = Section(
    "sueda/s2.6",
    chapter="hyper-reduced-coordinates",
    page_2019=Page(34, last=35),
    page_2021=Page(46),
    arguments={
        "cloud": Argument(
            CLOUD,
            (
                "a hinge that carries a universal joint on one branch, a slider and then a screw on the "
                "other: joints in the frames of their parents' joints, bodies in those of their joints, "
                "centers in the bodies, inertias about these"
            ),
        ),
        "r": Argument(NUMBER, "reduced coordinates, from which those of the joints follow, or their rates"),
        "r_dot": Argument(RATE, "reduced coordinates, from which those of the joints follow, or their rates"),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "a": Argument(
            vector_quantity((NUMBER / TIME**2, 3), (ACCELERATION, 1), (NUMBER / TIME**2, 1)),
            "of the joints, in their order",
        ),
        "start": Argument(
            NUMBER, "reduced coordinates, from which those of the joints follow, or their rates"
        ),
        "turn": Argument(NUMBER),
        "theta": Argument(NUMBER),
        "rate_of_it": Argument(RATE),
        "W": Argument(NUMBER),
        "U": Argument(NUMBER),
    },
)


TREE = {"cloud": SPRUNG["cloud"], "q": arrays(5), "v": arrays(5), "a": arrays(5)}
# Two coordinates r, and five functions of them.
FEWER = {"W": arrays(5, 2), "U": arrays(5, 2), "r": arrays(2), "r_dot": arrays(2)}
HYPER = {"cloud": SPRUNG["cloud"], **FEWER}
FIVE = model(clouds.point_mass_tree(0))


def nonlinear_coordinates(W, U):
    """Coordinates of all joints as functions of two, which are not linear."""

    def q(r):
        return r @ W.T + np.sin(r) @ U.T

    return q


def nonlinear_slope(W, U, r):
    """J_rR."""
    return W + U * np.cos(r)


def nonlinear_slope_rate(U, r, r_dot):
    """Return the rate of J_rR."""
    return -U * np.sin(r) * r_dot


def coordinates(W, U):
    """Return the coordinates of the library."""
    return JointCoordinates(
        2,
        nonlinear_coordinates(W, U),
        lambda r: nonlinear_slope(W, U, r),
        lambda r, r_dot: nonlinear_slope_rate(U, r, r_dot),
    )


@section.holds("t1174#a", "Joint angles that are all the same: a single degree of freedom")
class t1174_a:
    formula = r"\text{`we end up with a single DOF system'}"
    result = Result(NUMBER, "of the joints, in their order")

    def printed():
        return 1

    def library():
        none = np.zeros(3)
        chain = joints_only(none, none, none)
        system = HyperReducedSystem(TreeSystem(chain), gear_coordinates(chain, {"0": 1, "1": 1, "2": 1}))
        return len(system.mass_matrix(State(q=[0.3], qdot=[0.2])))

    def reference():
        """Compare with three angles minus the rank of two equations between them."""
        between = np.array([[1, -1, 0], [0, 1, -1]])
        return 3 - np.linalg.matrix_rank(between)

    exact = "the number of coordinates is a whole number"
    implements = (gear_coordinates, HyperReducedSystem)


@section.holds("t1174#b", "The same by constraints and by a chained Jacobian")
class t1174_b:
    formula = r"\text{`This can be accomplished by adding constraints as shown in §2.8, but if we use a chained Jacobian ...'}"
    inputs = {"cloud": SPRUNG["cloud"], "r": arrays(3), "r_dot": arrays(3)}
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(cloud, r, r_dot):
        """Hinge, slider and screw as one; the two angles of the universal joint are free."""
        J = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0]])
        M, f = equations_of_motion(cloud, J @ r, J @ r_dot)
        return J @ np.linalg.solve(J.T @ M @ J, J.T @ f)

    def library(cloud, r, r_dot):
        """Solve with the prescribed motion as constraints."""
        equal = [0, 1, 2, 0, 0]
        gears = [Gear("root", "right"), Gear("root", "tip")]
        return constrained_acceleration(
            TreeSystem(model(cloud)), gears, State(q=r[equal], qdot=r_dot[equal])
        )[0]

    def reference(cloud, r, r_dot):
        """Compare with d'Alembert's principle for point masses that move by three coordinates."""
        equal = [0, 1, 2, 0, 0]
        places = clouds.point_positions(cloud)
        found = acceleration(
            lambda x: places(x[..., equal]), clouds.point_mass(cloud), cloud.gravity, r, r_dot
        )
        return found[equal]

    tolerance = 1e-08
    implements = (constrained_acceleration, Gear)


@section.holds("e2.80", "Equations of motion in the joints' coordinates")
class e2_80:
    formula = r"J_{mr}^TM_mJ_{mr}\,\ddot q_r = J_{mr}^T\left(f_m - M_m\dot J_{mr}\dot q_r\right)"
    inputs = TREE
    result = Result(ENERGY / BRANCHING, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(cloud, q, v, a):
        """Return the force along the coordinates that an acceleration needs: left side less right side."""
        M, f = equations_of_motion(cloud, q, v)
        return M @ a - f

    def library(cloud, q, v, a):
        return inverse_dynamics_dense(model(cloud), q, v, a)

    def reference(cloud, q, v, a):
        """Compare with d'Alembert's principle for the point masses of four bodies on branching joints."""
        places, masses = clouds.point_positions(cloud), clouds.point_mass(cloud)
        return mass_matrix(places, masses, q) @ a - net_generalized_force(places, masses, cloud.gravity, q, v)

    remark = r"For joints without torques: the $f_r$ of (2.73), `written out in full', is left out."
    implements = inverse_dynamics_dense


@section.holds("e2.81", "Rates of angles that are all the same")
class e2_81:
    formula = r"\begin{pmatrix} \dot\theta_1 \\ \vdots \\ \dot\theta_n \end{pmatrix} = \begin{pmatrix} 1 \\ \vdots \\ 1 \end{pmatrix}\dot\theta"
    inputs = {"theta": numbers(), "rate_of_it": numbers()}
    result = Result(RATE, "of the joints, in their order")

    def printed(theta, rate_of_it):
        return np.ones(3) * rate_of_it

    def library(theta, rate_of_it):
        none = np.zeros(3)
        chain = joints_only(none, none, none)
        system = HyperReducedSystem(TreeSystem(chain), gear_coordinates(chain, {"0": 1, "1": 1, "2": 1}))
        return system.expand(State(q=[theta], qdot=[rate_of_it])).qdot

    def reference(theta, rate_of_it):
        """Compare with differences of three equal angles along a motion."""
        return derivative(lambda t: (theta + t * rate_of_it) * np.array([1, 1, 1])).value

    implements = (gear_coordinates, HyperReducedSystem.expand)


@section.conditional("t1178", "With equal rates the joint angles become the same")
class t1178:
    page_2019 = Page(34)
    page_2021 = Page(46)
    formula = r"\dot\theta_i = \dot\theta:\ \text{`so that these joint angles become the same'}"
    inputs = {"start": arrays(3), "turn": numbers()}
    result = Result(NUMBER, "of the joints, in their order")

    def printed(start, turn):
        """All turn by the same angle, from where they are."""
        return start + turn

    def library(start, turn):
        none = np.zeros(3)
        system = HyperReducedSystem(
            TreeSystem(joints_only(none, none, none)), linear_coordinates(np.ones((3, 1)))
        )
        return system.expand(State(q=[start[0] + turn], qdot=[0.0])).q

    def reference(start, turn):
        """Compare with three equal angles, for any value of the first one."""
        first = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0]])
        return first @ start + np.full(3, turn)

    exact = "angles on the grid add up without rounding, as does one that is added to itself"
    given = {"start": numbers().map(lambda angle: np.full(3, angle)), "turn": numbers()}

    def holds_when(start, turn):
        return np.ptp(start) == 0

    condition = "the angles are the same to begin with"
    remark = (
        r"(2.81) is about rates, which keep whatever differences the angles start with; that is why the library takes "
        r"$q_r$ as a function of $q_R$, and not only its Jacobian."
    )
    implements = HyperReducedSystem.expand


@section.holds("d1", "Rates of all joints from those of the fewer coordinates")
class d1:
    formula = r"\dot{\mathbf q}_r = J_{rR}\,\dot{\mathbf q}_R"
    inputs = FEWER
    result = Result(RATE, "of the joints, in their order")

    def printed(W, U, r, r_dot):
        return nonlinear_slope(W, U, r) @ r_dot

    def library(W, U, r, r_dot):
        system = HyperReducedSystem(TreeSystem(FIVE), coordinates(W, U))
        return system.expand(State(q=r, qdot=r_dot)).qdot

    def reference(W, U, r, r_dot):
        """Compare with differences of the joints' coordinates along a motion of the reduced ones."""
        return derivative(lambda t: W @ (r + t * r_dot) + U @ np.sin(r + t * r_dot)).value

    implements = HyperReducedSystem.expand


@section.holds("e2.82#a", "Jacobian of the bodies by the fewer coordinates")
class e2_82_a:
    formula = r"J_{mR} = J_{mr}J_{rR}"
    inputs = HYPER
    result = Result(
        matrix_quantity(SCREW, NUMBER),
        "of each body, in its frame: a column for each coordinate of the joints",
    )
    constants = (LENGTH,)

    def printed(cloud, W, U, r, r_dot):
        return clouds.jacobian(cloud, nonlinear_coordinates(W, U)(r)) @ nonlinear_slope(W, U, r)

    def library(cloud, W, U, r, r_dot):
        system = HyperReducedSystem(TreeSystem(model(cloud)), coordinates(W, U))
        state = State(q=r, qdot=r_dot)
        return jacobian(system.system.tree, system.expand(state).q) @ system.reduction(state).J

    def reference(cloud, W, U, r, r_dot):
        """Compare with twists of the bodies from differences of their poses along motions of the reduced coordinates."""
        return twists_by_few(cloud, W, U, r)

    implements = (HyperReducedSystem.reduction, jacobian)


def twists_by_few(cloud, W, U, r):
    """Twists of the bodies for unit rates of the two coordinates, in one column each."""

    def along(x):
        return clouds.poses(cloud, x @ W.T + np.sin(x) @ U.T)

    return clouds.body_jacobian(along, r)


@section.holds("e2.82#b", "Its rate")
class e2_82_b:
    formula = r"\dot J_{mR} = \dot J_{mr}J_{rR} + J_{mr}\dot J_{rR}"
    inputs = HYPER
    result = Result(
        matrix_quantity(TWIST, NUMBER),
        "of each body, in its frame: a column for each coordinate of the joints",
    )
    constants = (LENGTH,)

    def printed(cloud, W, U, r, r_dot):
        J_rR, q = nonlinear_slope(W, U, r), nonlinear_coordinates(W, U)(r)
        J_mr = clouds.jacobian(cloud, q)
        J_mr_dot = derivative_along_motion(lambda x: clouds.jacobian(cloud, x), q, J_rR @ r_dot)
        return J_mr_dot @ J_rR + J_mr @ nonlinear_slope_rate(U, r, r_dot)

    def library(cloud, W, U, r, r_dot):
        tree, state = model(cloud), State(q=r, qdot=r_dot)
        system = HyperReducedSystem(TreeSystem(tree), coordinates(W, U))
        whole, J_rR = system.expand(state), system.reduction(state).J
        turning = np.asarray(system.coordinates.jacobian_rate(r, r_dot))
        return jacobian_rate(tree, whole.q, whole.qdot) @ J_rR + jacobian(tree, whole.q) @ turning

    def reference(cloud, W, U, r, r_dot):
        """Compare with differences, along a motion of the reduced coordinates, of the twists that complex steps of poses give."""
        return derivative_along_motion(lambda x: twists_by_few(cloud, W, U, x), r, r_dot)

    implements = (jacobian_rate, HyperReducedSystem)


@section.holds("e2.83", "Equations of motion in the fewer coordinates")
class e2_83:
    formula = r"J_{mR}^TM_mJ_{mR}\,\ddot q_R = J_{mR}^T\left(f_m - M_m\dot J_{mR}\dot q_R\right)"
    inputs = {**HYPER, "a": arrays(2)}
    arguments = {"a": Argument(NUMBER / TIME**2, "of the joints, in their order")}
    result = Result(TORQUE, "of the reduced coordinates")
    constants = (LENGTH,)

    def printed(cloud, W, U, r, r_dot, a):
        """Return the force along the coordinates that an acceleration needs: left side less right side."""
        J_rR, q = nonlinear_slope(W, U, r), nonlinear_coordinates(W, U)(r)
        v, J_mr, M = J_rR @ r_dot, clouds.jacobian(cloud, q), clouds.maximal_mass_matrix(cloud)
        J_mR = J_mr @ J_rR
        drift = clouds.bias_acceleration(cloud, q, v) + J_mr @ nonlinear_slope_rate(U, r, r_dot) @ r_dot
        return J_mR.T @ M @ J_mR @ a - J_mR.T @ (
            clouds.gyroscopic_and_gravity_wrenches(cloud, q, J_mr @ v) - M @ drift
        )

    def library(cloud, W, U, r, r_dot, a):
        system = HyperReducedSystem(TreeSystem(model(cloud)), coordinates(W, U))
        state = State(q=r, qdot=r_dot)
        return system.mass_matrix(state) @ a - system.force(state)

    def reference(cloud, W, U, r, r_dot, a):
        """Compare with d'Alembert's principle for point masses that move by two coordinates."""
        of_joints, masses = clouds.point_positions(cloud), clouds.point_mass(cloud)

        def places(x):
            return of_joints(x @ W.T + np.sin(x) @ U.T)

        return mass_matrix(places, masses, r) @ a - net_generalized_force(
            places, masses, cloud.gravity, r, r_dot
        )

    remark = r"Joint torques, which (2.83) leaves out as (2.80) does, add $J_{rR}^Tf_r$ to the right side."
    implements = (HyperReducedSystem.mass_matrix, HyperReducedSystem.force)
