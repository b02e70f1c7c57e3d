"""Sueda 2.5: springs and dampers in joints. The oracles differentiate energies and use point masses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from rbnotes.dynamics import (
    Forces,
    State,
    implicit_euler,
    linearly_implicit_problem,
    linearly_implicit_velocity,
)
from rbnotes.forces import Damping, ForceGroups, ZeroLengthSprings, on_body, path_through
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Helical, Prismatic, Revolute, Universal
from rbnotes.ledger.joint_quantities import BRANCHING, POINT_MASS_TREE, coordinates
from rbnotes.ledger.oracles import complex_steps, point_mass_tree
from rbnotes.ledger.oracles.dalembert import acceleration, mass_matrix, net_generalized_force
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    INERTIA,
    LENGTH,
    NUMBER,
    RATE,
    TIME,
    TORQUE,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody.reduced import Link, Tree, forward_dynamics_dense, passive_joint_forces
from rbnotes.testing import complex_step, jacobian
from rbnotes.testing.strategies import arrays, numbers, positive_numbers, spd_matrices, vectors

section = Section(
    "sueda/s2.5",
    chapter="stiffness-and-damping",
    page_2019=Page(33, last=34),
    page_2021=Page(44, last=46),
    arguments={
        "body_tree": Argument(
            POINT_MASS_TREE,
            (
                "a hinge that carries a universal joint on one branch, and a slider and then a screw on "
                "the other: joints in the frames of their parent joints, bodies in the frames of their "
                "joints, centers in the bodies, inertias about these"
            ),
        ),
        "q": Argument(coordinates, "of the joints, in their order"),
        "v": Argument(RATE, "of the joints, in their order"),
        "k": Argument(TORQUE, "of the joints, in their order"),
        "rest": Argument(NUMBER, "of the joints, in their order"),
        "d": Argument(ANGULAR_MOMENTUM, "of the joints, in their order"),
        "h": Argument(TIME),
        "M": Argument(INERTIA, "of the joints, in their order"),
        "f": Argument(TORQUE, "of the joints, in their order"),
        "v_next": Argument(RATE, "of the joints, in their order"),
        "derivatives": Argument(
            stacked_quantity(TORQUE, ANGULAR_MOMENTUM),
            "of the joints: derivatives of the forces with respect to q and v, then K and D",
        ),
        "fraction": Argument(NUMBER, "of the damping forces that f_r and f_m contain"),
    },
)


NAMES = ("root", "left", "right", "tip")
ZEROS = np.zeros(3)


def positive_vectors(count=5):
    """Draw a positive number for each coordinate."""
    return arrays(count).map(lambda x: 2.25 + x)


SPRINGS_AND_DAMPERS = {
    "body_tree": point_mass_tree.point_mass_trees(),
    "q": arrays(5),
    "v": arrays(5),
    "k": positive_vectors(),
    "d": positive_vectors(),
    "rest": arrays(5),
}
JOINTS = {
    "q": arrays(3),
    "v": arrays(3),
    "k": positive_vectors(3),
    "d": positive_vectors(3),
    "rest": arrays(3),
}


def model(body_tree, k=0.0, d=0.0, rest=0.0):
    """Return the tree of the oracle with a spring and a damper at each coordinate."""
    k, d, rest = (np.broadcast_to(each, 5) for each in (k, d, rest))
    hinge, slide, screw = body_tree.axes
    joints = Revolute(hinge), Universal(), Prismatic(slide), Helical(screw, point_mass_tree.PITCH)
    links, start = [], 0
    for i, joint in enumerate(joints):
        part = slice(start, start + joint.num_coordinates)
        links += [
            Link(
                NAMES[i],
                joint,
                spatial_inertia(body_tree.masses[i], body_tree.inertias[i], body_tree.centers[i]),
                NAMES[point_mass_tree.PARENTS[i]] if i else None,
                body_tree.placements[i],
                body_tree.bodies[i],
                k[part],
                d[part],
                rest[part],
            )
        ]
        start = part.stop
    return Tree(links, gravity=body_tree.gravity)


def hinge_chain(k, d, rest):
    """Return hinges in a row; their bodies have no effect."""
    inertia = spatial_inertia(1.0, np.eye(3))
    parameters = zip(range(len(k)), k, d, rest, strict=True)
    return Tree(
        [
            Link(str(i), Revolute(), inertia, str(i - 1) if i else None, None, None, ki, di, ri)
            for i, ki, di, ri in parameters
        ]
    )


def equations_of_motion(body_tree, q, v):
    """Return J^T M J and J^T (f_m - M Jdot v) of (2.73)."""
    J, M = point_mass_tree.jacobian(body_tree, q), point_mass_tree.maximal_mass_matrix(body_tree)
    f = point_mass_tree.gyroscopic_and_gravity_wrenches(body_tree, q, J @ v)
    return J.T @ M @ J, J.T @ (f - M @ point_mass_tree.bias_acceleration(body_tree, q, v))


def acceleration_under_force(body_tree, q, v, force):
    """Return the joint accelerations of point masses under a force along the coordinates."""
    return acceleration(
        point_mass_tree.point_positions(body_tree),
        point_mass_tree.masses_of_points(body_tree),
        body_tree.gravity,
        q,
        v,
        force,
    )


@section.holds("t1138", "Nonlinear springs in joints")
class t1138:
    formula = r"\tau_K = \tau_K(q_r):\ \text{`non-linear stiffness can be implemented trivially'}"
    inputs = {name: SPRINGS_AND_DAMPERS[name] for name in ("body_tree", "q", "v", "k")}
    arguments = {
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
    }
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(body_tree, q, v, k):
        """Return the accelerations with a hardening spring instead of the linear one."""
        M, f = equations_of_motion(body_tree, q, v)
        return np.linalg.solve(M, f - k * np.sinh(q))

    def library(body_tree, q, v, k):
        zeros = np.zeros((5, 5))

        def hardening_force(state):
            return Forces(-k * np.sinh(state.q), zeros, zeros)

        return replace(model(body_tree), applied_joint_forces=hardening_force).acceleration(
            State(q=q, qdot=v)
        )

    def reference(body_tree, q, v, k):
        """Compare with d'Alembert's principle for point masses, with the forces of springs from their energy.

        Four bodies hang on branching joints of four types; the energy is differentiated by complex steps.
        """
        energy_gradient = complex_step(lambda x: np.sum(k * np.cosh(x)), q)
        return acceleration_under_force(body_tree, q, v, -energy_gradient)

    tolerance = 1e-08
    implements = Tree


@section.holds("e2.72", "Torque of a linear spring in a joint")
class e2_72:
    formula = r"\tau_K = -Kq_r"
    inputs = {name: JOINTS[name] for name in ("q", "k")}
    result = Result(TORQUE, "of the joints, in their order")

    def printed(q, k):
        return -k * q

    def library(q, k):
        return passive_joint_forces(hinge_chain(k, ZEROS, ZEROS), q, ZEROS)

    def reference(q, k):
        """Compare with differences of the energy of springs."""
        return -jacobian(lambda x: k @ x**2 / 2, q).value

    remark = (
        r"If the coordinate is a distance, $\tau_K$ is a force and $K$ is in N/m; for an angle, $K$ is "
        "in N m."
    )
    implements = passive_joint_forces


@section.holds("t1142", "Torque of a spring with another rest position")
class t1142:
    formula = r"\tau_K = -K(q_r - q_0):\ \text{`trivial to have other values'}"
    inputs = {name: JOINTS[name] for name in ("q", "k", "rest")}
    result = Result(TORQUE, "of the joints, in their order")

    def printed(q, k, rest):
        return -k * (q - rest)

    def library(q, k, rest):
        return passive_joint_forces(hinge_chain(k, ZEROS, rest), q, ZEROS)

    def reference(q, k, rest):
        """Compare with differences of the energy of springs with these rest positions."""
        return -jacobian(lambda x: k @ (x - rest) ** 2 / 2, q).value

    implements = passive_joint_forces


@section.holds("e2.73", "Equations of motion with joint torques")
class e2_73:
    formula = r"(J_{mr}^TM_mJ_{mr})\,\ddot q_r = f_r + J_{mr}^T(f_m - M_m\dot J_{mr}\dot q_r):\ \text{the joint torque `goes into the appropriate rows of the reduced force, $f_r$'}"
    inputs = SPRINGS_AND_DAMPERS
    arguments = {
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "rest": Argument(BRANCHING, "of the joints, in their order"),
    }
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(body_tree, q, v, k, d, rest):
        M, f = equations_of_motion(body_tree, q, v)
        f_r = -k * (q - rest) - d * v
        return np.linalg.solve(M, f_r + f)

    def library(body_tree, q, v, k, d, rest):
        return forward_dynamics_dense(model(body_tree, k, d, rest), q, v)

    def reference(body_tree, q, v, k, d, rest):
        """Compare with d'Alembert's principle for point masses, with joint torques from energy and dissipation.

        Four bodies hang on branching joints of four types; both functions are differentiated by complex steps.
        """
        energy_gradient = complex_step(lambda x: np.sum(k * (x - rest) ** 2) / 2, q)
        dissipation_gradient = complex_step(lambda x: np.sum(d * x**2) / 2, v)
        return acceleration_under_force(body_tree, q, v, -energy_gradient - dissipation_gradient)

    tolerance = 1e-08
    remark = (
        "Here $f_r$ contains only the forces along the joint coordinates. In (2.18) the same symbol is "
        r"the whole right-hand side, $J_{mr}^T(f_m - M_m\dot J_{mr}\dot q_r)$, which would count twice "
        "in (2.73)."
    )
    implements = forward_dynamics_dense


@section.holds("e2.74", "Torque of a damper in a joint")
class e2_74:
    formula = r"\tau_D = -D\dot q_r"
    inputs = {name: JOINTS[name] for name in ("v", "d")}
    result = Result(TORQUE, "of the joints, in their order")

    def printed(v, d):
        return -d * v

    def library(v, d):
        return passive_joint_forces(hinge_chain(ZEROS, d, ZEROS), ZEROS, v)

    def reference(v, d):
        """Compare with differences of half the power that dampers dissipate."""
        return -jacobian(lambda x: d @ x**2 / 2, v).value

    implements = passive_joint_forces


@section.holds("e2.75", "Torque of a spring at the end of the step")
class e2_75:
    formula = r"\tau_K^{(k+1)} = \tau_K^{(k)} + \frac{\partial\tau_K}{\partial q_r}\left(q_r^{(k+1)} - q_r^{(k)}\right) = \tau_K^{(k)} - Kh\,\dot q_r^{(k+1)}"
    inputs = {**{name: JOINTS[name] for name in ("q", "v", "k", "rest")}, "h": positive_numbers(0.125, 1.0)}
    result = Result(TORQUE, "of the joints, in their order, once by each form")

    def printed(q, v, k, rest, h):
        """Evaluate both lines; v is the velocity at the end of the step."""
        torque, derivative, q_next = -k * (q - rest), -np.diag(k), q + h * v
        return np.array([torque + derivative @ (q_next - q), torque - k * h * v])

    def library(q, v, k, rest, h):
        tree = hinge_chain(k, ZEROS, rest)
        K = tree.linearized_force(State(q=q, qdot=v)).K
        return np.array(
            [passive_joint_forces(tree, q, ZEROS) + K @ (h * v), passive_joint_forces(tree, q + h * v, ZEROS)]
        )

    def reference(q, v, k, rest, h):
        """Compare with differences of the energy of springs at the coordinates after the step."""
        q_next = q + h * v
        torque = -jacobian(lambda x: k @ (x - rest) ** 2 / 2, q_next).value
        return np.stack([torque, torque])

    remark = (
        "The equation is exact for a linear spring. For a nonlinear one, the derivative at the start of "
        "the step replaces $-K$."
    )
    implements = (Tree.linearized_force, passive_joint_forces)


@section.holds("e2.76", "Torque of a damper at the end of the step")
class e2_76:
    formula = r"\tau_D^{(k+1)} = \tau_D^{(k)} + \frac{\partial\tau_D}{\partial\dot q_r}\left(\dot q_r^{(k+1)} - \dot q_r^{(k)}\right) = \tau_D^{(k)} - D\left(\dot q_r^{(k+1)} - \dot q_r^{(k)}\right) = \tau_D^{(k)} - D\dot q_r^{(k+1)} - \tau_D^{(k)} = -D\dot q_r^{(k+1)}"
    inputs = {"d": JOINTS["d"], "v": JOINTS["v"], "v_next": arrays(3)}
    result = Result(TORQUE, "of the joints, in their order, once by each form")

    def printed(d, v, v_next):
        """Return the results of the four lines."""
        torque, derivative = -d * v, -np.diag(d)
        lines = [
            torque + derivative @ (v_next - v),
            torque - d * (v_next - v),
            torque - d * v_next - torque,
            -d * v_next,
        ]
        return np.array(lines)

    def library(d, v, v_next):
        tree = hinge_chain(ZEROS, d, ZEROS)
        D = tree.linearized_force(State(q=ZEROS, qdot=v)).D
        linearized_forces = passive_joint_forces(tree, ZEROS, v) + D @ (v_next - v)
        return np.array(
            [
                linearized_forces,
                linearized_forces,
                linearized_forces,
                passive_joint_forces(tree, ZEROS, v_next),
            ]
        )

    def reference(d, v, v_next):
        """Compare with differences of half the power that dampers dissipate, at the velocity after the step."""
        torque = -jacobian(lambda x: d @ x**2 / 2, v_next).value
        return np.stack([torque] * 4)

    implements = (Tree.linearized_force, passive_joint_forces)


# ------------------------------------------------------------------------------------------------------------
# Linearly implicit steps of a tree, and the signs of K and D.


ONE_STEP = {
    "M": spd_matrices(3),
    "k": positive_vectors(3),
    "d": positive_vectors(3),
    "f": vectors(),
    "q": vectors(),
    "v": vectors(),
    "h": positive_numbers(0.125, 1.0),
}
STATE = {
    "body_tree": point_mass_tree.point_mass_trees(),
    "q": point_mass_tree.five_numbers(100),
    "v": point_mass_tree.five_numbers(200),
}
STEP_INPUTS = {**SPRINGS_AND_DAMPERS, **STATE, "h": positive_numbers(0.125, 0.5)}
STEP = (implicit_euler, Tree.linearized_force)


def spring_and_damper_step(body_tree, q, v, k, d, rest, h):
    """Solve implicit Euler with the torques at the end of the step as unknowns.

    The mass matrix and the free motion are those of point masses at the start of the step.
    """
    positions, masses, one = (
        point_mass_tree.point_positions(body_tree),
        point_mass_tree.masses_of_points(body_tree),
        np.eye(5),
    )
    M, free_force = (
        mass_matrix(positions, masses, q),
        net_generalized_force(positions, masses, body_tree.gravity, q, v),
    )
    system = np.block([[M, -h * one], [np.diag(d + h * k), one]])
    return np.linalg.solve(system, np.concatenate([M @ v + h * free_force, -k * (q - rest)]))[:5]


def step_library(body_tree, q, v, k, d, rest, h):
    return implicit_euler(model(body_tree, k, d, rest), State(q=q, qdot=v), h).qdot


def end_of_step(M, k, d, f, q, v, h):
    """Return coordinates, velocities, and torques of springs and dampers after a step, from four equations."""
    n = len(q)
    one, zero = np.eye(n), np.zeros((n, n))
    system = np.block(
        [
            [one, -h * one, zero, zero],
            [zero, M, -h * one, -h * one],
            [np.diag(k), zero, one, zero],
            [zero, np.diag(d), zero, one],
        ]
    )
    right_side = np.concatenate([q, M @ v + h * f, np.zeros(n), np.zeros(n)])
    return np.linalg.solve(system, right_side).reshape(4, n)


@section.holds("t1156", "Update of the coordinates with the new velocity")
class t1156:
    formula = r"\dot q_r^{(k+1)} = \left(q_r^{(k+1)} - q_r^{(k)}\right)/h"
    any_size = True
    inputs = ONE_STEP
    result = Result(RATE, "of the joints, in their order")

    def printed(M, k, d, f, q, v, h):
        """Solve for the new coordinates; the velocity is their difference over the step."""
        A = M / h + np.diag(d) + h * np.diag(k)
        q_next = np.linalg.solve(A, A @ q + M @ v + h * (f - k * q))
        return (q_next - q) / h

    def library(M, k, d, f, q, v, h):
        return linearly_implicit_velocity(M, v, f - k * q - d * v, -np.diag(k), -np.diag(d), h)

    def reference(M, k, d, f, q, v, h):
        """Compare with implicit Euler with the forces at the end of the step as unknowns."""
        return end_of_step(M, k, d, f, q, v, h)[1]

    tolerance = 1e-08
    implements = linearly_implicit_velocity


@section.holds("t1160#a", "The damping torque disappears from the right-hand side")
class t1160_a:
    formula = r"(M + hD)\,\dot q^{(k+1)} = M\dot q^{(k)} + hf:\ \text{`gets an ``implicit'' term that goes on the left hand side, and completely disappears from the right hand side'}"
    inputs = ONE_STEP
    result = Result(RATE, "of the joints, in their order")

    def printed(M, k, d, f, q, v, h):
        """Evaluate with spring torques at the start of the step, so that only the dampers are implicit."""
        return np.linalg.solve(M + h * np.diag(d), M @ v + h * (f - k * q))

    def library(M, k, d, f, q, v, h):
        zeros = np.zeros((3, 3))
        return linearly_implicit_velocity(M, v, f - k * q - d * v, zeros, -np.diag(d), h)

    def reference(M, k, d, f, q, v, h):
        """Compare with implicit Euler with the forces at the end of the step as unknowns."""
        return end_of_step(M, 0 * k, d, f - k * q, q, v, h)[1]

    tolerance = 1e-08
    remark = (
        "This holds for linear dampers. For nonlinear ones, the remainder of the linearized torque stays "
        "on the right-hand side."
    )
    implements = linearly_implicit_velocity


@section.misprint("t1160#b", "Side on which the new velocities are collected")
class t1160_b:
    page_2019 = Page(34)
    page_2021 = Page(45)
    formula = r"\text{`By moving all the factors of $\dot q_r^{(k+1)}$ from both forces to the right hand side, we get' (2.77)}"
    any_size = True
    inputs = ONE_STEP
    result = Result(RATE, "of the joints, in their order")

    def printed(M, k, d, f, q, v, h):
        """Return the factors of the new velocity on the left-hand and on the right-hand side."""
        return np.array([M, -h * np.diag(d) - h**2 * np.diag(k)])

    def library(M, k, d, f, q, v, h):
        return linearly_implicit_velocity(M, v, f - k * q - d * v, -np.diag(k), -np.diag(d), h)

    def reference(M, k, d, f, q, v, h):
        """Compare with implicit Euler with the forces at the end of the step as unknowns."""
        return end_of_step(M, k, d, f, q, v, h)[1]

    tolerance = 1e-08
    undefined = "the unknown is on both sides, so the equation is not solved for it"
    correction = "to the left-hand side, as in (2.77)"
    replacement = (
        r"By moving all the factors of $\dot q_r^{(k+1)}$ from both forces to the left hand side, we get"
    )
    implements = linearly_implicit_velocity


@section.holds("e2.77", "Linearly implicit Euler for a tree with springs and dampers in its joints")
class e2_77:
    formula = r"\left(J_{mr}^TM_mJ_{mr} + hD_r + h^2K_r\right)\dot q_r^{(k+1)} = \left(J_{mr}^TM_mJ_{mr}\right)\dot q_r^{(k)} + h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}\right)\right)"
    inputs = STEP_INPUTS
    arguments = {
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "rest": Argument(BRANCHING, "of the joints, in their order"),
    }
    result = Result(BRANCHING / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(body_tree, q, v, k, d, rest, h):
        """Evaluate with the torques of the springs alone in f_r; the dampers are only on the left-hand side."""
        M, f = equations_of_motion(body_tree, q, v)
        f_r = -k * (q - rest)
        return np.linalg.solve(M + h * np.diag(d) + h**2 * np.diag(k), M @ v + h * (f_r + f))

    library = step_library
    reference = spring_and_damper_step
    tolerance = 1e-08
    remark = (
        "$f_r^{(k)}$ contains the torques of the springs but not those of the dampers, which according "
        "to the sentence before it `completely disappear'. In (2.73) and (2.74) the same symbol contains "
        "both, and with those dampers act twice, however small the step. If $f_r$ contains all torques, "
        r"$hD_r\dot q_r^{(k)}$ must be added on the right-hand side."
    )
    implements = STEP


# ------------------------------------------------------------------------------------------------------------
# Stiffness and damping of joints and of bodies, and their signs.


@section.holds("e2.78", "Stiffness and damping matrices of linear springs and dampers")
class e2_78:
    formula = r"K_r = -\frac{\partial\tau_K}{\partial q_r} = \mathrm{diag}(K_1, \ldots, K_n),\quad D_r = -\frac{\partial\tau_D}{\partial\dot q_r} = \mathrm{diag}(D_1, \ldots, D_n)"
    any_size = True
    inputs = JOINTS
    result = Result(
        stacked_quantity(TORQUE, ANGULAR_MOMENTUM), "stiffness, then damping, of the joints, in their order"
    )

    def printed(q, v, k, d, rest):
        return np.array([np.diag(k), np.diag(d)])

    def library(q, v, k, d, rest):
        """Return minus the library's K and D, which are derivatives of forces."""
        _, K, D = hinge_chain(k, d, rest).linearized_force(State(q=q, qdot=v))
        return -np.array([K, D])

    def reference(q, v, k, d, rest):
        """Compare with differences of complex steps of the energy of springs and of half the dissipated power."""

        def hessian(weights, x):
            return jacobian(lambda y: complex_step(lambda z: np.sum(weights * z**2) / 2, y), x).value

        return np.array([hessian(k, q - rest), hessian(d, v)])

    implements = Tree.linearized_force


def _force_derivatives():
    """Draw the derivatives A and C of an affine force, and K and D, which equal them up to signs."""
    signs = st.sampled_from(((1, -1), (1, 1), (-1, -1), (-1, 1)))
    return st.builds(lambda A, C, s: np.array([A, C, s[0] * A, s[1] * C]), arrays(3, 3), arrays(3, 3), signs)


def _derivatives_with_the_signs():
    """Draw derivatives with K = A and D = -C, the signs of the condition."""
    return st.builds(lambda A, C: np.array([A, C, A, -C]), arrays(3, 3), arrays(3, 3))


@section.conditional("t1168", "Sign conventions of the stiffness and damping matrices")
class t1168:
    page_2019 = Page(34)
    page_2021 = Page(46)
    formula = r"M + hD - h^2K:\ \text{`sometimes people move the negative signs around' [Baraff and Witkin]}"
    inputs = {
        "M": spd_matrices(3),
        "derivatives": _force_derivatives(),
        "v": arrays(3),
        "h": positive_numbers(0.25, 1.0),
    }
    result = Result(INERTIA, "of the joints, in their order")

    def printed(M, derivatives, v, h):
        _, _, K, D = derivatives
        return M + h * D - h**2 * K

    def library(M, derivatives, v, h):
        A, C, _, _ = derivatives
        return linearly_implicit_problem(M, v, np.zeros(3), A, C, h).mass

    def reference(M, derivatives, v, h):
        """Compare with complex steps of the equation of implicit Euler with respect to the new velocities."""
        A, C, _, _ = derivatives
        return complex_step(lambda v_next: M @ (v_next - v) - h * (A @ (h * v_next) + C @ v_next), v)

    condition_inputs = {
        "M": spd_matrices(3),
        "derivatives": _derivatives_with_the_signs(),
        "v": arrays(3),
        "h": positive_numbers(0.25, 1.0),
    }

    def holds_when(M, derivatives, v, h):
        A, C, K, D = derivatives
        return np.array_equal(K, A) and np.array_equal(D, -C)

    condition = (
        r"$K = +\partial f/\partial q$ and $D = -\partial f/\partial\dot q$: only the sign of $K$ is "
        "changed"
    )
    remark = (
        r"If both signs are changed, as by Baraff and Witkin, the matrix is $M - h\,\partial "
        r"f/\partial\dot q - h^2\,\partial f/\partial q$; with those of (2.78) it is $M + hD + h^2K$."
    )
    implements = linearly_implicit_problem


@section.erratum("e2.79#a", "Implicit forces on bodies and joints: sign of the joint stiffness")
class e2_79_a:
    page_2019 = Page(34)
    page_2021 = Page(46)
    formula = r"\left(J_{mr}^T\left(M_m + hD_m - h^2K_m\right)J_{mr} + hD_r - h^2K_r\right)\dot q_r^{(k+1)} = \ldots,\quad K_r = -\partial\tau_K/\partial q_r"
    inputs = STEP_INPUTS
    arguments = {
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "rest": Argument(BRANCHING, "of the joints, in their order"),
    }
    result = Result(BRANCHING / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(body_tree, q, v, k, d, rest, h):
        """Evaluate without implicit forces on bodies, and with the damping torques left out of f_r."""
        M, f = equations_of_motion(body_tree, q, v)
        K_r, D_r = np.diag(k), np.diag(d)
        return np.linalg.solve(M + h * D_r - h**2 * K_r, M @ v + h * (-k * (q - rest) + f))

    library = step_library
    reference = spring_and_damper_step
    tolerance = 1e-08
    combined_with = ("sueda/s2.5/e2.78", "sueda/s2.5/e2.77")
    correction = r"$+h^2K_r$ with the $K_r$ of (2.78), as in (2.77); or $K_r = +\partial\tau_K/\partial q_r$"
    replacement = r"\left(J_{mr}^T\left(M_m + hD_m - h^2K_m\right)J_{mr} + hD_r + h^2K_r\right)\dot q_r^{(k+1)} = \left(J_{mr}^TM_mJ_{mr}\right)\dot q_r^{(k)} + h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}\right)\right)"
    remark = (
        "A stiff spring makes the matrix indefinite. If $h^2K_r$ exceeds $M_r + hD_r$, the step has the "
        "wrong sign; near equality, the matrix is singular."
    )
    effect = "A hinge with a spring, released at 1 rad, reaches an amplitude of 13 rad after a second of implicit steps, which should damp the motion."
    implements = STEP


ENDS = np.array([[0.35, -0.2, 0.55], [-0.45, 0.3, 0.15]])


SPRINGS_ON_BODIES = {
    **STATE,
    "k": positive_numbers(),
    "d": positive_numbers(0.25, 1.0),
    "h": positive_numbers(0.125, 0.25),
}


@section.conditional("e2.79#b", "Implicit forces on bodies and joints")
class e2_79_b:
    page_2019 = Page(34)
    page_2021 = Page(46)
    formula = r"\left(J_{mr}^T\left(M_m + hD_m - h^2K_m\right)J_{mr} + hD_r - h^2K_r\right)\dot q_r^{(k+1)} = \left(J_{mr}^TM_mJ_{mr}\right)\dot q_r^{(k)} + h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}\right)\right)"
    inputs = {**SPRINGS_ON_BODIES, "fraction": numbers(0.25, 1.0)}
    arguments = {
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
    }
    result = Result(BRANCHING / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(body_tree, q, v, k, d, h, fraction):
        """Return the step with a spring between two bodies, dampers on bodies, and springs and dampers in joints.

        A fraction of the damping forces is also in f_r and f_m.
        """
        J, (M, f) = point_mass_tree.jacobian(body_tree, q), equations_of_motion(body_tree, q, v)
        K_m = complex_steps.partial_derivatives(
            lambda y: point_mass_tree.spring_wrenches(body_tree, y, k, ENDS), q
        ).T @ np.linalg.pinv(J)
        D_m, K_r, D_r = d * np.eye(24), -k * np.eye(5), d * np.eye(5)
        f_m = point_mass_tree.spring_wrenches(body_tree, q, k, ENDS) - fraction * d * J @ v
        f_r = -k * q - fraction * d * v
        left = M + J.T @ (h * D_m - h**2 * K_m) @ J + h * D_r - h**2 * K_r
        return np.linalg.solve(left, M @ v + h * (f_r + J.T @ f_m + f))

    def library(body_tree, q, v, k, d, h, fraction):
        ends = path_through(on_body(1, ENDS[0]), on_body(3, ENDS[1]))
        forces = ForceGroups([ZeroLengthSprings(k, ends), Damping(d, [0, 1, 2, 3])])
        system = replace(model(body_tree, k, d), applied_forces=forces)
        return implicit_euler(system, State(q=q, qdot=v), h).qdot

    def reference(body_tree, q, v, k, d, h, fraction):
        """Compare with one Newton step of implicit Euler for point masses, with derivatives by complex steps.

        Moments and forces are those at the end of the step; J and the bias accelerations are those at its start.
        """
        positions, masses = (
            point_mass_tree.point_positions(body_tree),
            point_mass_tree.masses_of_points(body_tree),
        )
        M, free_force = (
            mass_matrix(positions, masses, q),
            net_generalized_force(positions, masses, body_tree.gravity, q, v),
        )
        J = point_mass_tree.jacobian(body_tree, q)

        def residual(v_next):
            end = q + h * v_next
            torques = -k * end - d * v_next
            wrenches = point_mass_tree.spring_wrenches(body_tree, end, k, ENDS) - d * (v_next @ J.T)
            return (v_next - v) @ M - h * (free_force + torques + wrenches @ J)

        # At zero velocity the positions are those at the start of the step. The damping forces are linear in the
        # velocities.
        zeros = np.zeros(5)
        return np.linalg.solve(complex_steps.partial_derivatives(residual, zeros).T, -residual(zeros))

    tolerance = 1e-08
    condition_inputs = {**SPRINGS_ON_BODIES, "fraction": st.just(0.0)}

    def holds_when(body_tree, q, v, k, d, h, fraction):
        return fraction * np.linalg.norm(v) == 0

    condition = (
        r"both $K$ are $+\partial f/\partial q$ and both $D$ are $-\partial f/\partial\dot q$, and $f_r$ "
        "and $f_m$ do not contain the damping forces"
    )
    correction = (
        r"with $K = +\partial f/\partial q$, $D = +\partial f/\partial\dot q$ throughout and all forces on the right: "
        r"$\left(J_{mr}^T(M_m - hD_m - h^2K_m)J_{mr} - hD_r - h^2K_r\right)\dot q_r^{(k+1)} = "
        r"\left(J_{mr}^T(M_m - hD_m)J_{mr} - hD_r\right)\dot q_r^{(k)} + "
        r"h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}\right)\right)$"
    )
    remark = (
        "The changes of $J$, of the weights and of the gyroscopic wrenches during the step are "
        "neglected. This is an error of second order in $h$ in each step, like the other errors of "
        "linearly implicit Euler."
    )
    implements = STEP
