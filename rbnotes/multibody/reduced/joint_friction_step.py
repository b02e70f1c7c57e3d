"""Problem of one step with friction in joints: bearings are contacts with known normal impulses (Sueda 2.11).

Contacts of bearings follow those of the colliders in one friction-contact problem. A bearing carries the
reaction of its joint, which follows from the motion and is distributed over its contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.contact import Collider, Contacts, contact_jacobian
from rbnotes.dynamics import State, StepSolution, add_constraints, implicit_euler, symplectic_euler
from rbnotes.friction.bearings import Bearing
from rbnotes.friction.contact_problem import FrictionContactProblem, friction_contact_problem
from rbnotes.multibody.reduced.bearing_reactions import BearingReaction, BispStep
from rbnotes.multibody.reduced.bearings import Bearings, joint_bearings, recover_bearing_reactions
from rbnotes.multibody.reduced.constrained_dynamics import velocity_constraints
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.multibody.reduced.constraints import LoopClosure
from rbnotes.multibody.reduced.contact import _predict_contacts, tree_contacts
from rbnotes.multibody.reduced.joint_reactions import constraints_on_bodies, impulse_balance
from rbnotes.multibody.reduced.kinematics import relative_joint_poses
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3


class JointFrictionOptions(NamedTuple):
    """Options of a step with friction in joints, as for :func:`~rbnotes.multibody.reduced.bisp_step`.

    Attributes
    ----------
    implicit
        True for linearly implicit Euler, False for symplectic Euler.
    gamma
        Error reduction rate of constraints and overlaps, 1/s.
    excluded_pairs
        Pairs of bodies that do not touch.
    cone
        Section of the friction cone.
    facets
        Number of corners of the pyramid's section.
    """

    implicit: bool
    gamma: float
    excluded_pairs: Sequence[tuple[int, int]] | None
    cone: str
    facets: int


class ContactImpulses(NamedTuple):
    """Impulses of an iteration of bilateral staggered projections.

    Attributes
    ----------
    normal
        Normal impulses of all contacts ``(c,)``.
    friction
        Friction impulses of all contacts ``(c, 2)``.
    bearing_friction
        Friction impulses at the own contacts of each bearing.
    multipliers
        Normal impulses at the own contacts of each bearing.
    """

    normal: Array
    friction: Array
    bearing_friction: list[Array]
    multipliers: list[Array]


class JointFrictionProblem:
    """Friction-contact problem of a step, with the joint reactions under its impulses.

    :func:`~rbnotes.multibody.reduced.bisp_step` has checked the arguments, except for the bearings.
    """

    def __init__(
        self,
        tree: Tree,
        state: State,
        h: float,
        bearings: Bearings,
        constraints: tuple[Constraint, ...],
        colliders: Sequence[Collider],
        options: JointFrictionOptions,
    ) -> None:
        self.tree, self.state, self.options = tree, state, options
        self.h = arguments.positive_number("h", h)
        self.constraints = constraints
        for name, bearing in bearings.items():
            arguments.require_instance("bearings: key", name, str, LoopClosure)
            arguments.require_instance("bearings: value", bearing, Bearing)
            if isinstance(name, LoopClosure) and not any(name is constraint for constraint in constraints):
                raise InvalidArgument(
                    "bearings", f"a closure of {name.a!r}", "closures among the constraints"
                )
        self.kinematics = tree.body_kinematics(state)
        self.impulse_balance = impulse_balance(tree, state, self.h, options.implicit)
        self.adjoints = se3.Ad_inverse(relative_joint_poses(tree, state.q))
        self.joint_bearings = joint_bearings(tree, state, self.kinematics, bearings)
        maximal_state = tree.maximal_state(state)
        self.contact_points = _predict_contacts(
            tree, maximal_state, colliders, self.h, options.excluded_pairs
        )
        collider_contacts = tree_contacts(tree, state, self.contact_points, h, gamma=options.gamma)
        self.contact_body_rows = contact_jacobian(self.contact_points, maximal_state.E)
        self.num_contacts = collider_contacts.count
        bearing_rows = [constraint.contact_rows.reshape(-1, state.size) for constraint in self.joint_bearings]
        counts = [len(rows) // 3 for rows in bearing_rows]
        ends = self.num_contacts + np.cumsum([0, *counts])
        self.contact_slices = [slice(a, b) for a, b in pairwise(ends.tolist())]
        contacts = Contacts(
            np.concatenate([collider_contacts.matrix, *bearing_rows]),
            np.concatenate([collider_contacts.mu, np.ones(sum(counts))]),
            np.concatenate([collider_contacts.normal_target, np.zeros(sum(counts))]),
        )
        self.scheme = implicit_euler if options.implicit else symplectic_euler
        rows = velocity_constraints(tree, constraints, state, h, options.gamma)
        problem = replace(add_constraints(self.scheme.problem(tree, state, h), rows), contacts=contacts)
        self.contact_problem: FrictionContactProblem = friction_contact_problem(problem)
        if not self.contact_problem.is_symmetric:
            raise InvalidArgument("tree", "a mass of the step that is not symmetric", "a symmetric one")
        self.body_constraints = constraints_on_bodies(tree, constraints, state)

    def initial_friction(self, initial_guess: BispStep | None) -> tuple[Array, list[Array]]:
        """Return the initial friction impulses of all contacts and by bearing."""
        friction: Array = np.zeros((self.contact_problem.count, 2))
        bearing_friction: list[Array] = [
            np.zeros((joint_bearing.bearing.count, 2)) for joint_bearing in self.joint_bearings
        ]
        if initial_guess is not None:
            for i, (joint_bearing, contact_slice) in enumerate(
                zip(self.joint_bearings, self.contact_slices, strict=True)
            ):
                if (
                    joint_bearing.name in initial_guess.bearing_reactions
                    and initial_guess.bearing_reactions[joint_bearing.name].friction.shape
                    == bearing_friction[i].shape
                ):
                    bearing_friction[i] = initial_guess.bearing_reactions[joint_bearing.name].friction
                    friction[contact_slice] = joint_bearing.combine_friction(bearing_friction[i])
        return friction, bearing_friction

    def friction_limits(self, normal: Array, multipliers: list[Array]) -> Array:
        """Return the bounds of friction of all contacts."""
        result = self.contact_problem.mu * normal
        for joint_bearing, contact_slice, bearing_multipliers in zip(
            self.joint_bearings, self.contact_slices, multipliers, strict=True
        ):
            result[contact_slice] = joint_bearing.friction_limits(
                bearing_multipliers, self.options.cone, self.options.facets
            )
        return result

    def distribute_friction(self, friction: Array, multipliers: list[Array]) -> list[Array]:
        """Return the friction at the bearings' own contacts."""
        return [
            each.distribute_friction(
                friction[contact_slice], bearing_multipliers, self.options.cone, self.options.facets
            )
            for each, contact_slice, bearing_multipliers in zip(
                self.joint_bearings, self.contact_slices, multipliers, strict=True
            )
        ]

    def normal_multipliers(
        self, normal: Array, friction: Array, bearing_friction: list[Array]
    ) -> list[Array]:
        """Return the multipliers of each bearing's contacts under these impulses."""
        reactions = self.recover_reactions(normal, friction, bearing_friction)[2]
        return [
            each.bearing.load_distribution @ w for each, w in zip(self.joint_bearings, reactions, strict=True)
        ]

    def recover_reactions(
        self, normal: Array, friction: Array, bearing_friction: list[Array]
    ) -> tuple[StepSolution, Array, list[Array]]:
        """Return the solution, the wrenches through joints, and the bearing reactions without friction."""
        impulses = np.concatenate([normal[:, None], friction], axis=1)
        solution = self.contact_problem.step_solution(impulses, iterations=0, residual=0.0, method="BISP")
        joint_wrenches, reactions = recover_bearing_reactions(
            self.tree,
            self.joint_bearings,
            bearing_friction,
            self.impulse_balance[0] @ solution.velocity + self.impulse_balance[1],
            self.contact_body_rows.T @ impulses[: self.num_contacts].ravel(),
            self.body_constraints,
            solution,
            self.adjoints,
        )
        return solution, joint_wrenches, reactions

    def step_result(
        self, impulses: ContactImpulses, history: list[float], program_residual: float
    ) -> BispStep:
        """Return the step under these impulses, with its joint reactions."""
        solution, joint_wrenches, reactions = self.recover_reactions(
            impulses.normal, impulses.friction, impulses.bearing_friction
        )
        bearing_reactions = {}
        for joint_bearing, own_friction, bearing_multipliers, w in zip(
            self.joint_bearings,
            impulses.bearing_friction,
            impulses.multipliers,
            reactions,
            strict=True,
        ):
            rates = joint_bearing.joint_velocity_map @ solution.velocity
            bearing_reactions[joint_bearing.name] = BearingReaction(
                reaction=w,
                multipliers=bearing_multipliers,
                friction=own_friction,
                sliding_velocities=joint_bearing.sliding_jacobian @ rates,
                generalized_friction=joint_bearing.S.T @ joint_bearing.friction_wrench(own_friction),
                friction_limit=float(
                    np.sum(
                        joint_bearing.friction_limits(
                            bearing_multipliers, self.options.cone, self.options.facets
                        )
                    )
                ),
                unsupported_wrench=joint_bearing.bearing.unsupported_wrench(w),
                rank=joint_bearing.bearing.rank,
            )
        solution = replace(
            solution,
            normal=solution.normal[: self.num_contacts],
            tangential=solution.tangential[: self.num_contacts],
            iterations=len(history) + 1,
            residual=max_or_nan(history[-1], program_residual),
        )
        end_state = self.scheme.advance(self.tree, self.state, solution.velocity, self.h)
        return BispStep(
            end_state, bearing_reactions, joint_wrenches, self.contact_points, solution, tuple(history)
        )
