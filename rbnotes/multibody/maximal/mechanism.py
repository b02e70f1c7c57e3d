"""Mechanisms: bodies with six coordinates each, held together by joints (Sueda 1.8, 1.10).

The state is a :class:`~rbnotes.dynamics.State` with the poses ``E (n, 4, 4)`` and twists ``phi (n, 6)`` of
all bodies. Joints push with G^T times multipliers: forces where accelerations are sought, impulses where the
twists after a step are. :func:`rbnotes.multibody.maximal.simulate` steps; so does every scheme of
:mod:`rbnotes.dynamics` under :func:`mechanism_rows`.

Joints keep to velocities; that the poses stay together, too, is up to the integrator. A step moves along the
twist that the rows allow where it starts, and so leaves the joints by an amount of second order in h; what is
done about it is its *stabilisation*:

* ``"none"``;
* ``"baumgarte"``: the next twists take back errors at a rate, :func:`baumgarte_target`;
* ``"projection"``: the poses are moved back, by the smallest motion that does it, measured by the masses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument, Matrix, SingularConfiguration
from rbnotes.constraints.kkt import factor_kkt_unchecked
from rbnotes.dynamics import GRAVITY, BilateralRows, ForceLaw, Forces, FreeSystem, State, zero_forces
from rbnotes.multibody.maximal.joint_kinematics import Joint, JointKinematics, joint_kinematics
from rbnotes.unchecked import stabilization
from rbnotes.unchecked.frozen import construct_unchecked, replace_unchecked, set_fields
from rbnotes.unchecked.stabilization import PROJECTION_TOLERANCE

STABILIZATIONS = ("none", "baumgarte", "projection")


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies, the joints between them, gravity and applied forces; a mechanical system.

    Raises
    ------
    InvalidArgument
        If an inertia is not positive definite, or a joint names a body that is not there.
    """

    inertias: ArrayField
    """Spatial inertias ``(n, 6, 6)``, each about the origin of its body's frame, kg m^2, kg m and kg."""
    joints: Sequence[Joint] = ()
    """What connects them, kept as a tuple."""
    gravity: ArrayField = GRAVITY
    """``(3,)`` in the world, m/s^2."""
    applied: ForceLaw = zero_forces
    """Forces besides gravity; see :class:`rbnotes.forces.ForceGroups`."""

    free: FreeSystem = field(init=False, repr=False)
    """The same bodies without their joints."""

    def __post_init__(self) -> None:
        inertias = arguments.with_ndim(
            "inertias", arguments.positive_definite("inertias", self.inertias, 6), 3
        )
        joints = arguments.instances("joints", self.joints, Joint)
        arguments.require_force_law("applied", self.applied)
        gravity = arguments.single_vector("gravity", self.gravity)
        free = construct_unchecked(
            FreeSystem, inertias=inertias, masses=np.zeros(0), gravity=gravity, applied=self.applied
        )
        for joint in joints:
            if joint.max_body_index >= len(inertias):
                got = f"a {joint.kind} joint between {joint.parent} and {joint.body}"
                raise InvalidArgument("joints", got, f"indices of {len(inertias)} bodies")
        set_fields(self, inertias=inertias, joints=joints, gravity=gravity, free=free)

    def mass_matrix(self, state: State) -> Matrix:
        """Mass matrix ``(6 n, 6 n)``, sparse if it is large.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free.mass_matrix(state)

    def force(self, state: State) -> Array:
        """Gyroscopic wrenches, gravity and applied forces ``(6 n,)``: all but those of the joints.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free.force(state)

    def linearized_force(self, state: State) -> Forces:
        """The same, with their derivatives.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free.linearized_force(state)

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """``force - mass acceleration (6 n,)``, with the derivatives of the force: for fully implicit steps.

        The mass matrix is constant; what the joints do comes from the rows of the step.

        Parameters
        ----------
        acceleration : (6 n,)
            Rates of the twists, rad/s^2 and m/s^2.

        Raises
        ------
        InvalidArgument
            If the shape of ``acceleration`` does not fit.
        """
        arguments.require_instance("state", state, State)
        return self.free.linearized_residual(state, acceleration)

    def acceleration(self, state: State) -> Array:
        """Rates of all twists ``(6 n,)`` that keep the joints together.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        return accelerations(self, state).phidot.ravel()

    def retract(self, state: State, increment: ArrayLike, h: float) -> State:
        """``E exp([xi])``; the joints take no part in it.

        Raises InvalidArgument if ``h`` is no finite number or the shape of ``increment`` does not fit.
        """
        arguments.require_instance("state", state, State)
        return state.retract(increment, h)

    def energy(self, state: State) -> float:
        """Kinetic energy and the potential of gravity, zero with the centres of mass at the origin, J.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free.energy(state)


class Accelerations(NamedTuple):
    """How a mechanism is accelerated."""

    phidot: Array
    """Rates of the body twists ``(n, 6)`` in the bodies' coordinates, rad/s^2 and m/s^2."""
    multipliers: Array
    """Joint forces ``(m,)``, along the rows of :func:`~rbnotes.multibody.maximal.joint_matrix`, N m and N."""


def accelerations(mechanism: Mechanism, state: State) -> Accelerations:
    """Accelerations that keep the joints together, and the joint forces.

        [ M  -G^T ] [ dphi/dt     ]   [ forces     ]
        [ G   0   ] [ multipliers ] = [ -Gdot phi  ]

    Parameters
    ----------
    state
        Poses and twists that satisfy the joints.

    Raises
    ------
    InvalidArgument
        If ``mechanism`` is no ``Mechanism`` or ``state`` is no ``State``.
    """
    arguments.require_instance("mechanism", mechanism, Mechanism)
    arguments.require_instance("state", state, State)
    force = mechanism.force(state)
    kinematics = JointKinematics(mechanism.joints, state.E)
    bias_acceleration, mass = kinematics.bias_accelerations(state.phi), mechanism.mass_matrix(state)
    phidot, multipliers = factor_kkt_unchecked(mass, kinematics.constraint_matrix_like(mass)).solve_unchecked(
        force, -bias_acceleration
    )
    return Accelerations(phidot.reshape(-1, 6), multipliers)


def joint_velocity_constraints(mechanism: Mechanism, state: State, *, gamma: float = 0.0) -> BilateralRows:
    """The joints as rows on the twists of a step (Sueda 1.8, eq. (1.73)).

    Parameters
    ----------
    gamma
        Rate at which the step takes back errors, 1/s: :func:`baumgarte_target`.

    Raises
    ------
    InvalidArgument
        If ``mechanism`` is no ``Mechanism``, ``state`` does not fit it, or ``gamma`` is negative.
    """
    arguments.require_instance("mechanism", mechanism, Mechanism)
    arguments.require_instance("state", state, State)
    _check_shape(mechanism, state.E)
    kinematics = JointKinematics(mechanism.joints, state.E)
    G, zero_target = (
        kinematics.constraint_matrix_like(mechanism.mass_matrix(state)),
        np.zeros(kinematics.layout.num_rows),
    )
    gamma = arguments.real_number("gamma", gamma, minimum=0.0)
    target = _baumgarte_target(mechanism, kinematics, gamma, G) if gamma else zero_target
    return construct_unchecked(BilateralRows, rows=G, target=target, regularization=zero_target)


def baumgarte_target(mechanism: Mechanism, poses: ArrayLike, gamma: float) -> Array:
    """What ``G phi+`` shall be so that joints take back their errors (Sueda 1.12, eq. (1.82), first line).

    ``gamma G d``, with the smallest displacement d, measured by the masses, that takes back the errors to
    first order: ``G d = -errors``, or as near to it as rows that repeat each other let it be, so that these
    never ask for different velocities. Without such rows it is ``-gamma errors``, as
    :func:`rbnotes.constraints.stabilization.velocity_target` has it.

    Parameters
    ----------
    poses : (n, 4, 4)
        Of the bodies in the world, m.
    gamma
        Rate at which errors vanish, 1/s. A step of size h leaves the part ``1 - gamma h`` of them.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses or ``gamma`` is negative.
    """
    arguments.require_instance("mechanism", mechanism, Mechanism)
    kinematics = joint_kinematics(mechanism.joints, poses)
    return _baumgarte_target(
        mechanism,
        kinematics,
        arguments.real_number("gamma", gamma, minimum=0.0),
        kinematics.constraint_matrix(),
    )


def project(mechanism: Mechanism, state: State) -> State:
    """The nearest poses at which the joints are together, and the nearest twists there that they allow.

    Raises
    ------
    InvalidArgument
        If ``mechanism`` is no ``Mechanism`` or ``state`` is no ``State``.
    SingularConfiguration
        If the joints cannot be brought together from these poses.
    """
    arguments.require_instance("mechanism", mechanism, Mechanism)
    arguments.require_instance("state", state, State)
    projected_state = replace_unchecked(state, E=project_poses(mechanism, state.E))
    mass = mechanism.mass_matrix(projected_state)
    G = JointKinematics(mechanism.joints, projected_state.E).constraint_matrix_like(mass)
    return projected_state.with_velocity(
        factor_kkt_unchecked(mass, G).solve_unchecked(mass @ projected_state.velocity, np.zeros(G.shape[0]))[
            0
        ]
    )


def project_poses(mechanism: Mechanism, poses: ArrayLike, *, max_iterations: int = 30) -> Array:
    """Poses ``(n, 4, 4)`` at which the joints are together, near the given ones.

    By :func:`rbnotes.constraints.stabilization.project_poses`: each displacement is the smallest by the norm
    that M makes of twists.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses or ``max_iterations`` is negative.
    SingularConfiguration
        If the joints are still apart after so many iterations.
    """
    arguments.require_instance("mechanism", mechanism, Mechanism)
    return project_poses_unchecked(
        mechanism, _check_poses(mechanism, poses), arguments.count("max_iterations", max_iterations)
    )


def project_poses_unchecked(mechanism: Mechanism, poses: Array, max_iterations: int = 30) -> Array:
    """As :func:`project_poses`, for poses that are known to be right."""
    if not mechanism.joints:
        return poses

    def evaluate(poses: Array) -> tuple[Array, Callable[[], Matrix]]:
        kinematics = JointKinematics(mechanism.joints, poses)
        return kinematics.pose_errors(), kinematics.constraint_matrix

    def respond(G: Matrix) -> Matrix:
        return mechanism.free.sparse_inverse_mass_matrix @ G.T

    advance = stabilization.retract_poses
    projected_poses, error, _ = stabilization.project(
        poses, respond, evaluate, advance, PROJECTION_TOLERANCE, max_iterations
    )
    if not error <= PROJECTION_TOLERANCE:
        got = f"joints that are still {error:.3g} apart"
        raise SingularConfiguration("poses", got, "poses from which they can be brought together")
    return projected_poses


def _check_poses(mechanism: Mechanism, poses: ArrayLike) -> Array:
    checked = arguments.frame("poses", poses)
    _check_shape(mechanism, checked)
    return checked


def _check_shape(mechanism: Mechanism, poses: Array) -> None:
    if poses.shape != (len(mechanism.inertias), 4, 4):
        raise InvalidArgument("poses", f"shape {poses.shape}", f"shape ({len(mechanism.inertias)}, 4, 4)")


def _baumgarte_target(mechanism: Mechanism, kinematics: JointKinematics, gamma: float, G: Matrix) -> Array:
    """That of :func:`baumgarte_target`, for joints whose rows are known."""
    errors = kinematics.pose_errors()
    if not len(errors):
        return errors
    displacement_rows: Array = G @ stabilization.least_norm_correction(
        G, mechanism.free.sparse_inverse_mass_matrix @ G.T, errors
    )
    return gamma * displacement_rows
