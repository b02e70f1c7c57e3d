"""Si & Guenter 1 and 2: properties of minimal coordinates, and derivatives of their joints."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, integrate, symplectic_euler
from rbnotes.ledger.claims.si.section_4.trees import MOTION
from rbnotes.ledger.claims.sueda.section_2 import MOTION_OF_HINGES, tree_of
from rbnotes.ledger.joint_quantities import ASSEMBLY, coordinates, velocities
from rbnotes.ledger.oracles import body_trees, complex_steps
from rbnotes.ledger.oracles.body_quantities_inputs import BODIES, library_tree_of
from rbnotes.ledger.oracles.recursive_dynamics import hinge_links, recursive_accelerations
from rbnotes.ledger.oracles.six_pass_dynamics import six_pass_accelerations
from rbnotes.ledger.quantities import (
    ACCELERATION,
    LENGTH,
    POINT,
    RATE,
    TIME,
    VELOCITY,
    matrix_quantity,
    stacked_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, positive_numbers
from rbnotes.unchecked.central_differences import time_derivative_at_zero, time_derivatives_at_zero

section_1 = Section(
    "si/s1",
    chapter="general-joints-linear-time",
    arguments={
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "q": Argument(coordinates, "of the joints, in their order"),
        "qdot": Argument(velocities, "of the joints, in their order"),
        "h": Argument(TIME),
    },
)
section_2 = Section(
    "si/s2",
    chapter="general-joints-linear-time",
    arguments={
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "q": Argument(coordinates, "of the joints, in their order"),
        "qdot": Argument(velocities, "of the joints, in their order"),
    },
)


@section_1.holds("t23#a", "Minimal coordinates are not subject to constraint drift")
class t23_a:
    formula = r"\text{`which makes these formulations immune to drift'}"
    inputs = {"assembly": BODIES, "q": arrays(6), "qdot": arrays(6), "h": positive_numbers(0.05, 0.2)}
    result = Result(LENGTH, "origins of the joints, in the world")

    def printed(assembly, q, qdot, h):
        """Return the joint positions on the parents' side after a step, which the claim says coincide."""
        q = q + h * (qdot + h * body_trees.accelerations(assembly, q, qdot, np.zeros(6)))
        E, joint_origins = body_trees.poses(assembly, q), []
        for i, parent in enumerate(assembly.parents):
            initial_pose, pose = (
                (np.eye(4), np.eye(4)) if parent < 0 else (assembly.bodies[parent], E[parent])
            )
            joint_origins.append((pose @ np.linalg.inv(initial_pose) @ assembly.joints[i])[:3, 3])
        return np.stack(joint_origins)

    def library(assembly, q, qdot, h):
        """Return the joint positions on the bodies' side."""
        mechanism = library_tree_of(assembly)
        q = integrate(symplectic_euler, mechanism, State(q=q, qdot=qdot), h, 1).q[-1]
        E = reduced.poses(mechanism, q).body_poses
        return (E @ np.linalg.inv(assembly.bodies) @ assembly.joints)[:, :3, 3]

    def reference(assembly, q, qdot, h):
        """Compute the joint frames in the world after a large step by Gauss's principle."""
        new_q = q + h * qdot + h**2 * body_trees.accelerations(assembly, q, qdot, np.zeros(6))
        return body_trees.joint_poses(assembly, new_q)[:, :3, 3]

    tolerance = 1e-8
    remark = "The coordinates deviate from the true motion, as in any scheme, but the joints stay closed."
    implements = reduced.Tree


@section_1.holds("t23#b", "Dynamics requires derivatives of the joint poses up to second order")
class t23_b:
    formula = r"\text{`derivatives of the joint transformations up to second order are required'}"
    inputs = MOTION
    result = Result(
        stacked_quantity(
            *3 * (matrix_quantity(VELOCITY, POINT),), *3 * (matrix_quantity(ACCELERATION, POINT),)
        ),
        "of each body: three rows of the first derivative of its pose in the world, then of the second derivative",
    )

    def printed(assembly, q, qdot):
        """Return the first and second derivatives of the poses of all bodies at constant rates."""
        first = complex_steps.directional_derivative(lambda x: body_trees.poses(assembly, x), q, qdot)
        second = time_derivative_at_zero(
            lambda t: complex_steps.directional_derivative(
                lambda x: body_trees.poses(assembly, x), q + t * qdot, qdot
            )
        )
        return np.concatenate([first[:, :3], second[:, :3]])

    def library(assembly, q, qdot):
        """Differentiate S qdot, from S, its rate, the twists and their rates."""
        kinematics = reduced.body_kinematics(library_tree_of(assembly), q, qdot)
        X, Xdot = twist_matrices(kinematics.phi), twist_matrices(kinematics.bias_acceleration)
        return np.concatenate(
            [(kinematics.body_poses @ X)[:, :3], (kinematics.body_poses @ (Xdot + X @ X))[:, :3]]
        )

    def reference(assembly, q, qdot):
        """Compare with second differences of the poses at constant rates."""
        _, first, second = time_derivatives_at_zero(lambda t: body_trees.poses(assembly, q + t * qdot), 2e-2)
        return np.concatenate([first[:, :3], second[:, :3]])

    tolerance = 1e-6
    tolerance_reason = (
        "second differences of poses with steps of 0.02 have errors of about 1e-9 at rates up to 2"
    )
    remark = (
        r"Of the second derivatives, only the one along the motion is needed: $\dot{\mathbf S}\dot{\mathbf"
        " q}$."
    )
    implements = reduced.body_kinematics


@section_2.holds(
    "t31", "Featherstone's articulated bodies and Rodriguez's filter give the same accelerations"
)
class t31:
    formula = r"\text{the Articulated Body Algorithm, and the algorithm that is re-derived}"
    inputs = MOTION_OF_HINGES
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot):
        """Evaluate the six passes, corrected."""
        return six_pass_accelerations(assembly.parents, hinge_links(assembly, q, qdot))

    def library(assembly, q, qdot):
        return reduced.factored_dynamics(tree_of(assembly), q, qdot).qddot

    def reference(assembly, q, qdot):
        """Compare with the articulated-body recursion, which passes loads together with inertias."""
        return recursive_accelerations(assembly.parents, hinge_links(assembly, q, qdot), np.zeros(4))

    tolerance = 1e-8
    remark = (
        "Both use the same inertias and give the same result, with different steps. In the form "
        "of the oracles, a chain of n hinges takes 650n - 589 products with Featherstone's "
        "recursion and 1015n - 954 with the six passes."
    )
    implements = reduced.factored_dynamics


def twist_matrices(twists):
    """Return the matrices ``(n, 4, 4)`` of twists."""
    X = np.zeros((len(twists), 4, 4))
    for i, (x, y, z, *velocity) in enumerate(twists):
        X[i, :3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
        X[i, :3, 3] = velocity
    return X
