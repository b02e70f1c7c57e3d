"""The problem of one step with friction in joints: bearings are contacts whose normals are held (Sueda 2.11).

Contacts of bearings follow those of the colliders in one contact space. What a bearing carries are its
joint's reactions, which follow from the motion, shared among its contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rbnotes import _se3, arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.residuals import worst
from rbnotes.contact import Collider, Contacts, contact_rows
from rbnotes.dynamics import State, StepSolution, implicit_euler, symplectic_euler, with_rows
from rbnotes.friction.bearings import Bearing
from rbnotes.friction.contact_space import ContactSpace, contact_space
from rbnotes.tree.bearings import Bearings, closure_wrench, fitted
from rbnotes.tree.constrained import step_rows
from rbnotes.tree.constraints import LoopClosure
from rbnotes.tree.contact import _points_in_reach, tree_contacts
from rbnotes.tree.joint_loads import BispStep, JointLoad
from rbnotes.tree.kinematics import _steps
from rbnotes.tree.products import passed_on
from rbnotes.tree.reactions import body_rows, impulse_balance
from rbnotes.tree.rows import Constraint
from rbnotes.tree.system import TreeSystem


class BearingStep:
    """The contact space of a step, and what joints carry under its impulses.

    What it takes has been checked by :func:`~rbnotes.tree.bisp_step`, but for the bearings.
    """

    def __init__(
        self,
        system: TreeSystem,
        state: State,
        h: float,
        bearings: Bearings,
        constraints: tuple[Constraint, ...],
        colliders: Sequence[Collider],
        implicit: bool,
        gamma: float,
        apart: Sequence[tuple[int, int]] | None,
    ) -> None:
        self.system, self.state, self.implicit = system, state, implicit
        self.h = arguments.number("h", h)
        self.constraints = constraints
        for name, bearing in bearings.items():
            arguments.instance("bearings: key", name, str, LoopClosure)
            arguments.instance("bearings: value", bearing, Bearing)
            if isinstance(name, LoopClosure) and not any(name is each for each in constraints):
                raise InvalidArgument(
                    "bearings", f"a closure of {name.a!r}", "closures among the constraints"
                )
        self.at = system.motion(state)
        self.balance = impulse_balance(system, state, self.h, implicit)
        self.adjoints = _se3.Ad_inverse(_steps(system.tree, state.q))
        self.fitted = fitted(system, state, self.at, bearings)
        maximal = system.maximal(state)
        self.points = _points_in_reach(system, maximal, colliders, self.h, apart)
        outside = tree_contacts(system, state, self.points, h, gamma=gamma)
        self.on_bodies = contact_rows(self.points, maximal.E)
        self.touching = outside.count
        inside = [each.rows.reshape(-1, state.size) for each in self.fitted]
        counts = [len(rows) // 3 for rows in inside]
        ends = self.touching + np.cumsum([0, *counts])
        self.places = [slice(a, b) for a, b in pairwise(ends.tolist())]
        contacts = Contacts(
            np.concatenate([outside.matrix, *inside]),
            np.concatenate([outside.mu, np.ones(sum(counts))]),
            np.concatenate([outside.normal_target, np.zeros(sum(counts))]),
        )
        self.scheme = implicit_euler if implicit else symplectic_euler
        rows = step_rows(system, constraints, state, h, gamma)
        problem = replace(with_rows(self.scheme.problem(system, state, h), rows), contacts=contacts)
        self.space: ContactSpace = contact_space(problem)
        if not self.space.symmetric:
            raise InvalidArgument("system", "a mass of the step that is not symmetric", "a symmetric one")
        # Of each constraint: its rows on bodies, and where its impulses are.
        self.pushing: list[tuple[Constraint, Array, bool, slice]] = []
        taken = {False: len(system.coordinate_rows(state).rows), True: 0}
        for each in constraints:
            rows_now = each.rows(system, state, state.t)
            start = taken[each.unilateral]
            taken[each.unilateral] += len(rows_now.G)
            own = body_rows(system, each, state)
            if own is not None:
                self.pushing.append((each, own, each.unilateral, slice(start, start + len(own))))

    def warm(self, start: BispStep | None) -> tuple[Array, list[Array]]:
        """Friction impulses to begin with, of all contacts and by bearing."""
        friction: Array = np.zeros((self.space.count, 2))
        local: list[Array] = [np.zeros((each.bearing.count, 2)) for each in self.fitted]
        if start is not None:
            for i, (each, place) in enumerate(zip(self.fitted, self.places, strict=True)):
                if each.name in start.loads and start.loads[each.name].friction.shape == local[i].shape:
                    local[i] = start.loads[each.name].friction
                    friction[place] = each.together(local[i])
        return friction, local

    def limits(self, normal: Array, carried: list[Array], cone: str, facets: int) -> Array:
        """Bounds of friction of all contacts."""
        result = self.space.mu * normal
        for each, place, load in zip(self.fitted, self.places, carried, strict=True):
            result[place] = each.limits(load, cone, facets)
        return result

    def local(self, friction: Array, carried: list[Array], cone: str, facets: int) -> list[Array]:
        """Friction at the bearings' own contacts."""
        return [
            each.local(friction[place], load, cone, facets)
            for each, place, load in zip(self.fitted, self.places, carried, strict=True)
        ]

    def carried(self, normal: Array, friction: Array, local: list[Array]) -> list[Array]:
        """Multipliers of each bearing's contacts under these impulses."""
        reactions = self.reactions(normal, friction, local)[2]
        return [each.bearing.spread @ w for each, w in zip(self.fitted, reactions, strict=True)]

    def reactions(
        self, normal: Array, friction: Array, local: list[Array]
    ) -> tuple[StepSolution, Array, list[Array]]:
        """The solution, wrenches through all joints, and reactions of each bearing without friction."""
        impulses = np.concatenate([normal[:, None], friction], axis=1)
        solution = self.space.solution(impulses, iterations=0, residual=0.0, method="BISP")
        n = len(self.system.tree.links)
        outer = self.on_bodies.T @ impulses[: self.touching].ravel()
        by_closure: dict[LoopClosure, Array] = {}
        for constraint, rows, unilateral, place in self.pushing:
            multipliers = (solution.unilateral if unilateral else solution.bilateral)[place]
            push = rows.T @ multipliers
            outer = outer + push
            if isinstance(constraint, LoopClosure):
                by_closure[constraint] = push.reshape(n, 6)
        rubbing = []
        for each, own in zip(self.fitted, local, strict=True):
            rub = each.wrench(own)
            rubbing.append(rub)
            if isinstance(each.name, LoopClosure):
                outer = outer + each.on_bodies.T @ each.driven(rub)
        gained = self.balance[0] @ solution.velocity + self.balance[1]
        through = passed_on(self.system.tree, (gained - outer).reshape(n, 6), self.adjoints)
        reactions: list[Array] = []
        for each, rub in zip(self.fitted, rubbing, strict=True):
            if isinstance(each.name, LoopClosure):
                held = closure_wrench(self.system, each.name, by_closure[each.name])
                whole = held + each.driven(rub)
            else:
                whole = through[self.system.tree.index(each.name)]
            rest = whole - rub
            reactions.append(rest - each.driven(rest))
        return solution, through, reactions

    def result(
        self,
        normal: Array,
        friction: Array,
        local: list[Array],
        carried: list[Array],
        history: list[float],
        left: float,
        cone: str,
        facets: int,
    ) -> BispStep:
        """The step under these impulses, with what its joints carry."""
        solution, through, reactions = self.reactions(normal, friction, local)
        loads = {}
        for each, own, load, w in zip(self.fitted, local, carried, reactions, strict=True):
            rates = each.rates @ solution.velocity
            loads[each.name] = JointLoad(
                reaction=w,
                multipliers=load,
                friction=own,
                sliding=each.sliding @ rates,
                generalised=each.S.T @ each.wrench(own),
                limit=float(np.sum(each.limits(load, cone, facets))),
                left=each.bearing.left(w),
                rank=each.bearing.rank,
            )
        solution = replace(
            solution,
            normal=solution.normal[: self.touching],
            tangential=solution.tangential[: self.touching],
            iterations=len(history) + 1,
            residual=worst(history[-1], left),
        )
        after = self.scheme.move(self.system, self.state, solution.velocity, self.h)
        return BispStep(after, loads, through, self.points, solution, tuple(history))
