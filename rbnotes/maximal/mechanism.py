"""Mechanisms: bodies with six coordinates each, held together by joints (Sueda 1.8, 1.10).

The state is the poses ``E (n, 4, 4)`` and twists ``phi (n, 6)`` of all bodies. Joints push with G^T times
multipliers: forces where accelerations are sought, impulses where the twists after a step are.

Joints keep to velocities; that the poses stay together, too, is up to the integrator. A step moves along the
twist that the rows allow where it starts, and so leaves the joints by an amount of second order in h; what is
done about it is its *stabilisation*:

* ``"none"``;
* ``"baumgarte"``: the next twists take back a part of the error;
* ``"projection"``: the poses are moved back, by the smallest motion that does it, measured by the masses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments, inertia, se3
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.constraints import factor_kkt
from rbnotes.constraints.stabilization import NotProjected, least_correction
from rbnotes.constraints.stabilization import project_poses as project_onto_constraints
from rbnotes.maximal.body import BodyState, gyroscopic_wrench, kinetic_energy
from rbnotes.maximal.joints import Joint, joint_drifts, joint_errors, joint_matrix

STABILIZATIONS = ("none", "baumgarte", "projection")

PROJECTED = 1e-11
"""Joint errors up to this size, in rad and m, are none."""

DENSE = 50
"""Up to this number of bodies dense factors are the quicker ones."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies, the joints between them, and gravity.

    Raises
    ------
    InvalidArgument
        If an inertia is not positive definite, or a joint names a body that is not there.
    """

    bodies: Any
    """Spatial inertias ``(n, 6, 6)``, each about the origin of its body's frame."""
    joints: Sequence[Joint] = ()
    gravity: Any = (0.0, 0.0, -9.81)
    """``(3,)`` in the world, m/s^2."""

    def __post_init__(self) -> None:
        bodies = arguments.positive_definite("bodies", self.bodies, 6)
        if bodies.ndim != 3:
            raise InvalidArgument("bodies", f"shape {bodies.shape}", "shape (n, 6, 6)")
        gravity = arguments.vector("gravity", self.gravity)
        if gravity.shape != (3,):
            raise InvalidArgument("gravity", f"shape {gravity.shape}", "shape (3,)")
        for joint in self.joints:
            if joint.last >= len(bodies):
                got = f"a {joint.kind} joint between {joint.parent} and {joint.body}"
                raise InvalidArgument("joints", got, f"indices of {len(bodies)} bodies")
        for name, value in (("bodies", bodies), ("joints", tuple(self.joints)), ("gravity", gravity)):
            object.__setattr__(self, name, value)

    @cached_property
    def mass(self) -> sparse.csc_array:
        """Block-diagonal mass matrix ``(6 n, 6 n)``."""
        return sparse.csc_array(sparse.block_diag(list(self.bodies), format="csc"))

    @cached_property
    def inverse_mass(self) -> sparse.csc_array:
        """Its inverse, block by block."""
        return sparse.csc_array(sparse.block_diag(list(np.linalg.inv(self.bodies)), format="csc"))

    @cached_property
    def mass_properties(self) -> inertia.MassProperties:
        """Masses ``(n,)``, inertias about the centres of mass ``(n, 3, 3)``, and these ``(n, 3)``."""
        return inertia.from_spatial_inertia(self.bodies)

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        """Weights ``(n, 3)`` in the world, N, and the points ``(n, 3)`` of the bodies at which they act."""
        masses, _, centres = self.mass_properties
        return masses[:, None] * self.gravity, centres


class Motion(NamedTuple):
    """How a mechanism is accelerated."""

    phidot: Array
    """Rates of the body twists ``(n, 6)``."""
    multipliers: Array
    """Joint forces ``(m,)``, along the rows of :func:`~rbnotes.maximal.joint_matrix`, N m and N."""


class MechanismStep(NamedTuple):
    """The state after a step, and what the joints did during it."""

    state: BodyState
    impulses: Array
    """``(m,)``, along the rows of :func:`~rbnotes.maximal.joint_matrix` at the start, N m s and N s."""


Applied = Callable[[Array, Array], ArrayLike]
"""Body wrenches ``(n, 6)`` at the poses and twists of all bodies."""


def wrenches(mechanism: Mechanism, state: BodyState) -> Array:
    """Body wrenches ``(n, 6)`` of gravity and of the bodies' own motion (Sueda 1.6)."""
    poses, twists = _checked(mechanism, state)
    return _wrenches(mechanism, poses, twists)


def accelerations(mechanism: Mechanism, state: BodyState, applied: ArrayLike = 0.0) -> Motion:
    """Accelerations that keep the joints together, and the joint forces.

        [ M  -G^T ] [ dphi/dt     ]   [ wrenches   ]
        [ G   0   ] [ multipliers ] = [ -Gdot phi  ]

    Parameters
    ----------
    state
        Poses and twists that satisfy the joints.
    applied : (n, 6)
        Body wrenches besides gravity.
    """
    poses, twists = _checked(mechanism, state)
    force = _wrenches(mechanism, poses, twists) + _applied(mechanism, applied)
    M, G = _matrices(mechanism, poses)
    phidot, multipliers = factor_kkt(M, G).solve(
        force.ravel(), -joint_drifts(mechanism.joints, poses, twists)
    )
    return Motion(phidot.reshape(-1, 6), multipliers)


def mechanism_step(
    mechanism: Mechanism,
    state: BodyState,
    h: float,
    applied: ArrayLike = 0.0,
    *,
    stabilization: str = "projection",
    gain: float = 0.2,
) -> MechanismStep:
    """One step: new twists that the joints allow, then the poses with them (Sueda 1.8, eq. (1.73)).

        [ M  -G^T ] [ phi+     ]   [ M phi + h wrenches ]
        [ G   0   ] [ impulses ] = [ target             ]

    Parameters
    ----------
    h
        Step size, s.
    applied : (n, 6)
        Body wrenches besides gravity.
    stabilization : "projection", "baumgarte" or "none"
    gain
        Part of the error, up to 1, that a Baumgarte step takes back.
    """
    poses, twists = _checked(mechanism, state)
    h = float(arguments.positive("h", h))
    arguments.choice("stabilization", stabilization, STABILIZATIONS)
    gain = float(arguments.scalar("gain", gain, minimum=0.0, maximum=1.0))
    force = _wrenches(mechanism, poses, twists) + _applied(mechanism, applied)
    momentum = mechanism.mass @ twists.ravel() + h * force.ravel()
    M, G = _matrices(mechanism, poses)
    target: ArrayLike = 0.0
    if stabilization == "baumgarte":
        # Through the displacement, so that redundant rows never ask for different velocities.
        target = gain / h * (G @ _correction(mechanism, poses).ravel())
    velocities, impulses = factor_kkt(M, G).solve(momentum, target)
    new_twists = velocities.reshape(-1, 6)
    new_poses: Array = poses @ se3.exp(h * new_twists)
    if stabilization == "projection":
        new_poses = project_poses(mechanism, new_poses)
    return MechanismStep(BodyState(new_poses, new_twists), impulses)


def runge_kutta_mechanism_step(
    mechanism: Mechanism, state: BodyState, h: float, applied: Applied = lambda poses, twists: 0.0
) -> BodyState:
    """Fourth-order step with :func:`accelerations`: the reference for the others.

    It leaves the joints by an amount of fifth order; :func:`project` brings poses and twists back.
    """
    poses, twists = _checked(mechanism, state)
    h = float(arguments.positive("h", h))

    def rates(change: Array) -> Array:
        xi, phi = change
        at = poses @ se3.exp(xi)
        phidot = accelerations(mechanism, BodyState(at, phi), applied(at, phi)).phidot
        return np.stack([np.einsum("nij,nj->ni", se3.right_jacobian_inverse(xi), phi), phidot])

    start = np.stack([np.zeros_like(twists), twists])
    k1 = rates(start)
    k2 = rates(start + h / 2 * k1)
    k3 = rates(start + h / 2 * k2)
    k4 = rates(start + h * k3)
    xi, phi = start + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return BodyState(poses @ se3.exp(xi), phi)


def project(mechanism: Mechanism, state: BodyState) -> BodyState:
    """The nearest poses at which the joints are together, and the nearest twists there that they allow.

    Raises
    ------
    SingularConfiguration
        If the joints cannot be brought together from these poses.
    """
    _, twists = _checked(mechanism, state)
    poses = project_poses(mechanism, state.E)
    M, G = _matrices(mechanism, poses)
    velocities, _ = factor_kkt(M, G).solve(mechanism.mass @ twists.ravel())
    return BodyState(poses, velocities.reshape(-1, 6))


def project_poses(mechanism: Mechanism, poses: ArrayLike, *, iterations: int = 30) -> Array:
    """Poses ``(n, 4, 4)`` at which the joints are together, near the given ones.

    By :func:`rbnotes.constraints.stabilization.project_poses`: each displacement is the smallest by the norm
    that M makes of twists.

    Raises
    ------
    SingularConfiguration
        If the joints are still apart after so many iterations.
    """
    poses = _poses(mechanism, poses)
    joints = mechanism.joints
    if not joints:
        return poses
    try:
        return project_onto_constraints(
            poses,
            mechanism.bodies,
            lambda at: joint_errors(joints, at),
            lambda at: joint_matrix(joints, at),
            tolerance=PROJECTED,
            limit=iterations,
        ).positions
    except NotProjected as error:
        raise SingularConfiguration(
            "poses",
            f"joints that are still {error.residual:.3g} apart",
            "poses from which they can be brought together",
        ) from error


def mechanical_energy(mechanism: Mechanism, state: BodyState) -> float:
    """Kinetic energy and the potential of gravity, zero with all centres of mass at the world's origin, J."""
    poses, twists = _checked(mechanism, state)
    weights, centres = mechanism.weights
    potential = -np.sum(weights * se3.transform_points(poses, centres))
    return float(np.sum(kinetic_energy(mechanism.bodies, twists)) + potential)


def _wrenches(mechanism: Mechanism, poses: Array, twists: Array) -> Array:
    weights, centres = mechanism.weights
    return gyroscopic_wrench(mechanism.bodies, twists) + se3.point_wrench(poses, centres, weights)


def _matrices(mechanism: Mechanism, poses: Array) -> tuple[Any, Any]:
    M, G = mechanism.mass, joint_matrix(mechanism.joints, poses)
    return (M, G) if len(poses) > DENSE else (M.toarray(), G.toarray())


def _correction(mechanism: Mechanism, poses: Array) -> Array:
    """Smallest displacement ``(n, 6)``, as body twists, that takes back the errors of the joints."""
    if not mechanism.joints:
        return np.zeros((len(poses), 6))
    G = joint_matrix(mechanism.joints, poses)
    errors = joint_errors(mechanism.joints, poses)
    return least_correction(G, mechanism.inverse_mass @ G.T, errors).reshape(-1, 6)


def _applied(mechanism: Mechanism, applied: ArrayLike) -> Array:
    checked = arguments.array("applied", applied)
    shape = (len(mechanism.bodies), 6)
    if checked.shape not in ((), shape) or (checked.ndim == 0 and checked != 0):
        raise InvalidArgument("applied", f"shape {checked.shape}", f"shape {shape}, or 0")
    return np.broadcast_to(checked, shape)


def _poses(mechanism: Mechanism, poses: ArrayLike) -> Array:
    checked = arguments.frame("poses", poses)
    if checked.shape != (len(mechanism.bodies), 4, 4):
        raise InvalidArgument("poses", f"shape {checked.shape}", f"shape ({len(mechanism.bodies)}, 4, 4)")
    return checked


def _checked(mechanism: Mechanism, state: BodyState) -> tuple[Array, Array]:
    poses, twists = _poses(mechanism, state.E), arguments.twist("twists", state.phi)
    if twists.shape != (len(poses), 6):
        raise InvalidArgument("twists", f"shape {twists.shape}", f"shape ({len(poses)}, 6)")
    return poses, twists
