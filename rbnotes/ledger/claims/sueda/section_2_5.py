"""Sueda 2.5: springs and dampers in joints. The oracles differentiate energies, and push point masses."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import Forces, State
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Helical, Prismatic, Revolute, Universal
from rbnotes.ledger.joint_quantities import BRANCHING, BRANCHING_STATE
from rbnotes.ledger.oracles import point_mass_tree as clouds
from rbnotes.ledger.oracles.dalembert import acceleration
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    ENERGY,
    LENGTH,
    NUMBER,
    RATE,
    TIME,
    TORQUE,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody.reduced import (
    Link,
    Tree,
    TreeSystem,
    forward_dynamics_dense,
    passive_joint_forces,
)
from rbnotes.testing import complex_step, jacobian
from rbnotes.testing.strategies import arrays, positive_numbers

CHAPTER = "stiffness-and-damping"
NAMES = ("root", "left", "right", "tip")
NONE = np.zeros(3)


QUANTITIES = {"after": RATE, "d": ANGULAR_MOMENTUM, "k": ENERGY, "rest": NUMBER, "v": RATE}
ON_CLOUD = {**BRANCHING_STATE, "k": ENERGY, "d": ANGULAR_MOMENTUM, "rest": BRANCHING}
"""The oracle's tree with springs and dampers: these are alike for angles and lengths, in one unit of length."""


def per_coordinate(count=5):
    """A positive number for each coordinate."""
    return arrays(count).map(lambda x: 2.25 + x)


SPRUNG = {
    "cloud": clouds.point_mass_trees(),
    "q": arrays(5),
    "v": arrays(5),
    "k": per_coordinate(),
    "d": per_coordinate(),
    "rest": arrays(5),
}
JOINTS = {
    "q": arrays(3),
    "v": arrays(3),
    "k": per_coordinate(3),
    "d": per_coordinate(3),
    "rest": arrays(3),
}


def model(cloud, k=0.0, d=0.0, rest=0.0):
    """The tree of the oracle, with a spring and a damper at each coordinate."""
    k, d, rest = (np.broadcast_to(each, 5) for each in (k, d, rest))
    hinge, slide, screw = cloud.axes
    joints = Revolute(hinge), Universal(), Prismatic(slide), Helical(screw, clouds.PITCH)
    links, start = [], 0
    for i, joint in enumerate(joints):
        own = slice(start, start + joint.num_coordinates)
        links += [
            Link(
                NAMES[i],
                joint,
                spatial_inertia(cloud.masses[i], cloud.inertias[i], cloud.centers[i]),
                NAMES[clouds.PARENTS[i]] if i else None,
                cloud.placements[i],
                cloud.bodies[i],
                k[own],
                d[own],
                rest[own],
            )
        ]
        start = own.stop
    return Tree(links, gravity=cloud.gravity)


def joints_only(k, d, rest):
    """Three hinges in a row, whose bodies do not matter."""
    ball = spatial_inertia(1.0, np.eye(3))
    own = zip(range(3), k, d, rest, strict=True)
    return Tree(
        [
            Link(str(i), Revolute(), ball, str(i - 1) if i else None, None, None, ki, di, ri)
            for i, ki, di, ri in own
        ]
    )


def equations_of_motion(cloud, q, v):
    """J^T M J, and J^T (f_m - M Jdot v), of (2.73)."""
    J, M = clouds.jacobian(cloud, q), clouds.maximal_mass_matrix(cloud)
    f = clouds.gyroscopic_and_gravity_wrenches(cloud, q, J @ v)
    return J.T @ M @ J, J.T @ (f - M @ clouds.bias_acceleration(cloud, q, v))


def pushed(cloud, q, v, force):
    """Accelerations of point masses under a force along the coordinates."""
    return acceleration(clouds.point_positions(cloud), clouds.point_mass(cloud), cloud.gravity, q, v, force)


DALEMBERT = "d'Alembert's principle for the point masses of four bodies on branching joints of four types"


@claim("sueda/s2.5/t1138", "Springs that are not linear, trivially")
class t1138:
    formula = r"\tau_K = \tau_K(q_r):\ \text{`non-linear stiffness can be implemented trivially'}"
    inputs = {name: SPRUNG[name] for name in ("cloud", "q", "v", "k")}
    quantities = ON_CLOUD
    result = BRANCHING / TIME / TIME
    constants = (LENGTH,)

    def printed(cloud, q, v, k):
        """A spring that hardens, in the place of the linear one."""
        M, f = equations_of_motion(cloud, q, v)
        return np.linalg.solve(M, f - k * np.sinh(q))

    def library(cloud, q, v, k):
        none = np.zeros((5, 5))

        def hardening(state):
            return Forces(-k * np.sinh(state.q), none, none)

        return TreeSystem(model(cloud), driven=hardening).acceleration(State(q=q, qdot=v))

    oracle = DALEMBERT + ", with the force from complex steps of the energy of the springs"

    def reference(cloud, q, v, k):
        energy = complex_step(lambda x: np.sum(k * np.cosh(x)), q)
        return pushed(cloud, q, v, -energy)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.TreeSystem",)
    chapter = CHAPTER


@claim("sueda/s2.5/e2.72", "Torque of a linear spring in a joint")
class e2_72:
    formula = r"\tau_K = -Kq_r"
    inputs = {name: JOINTS[name] for name in ("q", "k")}
    result = TORQUE

    def printed(q, k):
        return -k * q

    def library(q, k):
        return passive_joint_forces(joints_only(k, NONE, NONE), q, NONE)

    oracle = "differences of the energy of springs"

    def reference(q, k):
        return -jacobian(lambda x: k @ x**2 / 2, q).value

    verdict = Verdict.HOLDS
    remark = r"A force, where the coordinate is a distance; $K$ then is in N/m, and in N m for angles."
    implemented_by = ("rbnotes.multibody.reduced.passive_joint_forces",)
    chapter = CHAPTER


@claim("sueda/s2.5/t1142", "Other rest states")
class t1142:
    formula = r"\tau_K = -K(q_r - q_0):\ \text{`trivial to have other values'}"
    inputs = {name: JOINTS[name] for name in ("q", "k", "rest")}
    result = TORQUE

    def printed(q, k, rest):
        return -k * (q - rest)

    def library(q, k, rest):
        return passive_joint_forces(joints_only(k, NONE, rest), q, NONE)

    oracle = "differences of the energy of springs that are slack elsewhere"

    def reference(q, k, rest):
        return -jacobian(lambda x: k @ (x - rest) ** 2 / 2, q).value

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.passive_joint_forces",)
    chapter = CHAPTER


@claim("sueda/s2.5/e2.73", "Equations of motion with joint torques")
class e2_73:
    formula = (
        r"(J_{mr}^TM_mJ_{mr})\,\ddot q_r = f_r + J_{mr}^T(f_m - M_m\dot J_{mr}\dot q_r):\ \text{the joint torque "
        r"`goes into the appropriate rows of the reduced force, $f_r$'}"
    )
    inputs = SPRUNG
    quantities = ON_CLOUD
    result = BRANCHING / TIME / TIME
    constants = (LENGTH,)

    def printed(cloud, q, v, k, d, rest):
        M, f = equations_of_motion(cloud, q, v)
        f_r = -k * (q - rest) - d * v
        return np.linalg.solve(M, f_r + f)

    def library(cloud, q, v, k, d, rest):
        return forward_dynamics_dense(model(cloud, k, d, rest), q, v)

    oracle = DALEMBERT + ", with joint torques by their work on each coordinate"

    def reference(cloud, q, v, k, d, rest):
        """Torques from the energy of the springs, and from the power that the dampers take up."""
        stored = complex_step(lambda x: np.sum(k * (x - rest) ** 2) / 2, q)
        lost = complex_step(lambda x: np.sum(d * x**2) / 2, v)
        return pushed(cloud, q, v, -stored - lost)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = (
        r"Here $f_r$ holds nothing but forces along the joints' coordinates. In (2.18) the same symbol is the whole "
        r"right side, $J_{mr}^T(f_m - M_m\dot J_{mr}\dot q_r)$, which in (2.73) would count twice."
    )
    implemented_by = ("rbnotes.multibody.reduced.forward_dynamics_dense",)
    chapter = CHAPTER


@claim("sueda/s2.5/e2.74", "Torque of a damper in a joint")
class e2_74:
    formula = r"\tau_D = -D\dot q_r"
    inputs = {name: JOINTS[name] for name in ("v", "d")}
    result = TORQUE

    def printed(v, d):
        return -d * v

    def library(v, d):
        return passive_joint_forces(joints_only(NONE, d, NONE), NONE, v)

    oracle = "differences of half the power that dampers take up"

    def reference(v, d):
        return -jacobian(lambda x: d @ x**2 / 2, v).value

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.passive_joint_forces",)
    chapter = CHAPTER


@claim("sueda/s2.5/e2.75", "The torque of a spring at the end of the step")
class e2_75:
    formula = (
        r"\tau_K^{(k+1)} = \tau_K^{(k)} + \frac{\partial\tau_K}{\partial q_r}\left(q_r^{(k+1)} - q_r^{(k)}\right) = "
        r"\tau_K^{(k)} - Kh\,\dot q_r^{(k+1)}"
    )
    inputs = {**{name: JOINTS[name] for name in ("q", "v", "k", "rest")}, "h": positive_numbers(0.125, 1.0)}
    result = TORQUE

    def printed(q, v, k, rest, h):
        """Both lines; v is the velocity at the end of the step, and moves the coordinates."""
        torque, slope, moved = -k * (q - rest), -np.diag(k), q + h * v
        return np.array([torque + slope @ (moved - q), torque - k * h * v])

    def library(q, v, k, rest, h):
        tree = joints_only(k, NONE, rest)
        K = TreeSystem(tree).linearized_force(State(q=q, qdot=v)).K
        return np.array(
            [passive_joint_forces(tree, q, NONE) + K @ (h * v), passive_joint_forces(tree, q + h * v, NONE)]
        )

    oracle = "differences of the energy of springs where the step of the coordinates leads"

    def reference(q, v, k, rest, h):
        moved = q + h * v
        torque = -jacobian(lambda x: k @ (x - rest) ** 2 / 2, moved).value
        return np.stack([torque, torque])

    equivalent_mutants = {
        "swapped operands in `slope @ (moved - q)`": "a diagonal matrix is its own transpose"
    }
    verdict = Verdict.HOLDS
    remark = r"Exact for a linear spring. For others, the tangent at the start of the step takes the place of $-K$."
    implemented_by = (
        "rbnotes.multibody.reduced.TreeSystem.linearized_force",
        "rbnotes.multibody.reduced.passive_joint_forces",
    )
    chapter = CHAPTER


@claim("sueda/s2.5/e2.76", "The torque of a damper at the end of the step")
class e2_76:
    formula = (
        r"\tau_D^{(k+1)} = \tau_D^{(k)} + \frac{\partial\tau_D}{\partial\dot q_r}\left(\dot q_r^{(k+1)} - "
        r"\dot q_r^{(k)}\right) = \tau_D^{(k)} - D\left(\dot q_r^{(k+1)} - \dot q_r^{(k)}\right) = \tau_D^{(k)} - "
        r"D\dot q_r^{(k+1)} - \tau_D^{(k)} = -D\dot q_r^{(k+1)}"
    )
    inputs = {"d": JOINTS["d"], "v": JOINTS["v"], "after": arrays(3)}
    result = TORQUE

    def printed(d, v, after):
        """The four lines."""
        torque, slope = -d * v, -np.diag(d)
        lines = [
            torque + slope @ (after - v),
            torque - d * (after - v),
            torque - d * after - torque,
            -d * after,
        ]
        return np.array(lines)

    def library(d, v, after):
        tree = joints_only(NONE, d, NONE)
        D = TreeSystem(tree).linearized_force(State(q=NONE, qdot=v)).D
        tangent = passive_joint_forces(tree, NONE, v) + D @ (after - v)
        return np.array([tangent, tangent, tangent, passive_joint_forces(tree, NONE, after)])

    oracle = "differences of half the power that dampers take up, at the velocity after the step"

    def reference(d, v, after):
        torque = -jacobian(lambda x: d @ x**2 / 2, after).value
        return np.stack([torque] * 4)

    equivalent_mutants = {
        "swapped operands in `slope @ (after - v)`": "a diagonal matrix is its own transpose"
    }
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.multibody.reduced.TreeSystem.linearized_force",
        "rbnotes.multibody.reduced.passive_joint_forces",
    )
    chapter = CHAPTER
