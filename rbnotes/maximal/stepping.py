"""What the steps of the simulator are made of: kicks, flights, and the account of the energy they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from rbnotes import arguments
from rbnotes._frozen import changed, known
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity import QP, Unsolved, solve_lcp
from rbnotes.constraints._stabilization import move_bodies
from rbnotes.constraints.kkt import factored
from rbnotes.contact import Collider, ContactPoints, Contacts, PairRows, _rows
from rbnotes.contact.detection import checked_colliders, checked_pairs, found_points
from rbnotes.contact.nearby import allowed_speeds, reach
from rbnotes.contact.pair_rows import velocities_along
from rbnotes.dynamics import BilateralRows, State, States, StepProblem, StepSolution, factor_step
from rbnotes.friction import FrictionModel
from rbnotes.maximal.mechanism import Mechanism, projected
from rbnotes.maximal.placement import Placement
from rbnotes.maximal.remembering import Remembering
from rbnotes.maximal.trajectory import ContactRecord, End, Trajectory, Work, events_of, record_contacts

Progress = Callable[[int, int], object]
"""Told after each step how many are done, and how many there are."""

SEPARATED = 1e-8
"""Relative residual of a displacement: its gaps are linear ones, whose errors are larger."""


@dataclass(frozen=True, eq=False)
class World:
    """A mechanism whose bodies can touch each other and the world.

    Raises InvalidArgument if ``mechanism`` is no ``Mechanism``, ``colliders`` does not fit, or ``apart`` does
    not fit.
    """

    mechanism: Mechanism
    """Bodies, the joints between them, and the forces."""
    colliders: Sequence[Collider] = ()
    """Shapes that the bodies and the world carry."""
    apart: Sequence[tuple[int, int]] | None = None
    """Pairs of bodies (or ``WORLD``) that do not touch; by default those that a joint connects."""

    def __post_init__(self) -> None:
        arguments.instance("mechanism", self.mechanism, Mechanism)
        checked_colliders(self.colliders, len(self.mechanism.bodies))
        if self.apart is not None:
            object.__setattr__(self, "apart", checked_pairs(self.apart))
        else:
            pairs = tuple((joint.body, joint.parent) for joint in self.mechanism.joints)
            object.__setattr__(self, "apart", pairs)

    def touching(self, poses: Array, margin: float) -> ContactPoints:
        """Contacts with gaps up to a margin, for poses that are known to be right."""
        return found_points(self.colliders, poses, margin, self.apart or ())

    def friction(self, model: FrictionModel) -> FrictionModel:
        """A friction model as this world computes it."""
        return model

    def run(
        self,
        setting: Setting,
        integrator: Integrator,
        state: State,
        points: ContactPoints,
        steps: int,
        progress: Progress | None,
    ) -> Trajectory:
        """So many steps from a state with these contacts, and from what the friction remembers."""
        states, taken = [state], list[Taken]()
        for step in range(1, steps + 1):
            taken.append(integrator.take(setting, state, points))
            state, points = taken[-1].state, taken[-1].points
            states.append(state)
            if progress is not None:
                progress(step, steps)
        records = [each.contacts for each in taken]
        return Trajectory(
            States.of(states),
            np.array([self.mechanism.energy(each) for each in states]),
            np.array([each.joints for each in taken]),
            tuple(records),
            events_of(records, [each.t for each in states[1:]]),
            Work(*np.transpose([each.work for each in taken])),
            End(points, setting.friction.last),
        )


@dataclass(frozen=True, eq=False)
class Setting:
    """What stays the same from step to step."""

    world: World
    """Bodies, joints, and what can touch."""
    h: float
    """Size of the step, s."""
    friction: Remembering
    """Model of friction, with a memory of the contacts of the last kick."""
    stabilization: str
    """What is done about errors of pose: ``"projection"``, ``"baumgarte"`` or ``"none"``."""
    gamma: float
    """Rate at which Baumgarte's way takes back errors, 1/s."""
    slop: float
    """Overlap that is left alone, m."""
    impacts: str = "simultaneous"
    """How bodies bounce: ``"simultaneous"`` or ``"sequential"``."""

    @property
    def mechanism(self) -> Mechanism:
        """Bodies and joints of the world."""
        return self.world.mechanism

    @property
    def projects(self) -> bool:
        """Whether poses are moved back."""
        return self.stabilization == "projection"

    @property
    def takes_back(self) -> float:
        """Rate at which velocities take back errors, 1/s."""
        return self.gamma if self.stabilization == "baumgarte" else 0.0


class Kick(NamedTuple):
    """A change of velocities at one place, and the impulses that see to it."""

    before: Array
    """Velocities ``(6 n,)``."""
    after: Array
    weight: Array
    """Impulse of gravity ``(6 n,)``."""
    applied: Array
    """Of the applied forces ``(6 n,)``."""
    rows: Matrix
    """Of the joints ``(m, 6 n)``."""
    joints: Array
    """Impulses along them ``(m,)``."""
    contacts: ContactRecord
    contact_rows: PairRows

    def corrected(self, after: Array, more: Array) -> Kick:
        """The kick with other velocities, which further impulses along the joints make."""
        contacts = replace(self.contacts, after=velocities_along(self.contact_rows, after))
        return self._replace(after=after, joints=self.joints + more, contacts=contacts)

    @property
    def mean(self) -> Array:
        """What impulses are multiplied with for their work ``(6 n,)``."""
        return (self.before + self.after) / 2


class Taken(NamedTuple):
    """A step that was taken."""

    state: State
    points: ContactPoints
    """Contacts at its end."""
    joints: Array
    """Impulses along the rows of the joints ``(m,)``."""
    contacts: ContactRecord
    work: Work[float]


class Integrator(Protocol):
    """How the simulator takes a step."""

    def take(self, setting: Setting, state: State, points: ContactPoints) -> Taken:
        """One step from a state with these contacts."""
        ...


def points_in_reach(world: World, state: State, h: float) -> ContactPoints:
    """Contacts that could close within the next step, from the speeds that the bodies have."""
    return world.touching(state.E, reach(world.colliders, state.phi, h, world.mechanism.gravity))


def least_speeds(
    setting: Setting, state: State, points: ContactPoints, rows: PairRows, kick: Array | None = None
) -> Array:
    """Normal velocities ``(c,)`` that contacts need at least, so that none closes farther in the step.

    Those that take an overlap back lift no body farther than out of it: faster ones would throw it.

    Parameters
    ----------
    rows
        Those of the contacts, where the bodies are.
    kick
        Change of velocities ``(6 n,)`` that comes after a bounce, for steps whose forces act in halves:
        without it the bounce would gain ``h g / 2``.
    """
    gravity = setting.mechanism.gravity
    speeds = allowed_speeds(points, velocities_along(rows, state.velocity)[:, 0], setting.h, gravity)
    if kick is not None:
        speeds = np.where(speeds > 0, np.maximum(speeds + velocities_along(rows, kick)[:, 0], 0.0), speeds)
    if setting.takes_back:
        deep = np.maximum(-points.gap - setting.slop, 0.0)
        lift = np.sqrt(2 * float(np.linalg.norm(gravity)) * deep)
        back = np.minimum(setting.takes_back * deep, lift)
        speeds = np.where(deep > 0, np.maximum(speeds, back), speeds)
    return speeds


def kicked(
    setting: Setting,
    at: Placement,
    before: Array,
    problem: StepProblem,
    forces: tuple[Array, Array],
    points: ContactPoints,
    rows: PairRows,
    speeds: Array,
    target: Array,
    later: Array | None = None,
) -> Kick:
    """New velocities: those of the problem, under joints and contacts.

    Parameters
    ----------
    forces
        Impulses of gravity and of the applied forces ``(6 n,)``, for the account.
    rows
        Those of the contacts.
    speeds
        Least normal velocities ``(c,)``, m/s.
    target
        Of the joints ``(m,)``.
    later
        What of the change of velocities ``(6 n,)`` comes after a bounce, as for :func:`least_speeds`.
    """
    G = at.rows_like(problem.mass)
    if len(points):
        joints = known(BilateralRows, rows=G, target=target, softness=np.zeros(len(target)))
        contacts = known(Contacts, rows=rows, mu=points.mu, normal_target=speeds)
        under = problem.under(bilateral=joints, contacts=contacts)
        fall = np.zeros((len(points), 3)) if later is None else velocities_along(rows, later)
        solution = bounced(setting, under, points, fall)
    else:
        velocity, impulses = factored(problem.mass, G).solver(problem.momentum, target)
        solution = StepSolution(velocity, impulses, method="factor_kkt")
    record = record_contacts(points, rows, before, solution)
    return Kick(before, solution.velocity, *forces, G, solution.bilateral, record, rows)


def bounced(setting: Setting, problem: StepProblem, points: ContactPoints, fall: Array) -> StepSolution:
    """What friction makes of the contacts, and impacts that leave no more energy than :func:`without_gain`.

    Bounces may contradict each other and the joints, as those of a body between two that do not give way.
    Then nothing bounces in this step, and no overlap is taken back.

    Raises
    ------
    Unsolved
        If contacts and joints contradict each other anyway.
    """
    try:
        solution = setting.friction(problem, points)
    except Unsolved:
        asked = _asked(problem)
        if not np.any(asked > 0):
            raise
        return setting.friction(_inelastic(problem, asked), points)
    return without_gain(setting, problem, points, solution, fall)


def _asked(problem: StepProblem) -> Array:
    """Least normal velocities ``(c,)``."""
    return problem.contacts.normal_target if problem.contacts is not None else np.zeros(0)


def _inelastic(problem: StepProblem, asked: Array) -> StepProblem:
    """The same without contacts that have to separate."""
    return problem.under(contacts=changed(problem.contacts, normal_target=np.minimum(asked, 0.0)))


def without_gain(
    setting: Setting, problem: StepProblem, points: ContactPoints, solution: StepSolution, fall: Array
) -> StepSolution:
    """The solution, if impacts leave no more energy than there would be without contacts; else less of it.

    Newton's law of impact asks for normal velocities alone, and with friction may ask for more than the
    bodies brought along (Kane). The inelastic solution never does: with impulses p and velocities u of the
    contacts, ``T - T_free = p u - p^T W p / 2``, where no term of p u is positive. What lies between the two,
    ``inelastic + theta (solution - inelastic)``, has impulses within the cones, which are convex. The energy
    is a quadratic in theta; the largest theta up to one that gains nothing is taken.

    Parameters
    ----------
    fall
        How the velocities of the contacts ``(c, 3)`` change after a bounce. What bounces has not fallen so
        far, and must not take its energy from there: ``p fall`` is the difference.
    """
    asked = _asked(problem)
    bounces = (asked > 0) & (points.restitution > 0)
    if not np.any(bounces) or not problem.symmetric:
        return solution
    M = problem.mass
    free = factor_step(problem).solver(problem.momentum, problem.bilateral.target)[0]
    allowed = float(free @ (M @ free)) / 2

    def borrowed(found: StepSolution) -> float:
        return -float(np.sum(found.contact_impulses[bounces] * fall[bounces]))

    if float(solution.velocity @ (M @ solution.velocity)) / 2 + borrowed(solution) <= allowed * (1 + 1e-12):
        return solution
    inelastic = setting.friction(_inelastic(problem, asked), points)
    base, way = inelastic.velocity, solution.velocity - inelastic.velocity
    square, slope = float(way @ (M @ way)) / 2, float(base @ (M @ way))
    slope += borrowed(solution) - borrowed(inelastic)
    above = float(base @ (M @ base)) / 2 + borrowed(inelastic) - allowed
    if above >= 0:  # no more than rounding
        return inelastic
    theta = min(1.0, (np.sqrt(slope**2 - 4 * square * above) - slope) / (2 * square))
    names = ("velocity", "bilateral", "unilateral", "normal", "tangential")
    mixed = {name: (1 - theta) * getattr(inelastic, name) + theta * getattr(solution, name) for name in names}
    return replace(solution, **mixed)


def separated(setting: Setting, state: State) -> tuple[State, ContactPoints]:
    """The state after what overlaps was moved apart, if that is to be, and the contacts there."""
    points = points_in_reach(setting.world, state, setting.h)
    if setting.projects and np.any(points.gap < -setting.slop):
        state = changed(state, E=separated_poses(setting.mechanism, state, points, setting.slop))
        points = points_in_reach(setting.world, state, setting.h)
    return state, points


def separated_poses(mechanism: Mechanism, state: State, points: ContactPoints, slop: float) -> Array:
    """Poses ``(n, 4, 4)`` after the smallest displacement, measured by the masses, that ends all overlaps.

    Those up to ``slop`` get no larger. Gaps are taken as linear in the displacement, so that a little may
    remain; joints stay together.

    Raises
    ------
    Unsolved
        If the joints do not let the bodies separate.
    """
    M, poses = mechanism.mass(state), state.E
    rows = _rows.rows_along(points.normal[:, None], points, poses)
    N = rows.matrix if sparse.issparse(M) else rows.toarray()
    G = Placement(mechanism.joints, poses).rows_like(M)
    still = np.zeros(state.size)
    least = np.where(points.gap < -slop, -points.gap, np.minimum(-points.gap, 0.0))
    apart = known(QP, Q=M, c=still, A=N, b=least, G=G, g=np.zeros(G.shape[0]))
    return projected(mechanism, move_bodies(poses, solve_lcp(apart, tolerance=SEPARATED).x))


def worked(
    mechanism: Mechanism, kicks: Sequence[Kick], flight: Sequence[State], settled: State
) -> Work[float]:
    """The account of a step.

    Parameters
    ----------
    flight
        The state when the bodies begin to move, and that when they have moved.
    settled
        The state after what came apart or overlaps was moved back.
    """
    start, end = (mechanism.energy(state) for state in flight)
    return Work(
        applied=sum(float(kick.applied @ kick.mean) for kick in kicks),
        joints=sum(float(kick.joints @ (kick.rows @ kick.mean)) for kick in kicks),
        contacts=sum(float(np.sum(kick.contacts.work)) for kick in kicks),
        stabilization=mechanism.energy(settled) - end,
        integrator=end - start + sum(float(kick.weight @ kick.mean) for kick in kicks),
    )
