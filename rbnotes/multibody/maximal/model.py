"""Models in maximal coordinates: bodies with six coordinates each, connected by joints (Sueda 1.8, 1.10).

The state is a :class:`~rbnotes.dynamics.State` with the poses ``E (n, 4, 4)`` and twists ``phi (n, 6)`` of
all bodies. Joints push with G^T times multipliers, which are forces in accelerations and impulses in steps.
:func:`rbnotes.multibody.maximal_coordinates` derives such a system from a
:class:`~rbnotes.multibody.Model`. :func:`rbnotes.multibody.simulate` takes its steps with
``coordinates="maximal"``, and so does any scheme of :mod:`rbnotes.dynamics` under
:func:`joint_velocity_constraints`.

Joints constrain velocities; the integrator corrects the poses. A step moves along the twist that the
rows at its start allow, and so violates the joints by an amount of second order in h. Its *stabilization*
removes this error:

* ``"none"``;
* ``"baumgarte"``: the next twists reduce errors at a rate, see :func:`joint_velocity_constraints`;
* ``"projection"``: the smallest displacement, in the norm of the masses, moves the poses back.
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
from rbnotes.contact import Collider, ContactPoints
from rbnotes.contact.detection import check_colliders, check_excluded_pairs, contact_points_unchecked
from rbnotes.dynamics import GRAVITY, BilateralRows, ForceLaw, Forces, State, zero_forces
from rbnotes.dynamics.free_system import FreeSystem
from rbnotes.dynamics.mechanical_system import StateRetraction
from rbnotes.multibody.joint_kinematics import Joint, JointKinematics
from rbnotes.unchecked import stabilization
from rbnotes.unchecked.frozen import construct_unchecked, replace_unchecked, set_fields
from rbnotes.unchecked.stabilization import PROJECTION_TOLERANCE


@dataclass(frozen=True, eq=False)
class MaximalModel(StateRetraction):
    """Model in maximal coordinates: free bodies, joints as constraints between them, forces and contacts.

    Attributes
    ----------
    inertias
        Spatial inertias ``(n, 6, 6)``, each about the origin of its body's frame, kg m^2, kg m and kg.
    joints
        Joints between the bodies, stored as a tuple.
    gravity
        Gravity ``(3,)`` in the world, m/s^2.
    applied_forces
        Applied forces besides gravity; see :class:`rbnotes.forces.ForceGroups`.
    colliders
        Shapes that the bodies and the world carry.
    excluded_pairs
        Pairs of bodies (or ``WORLD``) that do not touch; by default those connected by a joint.
    body_names
        Names of the bodies in errors; their indices by default.
    free_system
        System of the same bodies without their joints.

    Raises
    ------
    InvalidArgument
        If ``inertias`` are not positive definite matrices ``(n, 6, 6)``, ``gravity`` is not a vector of three
        numbers, ``applied_forces`` is not a function of a state, ``joints`` or ``colliders`` has an entry of
        another type or a missing body, ``excluded_pairs`` are not pairs of indices, or ``body_names`` does
        not have one text for each body.
    """

    inertias: ArrayField
    joints: Sequence[Joint] = ()
    gravity: ArrayField = GRAVITY
    applied_forces: ForceLaw = zero_forces
    colliders: Sequence[Collider] = ()
    excluded_pairs: Sequence[tuple[int, int]] | None = None
    body_names: Sequence[str] | None = None

    free_system: FreeSystem = field(init=False, repr=False)

    def __post_init__(self) -> None:
        inertias = arguments.with_ndim(
            "inertias", arguments.positive_definite("inertias", self.inertias, 6), 3
        )
        count = len(inertias)
        joints = arguments.instances("joints", self.joints, Joint)
        arguments.require_force_law("applied_forces", self.applied_forces)
        gravity = arguments.single_vector("gravity", self.gravity)
        free_system = FreeSystem(inertias, np.zeros(0), gravity, self.applied_forces)
        for joint in joints:
            if joint.max_body_index >= count:
                got = f"a {joint.kind} joint between {joint.parent} and {joint.body}"
                raise InvalidArgument("joints", got, f"indices of {count} bodies")
        colliders = check_colliders(self.colliders, count)
        if self.excluded_pairs is None:
            excluded_pairs = tuple((joint.body, joint.parent) for joint in joints)
        else:
            excluded_pairs = check_excluded_pairs(self.excluded_pairs)
        names = self.body_names
        if names is not None:
            names = arguments.instances("body_names", names, str)
            if len(names) != count:
                raise InvalidArgument("body_names", f"{len(names)} names", f"one for each of {count} bodies")
        set_fields(
            self,
            inertias=inertias,
            joints=joints,
            gravity=gravity,
            colliders=colliders,
            excluded_pairs=excluded_pairs,
            body_names=names,
            free_system=free_system,
        )

    def mass_matrix(self, state: State) -> Matrix:
        """Return the mass matrix ``(6 n, 6 n)``, sparse if it is large.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free_system.mass_matrix(state)

    def force(self, state: State) -> Array:
        """Return gyroscopic wrenches, gravity and applied forces ``(6 n,)``, without those of the joints.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free_system.force(state)

    def linearized_force(self, state: State) -> Forces:
        """Return the same forces with their derivatives.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free_system.linearized_force(state)

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """Return ``force - mass_matrix acceleration (6 n,)`` with the derivatives of the force.

        Fully implicit steps use it. The mass matrix is constant; the rows of the step account for the joints.

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
        return self.free_system.linearized_residual(state, acceleration)

    def acceleration(self, state: State) -> Array:
        """Return the rates of all twists ``(6 n,)`` that satisfy the joints.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return accelerations(self, state).phidot.ravel()

    def energy(self, state: State) -> float:
        """Return the kinetic energy and the potential of gravity, zero with centers of mass at the origin, J.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.free_system.energy(state)

    def detect_contacts(self, poses: Array, margin: float) -> ContactPoints:
        """Return the contacts with gaps up to a margin, for valid poses."""
        return contact_points_unchecked(self.colliders, poses, margin, self.excluded_pairs or ())


class Accelerations(NamedTuple):
    """Accelerations of a model and its joint forces.

    Attributes
    ----------
    phidot
        Rates of the body twists ``(n, 6)`` in the bodies' coordinates, rad/s^2 and m/s^2.
    multipliers
        Joint forces ``(m,)`` along the rows of :func:`~rbnotes.multibody.maximal.constraint_jacobian`, N m
        and N.
    """

    phidot: Array
    multipliers: Array


def accelerations(model: MaximalModel, state: State) -> Accelerations:
    """Return the accelerations that satisfy the joints, and the joint forces.

    Both solve one linear system::

        [ M  -G^T ] [ dphi/dt     ]   [ forces     ]
        [ G   0   ] [ multipliers ] = [ -Gdot phi  ]

    Parameters
    ----------
    state
        Poses and twists that satisfy the joints.

    Raises
    ------
    InvalidArgument
        If ``model`` is not a ``MaximalModel`` or ``state`` is not a ``State``.
    """
    arguments.require_instance("model", model, MaximalModel)
    arguments.require_instance("state", state, State)
    force = model.force(state)
    kinematics = JointKinematics(model.joints, state.E)
    bias_acceleration, mass = kinematics.constraint_bias_acceleration(state.phi), model.mass_matrix(state)
    phidot, multipliers = factor_kkt_unchecked(
        mass, kinematics.constraint_jacobian_like(mass)
    ).solve_unchecked(force, -bias_acceleration)
    return Accelerations(phidot.reshape(-1, 6), multipliers)


def joint_velocity_constraints(model: MaximalModel, state: State, *, gamma: float = 0.0) -> BilateralRows:
    """Return the joints as rows on the twists of a step (Sueda 1.8, eq. (1.73)).

    With a positive ``gamma`` the target of ``G phi+`` reduces the errors of the joints (Sueda 1.12, eq.
    (1.82)). It is ``gamma G d``, with the smallest displacement d, in the norm of the masses, that removes
    the errors to first order: ``G d = -errors``, or the nearest solution for redundant rows, so that these
    never require different velocities. Without redundant rows it is ``-gamma errors``, as in
    :func:`rbnotes.constraints.stabilization.velocity_target`.

    Parameters
    ----------
    gamma
        Error reduction rate, 1/s. A step of size h leaves the part ``1 - gamma h`` of the errors.

    Raises
    ------
    InvalidArgument
        If ``model`` is not a ``MaximalModel``, ``state`` does not fit it, or ``gamma`` is negative.
    """
    arguments.require_instance("model", model, MaximalModel)
    arguments.require_instance("state", state, State)
    _check_shape(model, state.E)
    kinematics = JointKinematics(model.joints, state.E)
    G, zero_target = (
        kinematics.constraint_jacobian_like(model.mass_matrix(state)),
        np.zeros(kinematics.layout.num_rows),
    )
    gamma = arguments.real_number("gamma", gamma, minimum=0.0)
    target = _baumgarte_target(model, kinematics, gamma, G) if gamma else zero_target
    return construct_unchecked(BilateralRows, rows=G, target=target, regularization=zero_target)


def project(model: MaximalModel, state: State) -> State:
    """Return the nearest poses that satisfy the joints, and the nearest twists that the joints allow there.

    Raises
    ------
    InvalidArgument
        If ``model`` is not a ``MaximalModel`` or ``state`` is not a ``State``.
    SingularConfiguration
        If the joints cannot be brought together from these poses.
    """
    arguments.require_instance("model", model, MaximalModel)
    arguments.require_instance("state", state, State)
    projected_state = replace_unchecked(state, E=project_poses(model, state.E))
    mass = model.mass_matrix(projected_state)
    G = JointKinematics(model.joints, projected_state.E).constraint_jacobian_like(mass)
    return projected_state.with_velocity(
        factor_kkt_unchecked(mass, G).solve_unchecked(mass @ projected_state.velocity, np.zeros(G.shape[0]))[
            0
        ]
    )


def project_poses(model: MaximalModel, poses: ArrayLike, *, max_iterations: int = 30) -> Array:
    """Return poses ``(n, 4, 4)`` that satisfy the joints, near the given ones.

    It uses :func:`rbnotes.constraints.stabilization.project_poses`: each displacement is the smallest in the
    norm of the mass matrix.

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses or ``max_iterations`` is negative.
    SingularConfiguration
        If the joints still have errors after so many iterations.
    """
    arguments.require_instance("model", model, MaximalModel)
    return project_poses_unchecked(
        model, _check_poses(model, poses), arguments.count("max_iterations", max_iterations)
    )


def project_poses_unchecked(model: MaximalModel, poses: Array, max_iterations: int = 30) -> Array:
    """Return the same as :func:`project_poses`, for valid poses."""
    if not model.joints:
        return poses

    def evaluate(poses: Array) -> tuple[Array, Callable[[], Matrix]]:
        kinematics = JointKinematics(model.joints, poses)
        return kinematics.constraint_error(), kinematics.constraint_jacobian

    def respond(G: Matrix) -> Matrix:
        return model.free_system.sparse_inverse_mass_matrix @ G.T

    advance = stabilization.retract_poses
    projected_poses, error, _ = stabilization.project(
        poses, respond, evaluate, advance, PROJECTION_TOLERANCE, max_iterations
    )
    if not error <= PROJECTION_TOLERANCE:
        got = f"joints that are still {error:.3g} apart"
        raise SingularConfiguration("poses", got, "poses from which Newton steps satisfy them")
    return projected_poses


def _check_poses(model: MaximalModel, poses: ArrayLike) -> Array:
    checked = arguments.frame("poses", poses)
    _check_shape(model, checked)
    return checked


def _check_shape(model: MaximalModel, poses: Array) -> None:
    if poses.shape != (len(model.inertias), 4, 4):
        raise InvalidArgument("poses", f"shape {poses.shape}", f"shape ({len(model.inertias)}, 4, 4)")


def _baumgarte_target(model: MaximalModel, kinematics: JointKinematics, gamma: float, G: Matrix) -> Array:
    """Return the target of :func:`joint_velocity_constraints`."""
    errors = kinematics.constraint_error()
    if not len(errors):
        return errors
    displacement_rows: Array = G @ stabilization.least_norm_correction(
        G, model.free_system.sparse_inverse_mass_matrix @ G.T, errors
    )
    return gamma * displacement_rows
