"""Residuals of Coulomb's law: violation of each of its conditions by impulses and velocities.

At a contact with normal impulse a, friction impulse b, separation speed u and sliding velocity s:

* unilateral contact: ``a >= 0``, ``u >= 0``, and ``a u = 0``;
* friction cone: ``|b| <= mu a``;
* maximum dissipation: ``b . s = -mu a |s|``.

The conditions are one equation: a step of the impulses against the velocities, projected on ``a >= 0`` and
on the disc of radius ``mu a``, leaves the impulses unchanged. :func:`natural_residual` is the change that it
makes, as a velocity relative to those of the data: a large mu or large impulses do not make it small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.bounded_friction import project_on_section
from rbnotes.friction.contact_problem import DelassusProblem, friction_contact_problem
from rbnotes.friction.facets import facet_directions


class CoulombResiduals(NamedTuple):
    """Largest violation of each law over all contacts; all are zero for an exact solution.

    Attributes
    ----------
    approach_velocity
        Approach velocity beyond the target, m/s.
    tensile_impulse
        Tensile part of the normal impulse, N s.
    complementarity
        Minimum of the normal impulse and the separation velocity times the effective mass, N s.
    cone_violation
        Friction impulse beyond mu times the normal impulse in the norm of the section, N s.
    dissipation_deficit
        Dissipation that the cone allows minus the actual one, ``mu a |s| + b . s`` for the round cone, N m/s;
        negative if friction is outside the cone.
    natural_residual
        Dimensionless :func:`natural_residual`, which combines all laws.
    """

    approach_velocity: float
    tensile_impulse: float
    complementarity: float
    cone_violation: float
    dissipation_deficit: float
    natural_residual: float


def project_on_cone(impulses: ArrayLike, mu: ArrayLike) -> Array:
    """Return the nearest points ``(..., 3)`` of the friction cones ``|b| <= mu a`` to ``(a, b) (..., 3)``.

    Points of the cone stay; points of the polar cone, ``mu |b| <= -a``, go to the apex; the others to the
    nearest point of the cone's surface.

    Raises
    ------
    InvalidArgument
        If ``mu`` is negative or the shape of ``impulses`` does not fit.
    """
    impulses = arguments.array("impulses", impulses, 3)
    mu = arguments.real_array("mu", mu, minimum=0.0)
    arguments.common_shape(impulses=impulses.shape[:-1], mu=mu.shape)
    return project_on_cone_unchecked(impulses, mu)


def natural_residual(
    problem: StepProblem, impulses: ArrayLike, velocities: ArrayLike, *, cone: str = "disc"
) -> float:
    """Return the largest violation of the laws of contact and friction, relative to the free velocities.

    Each impulse takes a step against the velocity of its contact, with the mean effective mass of the
    contact, and is projected on the law: normal impulses on ``a >= 0``, friction on its section for ``mu a``.
    The result is the largest velocity that such a change of impulse gives its contact, divided by the
    largest velocity without contact impulses.

    Parameters
    ----------
    problem
        Step problem with contacts.
    impulses, velocities : (c, 3)
        Normal and tangential components, N s and m/s; normal velocities above their targets.
    cone : {"disc", "box"}
        Section of friction: a disc of radius ``mu a``, Coulomb's law; or a square, each component within
        ``mu a``.

    Returns
    -------
    float
        Dimensionless residual; zero for an exact solution.

    Raises
    ------
    InvalidArgument
        If ``cone`` is not one of the names or the shape of ``impulses`` or ``velocities`` does not fit.
    """
    arguments.require_instance("problem", problem, StepProblem)
    arguments.choice("cone", cone, ("disc", "box"))
    contact_problem = friction_contact_problem(problem)
    r = arguments.with_ndim("impulses", arguments.array("impulses", impulses, contact_problem.count, 3), 2)
    u = arguments.with_ndim(
        "velocities", arguments.array("velocities", velocities, contact_problem.count, 3), 2
    )
    return natural_residual_unchecked(contact_problem, r, u, cone)


def coulomb_residuals(
    problem: StepProblem, solution: StepSolution, *, cone: str = "disc", facets: int = 4
) -> CoulombResiduals:
    """Return the violation of each law by a solution of any friction model.

    Parameters
    ----------
    cone : {"disc", "box", "pyramid"}
        Section of the cone in which friction is measured: the disc for Coulomb's law. A model satisfies the
        law of its own cone.
    facets : int
        Number of edges of the pyramid.

    Raises
    ------
    InvalidArgument
        If ``cone`` is not one of the names or ``facets`` is odd or below 4.
    """
    arguments.require_instance("problem", problem, StepProblem)
    arguments.require_instance("solution", solution, StepSolution)
    arguments.choice("cone", cone, ("disc", "box", "pyramid"))
    directions = facet_directions(facets)
    contact_problem = friction_contact_problem(problem)
    if contact_problem.count == 0:
        return CoulombResiduals(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    u, r, mu = (
        contact_problem.velocities_from_solution(solution),
        contact_problem.impulses_from_solution(solution),
        contact_problem.mu,
    )
    a, b = r[:, 0], r[:, 1:]
    # Friction in the norm of the section, sliding in the dual norm.
    if cone == "disc":
        sliding, friction = np.linalg.norm(u[:, 1:], axis=1), np.linalg.norm(b, axis=1)
    elif cone == "box":
        sliding, friction = np.abs(u[:, 1:]).sum(axis=1), np.abs(b).max(axis=1)
    else:
        edge_midpoints = directions + np.roll(directions, -1, axis=0)
        outward = (
            2 * edge_midpoints / np.sum(edge_midpoints**2, axis=1)[:, None]
        )  # one for each side of the polygon
        sliding, friction = (u[:, 1:] @ directions.T).max(axis=1), (b @ outward.T).max(axis=1)
    effective_mass = _effective_masses(contact_problem.diagonal_blocks[:, 0, 0])
    dissipation_deficits = mu * a * sliding + np.sum(b * u[:, 1:], axis=1)
    # Contacts that must stick dissipate nothing; their sliding is part of the natural residual.
    dissipation_deficits[np.isinf(contact_problem.contacts.mu)] = 0.0
    return CoulombResiduals(
        approach_velocity=float(np.maximum(-u[:, 0], 0.0).max()),
        tensile_impulse=float(np.maximum(-a, 0.0).max()),
        complementarity=float(np.minimum(np.abs(a), np.abs(effective_mass * u[:, 0])).max()),
        cone_violation=float(np.maximum(friction - mu * a, 0.0).max()),
        dissipation_deficit=float(dissipation_deficits[np.argmax(np.abs(dissipation_deficits))]),
        natural_residual=natural_residual_unchecked(contact_problem, r, u),
    )


def natural_residual_unchecked(
    contact_problem: DelassusProblem,
    impulses: Array,
    velocities: Array,
    cone: str = "disc",
    facets: int = 4,
) -> float:
    """Return the :func:`natural_residual` of a contact problem, without checks."""
    if contact_problem.count == 0:
        return 0.0
    mobility, effective_mass = contact_problem.mobility, _effective_masses(contact_problem.mobility)
    stepped_impulses = impulses - effective_mass[:, None] * velocities
    projected = project_on_admissible_impulses(
        stepped_impulses, friction_bounds(contact_problem.mu, impulses[:, 0]), cone, facets
    )
    change = mobility[:, None] * np.abs(impulses - projected)
    # No impulse moves a contact without mobility: it must not approach.
    change[:, 0] = np.where(mobility > 0, change[:, 0], np.maximum(-velocities[:, 0], 0.0))
    velocity_scale = float(np.abs(contact_problem.free_contact_velocities).max())
    if velocity_scale == 0:
        velocity_scale = float((mobility[:, None] * np.abs(impulses)).max())
    return float(change.max()) / velocity_scale if velocity_scale > 0 else float(change.max())


def rounding_residual(contact_problem: DelassusProblem, impulses: Array) -> float:
    """Return the bound on the rounding of the contact velocities, relative to the free velocities.

    Impulses that are so large that the velocities they make are only rounding satisfy no law.
    """
    if contact_problem.count == 0:
        return 0.0
    terms = np.abs(contact_problem.delassus_matrix) @ np.abs(impulses).ravel()
    velocity_scale = float(np.abs(contact_problem.free_contact_velocities).max())
    return float(np.finfo(float).eps * terms.max()) / velocity_scale if velocity_scale > 0 else 0.0


def friction_bounds(mu: Array, normal_impulses: Array) -> Array:
    """Return the largest friction impulses ``mu a (c,)``; zero without a positive normal impulse."""
    bounds = np.zeros(len(normal_impulses))
    is_positive = normal_impulses > 0
    bounds[is_positive] = mu[is_positive] * normal_impulses[is_positive]
    return bounds


def project_on_admissible_impulses(
    impulses: Array, bounds: Array, cone: str = "disc", facets: int = 4
) -> Array:
    """Project impulses ``(c, 3)`` on nonnegative normal parts and friction within the bounds ``(c,)``."""
    normal = np.maximum(impulses[:, 0], 0.0)
    friction = project_on_section(impulses[:, 1:], bounds, cone, facets)
    return np.concatenate([normal[:, None], friction], axis=1)


def _effective_masses(mobility: Array) -> Array:
    """Return the effective masses, zero for contacts that no impulse can move."""
    return np.divide(1.0, mobility, out=np.zeros_like(mobility), where=mobility > 0)


def project_on_cone_unchecked(impulses: Array, mu: Array) -> Array:
    """Return :func:`project_on_cone` without checks."""
    a, b = impulses[..., 0], impulses[..., 1:]
    size = np.linalg.norm(b, axis=-1)
    half_angle = np.arctan(mu)
    cos, sin = np.cos(half_angle), np.sin(half_angle)
    along_edge = a * cos + size * sin
    inside, polar = (size * cos <= a * sin) & (a >= 0), size * sin <= -a * cos
    normal_projection = np.where(inside, a, np.where(polar, 0.0, along_edge * cos))
    radius = np.where(inside, size, np.where(polar, 0.0, along_edge * sin))
    direction = np.divide(b, size[..., None], out=np.zeros_like(b), where=size[..., None] > 0)
    return np.concatenate([normal_projection[..., None], radius[..., None] * direction], axis=-1)
