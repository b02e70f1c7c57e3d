"""Equations of motion of a model in the velocities of its state, from those of its tree.

    M(state) dv/dt = f(state)

A model of free bodies and particles has a block-diagonal mass matrix and needs no tree. The functions of this
module are for models with joints; :class:`~rbnotes.multibody.Model` selects between the two.

The derivatives of trees (Sueda 2.7) are with respect to coordinates. The joint of each free body is therefore
moved to the present pose, where its coordinates, the position p and the rotation vector r, are zero. Near it,
with the angular velocity w, the velocity v, and their rates alpha and a, the rates of the coordinates are

    rdot = w + [r] w / 2,                            pdot = v + [r] v,
    rddot = alpha + [r] alpha / 2 - [w] [r] w / 6,   pddot = (1 + [r]) (a + w x v),

and generalized forces m and f give the moment ``m - [r] m / 2`` and the force ``f - [r] f`` in body axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.dynamics import ForceLaw, Forces, State
from rbnotes.multibody.reduced.constrained_dynamics import constrained_acceleration
from rbnotes.multibody.reduced.dynamics import kinetic_energy as tree_kinetic_energy
from rbnotes.multibody.reduced.dynamics import potential_energy as tree_potential_energy
from rbnotes.multibody.reduced.dynamics import rotor_energy_from_rates
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import so3
from rbnotes.unchecked.frozen import replace_unchecked

if TYPE_CHECKING:
    from rbnotes.multibody.model import Model


class VelocityMap(NamedTuple):
    """Map from the velocities of particles and a model's tree to those of its state: ``v = B qdot``.

    Attributes
    ----------
    B
        Matrix ``(N, N)``, regular.
    bias_acceleration
        ``Bdot qdot (N,)``, so that ``dv/dt = B qddot + bias_acceleration``.
    """

    B: Array
    bias_acceleration: Array


def velocity_map(model: Model, tree_state: State) -> VelocityMap:
    """Return the map from the velocities of particles and :attr:`Model.tree` to those of the state.

    Parameters
    ----------
    tree_state
        Valid state of the tree and the particles.
    """
    tree, q, qdot = model.tree, tree_state.q, tree_state.qdot
    particles = tree_state.v.size
    size = particles + tree.num_coordinates
    B = np.zeros((size, size))
    bias = np.zeros(size)
    row = 0
    for index in model.free_body_indices:
        own, joint = tree.coordinate_slices[index], tree.links[index].joint
        B[row : row + 6, particles + own.start : particles + own.stop] = joint.compute_motion_subspace(q[own])
        bias[row : row + 6] = joint.compute_motion_subspace_rate(q[own], qdot[own]) @ qdot[own]
        row += 6
    others = np.concatenate([np.arange(particles), particles + model.joint_indices])
    B[row + np.arange(len(others)), others] = 1.0
    return VelocityMap(B, bias)


def mass_matrix(model: Model, state: State) -> Matrix:
    """Return the mass matrix ``(N, N)`` at a valid state; without joints it is sparse if it is large."""
    if model.free_system is not None:
        return model.free_system.mass_matrix(state)
    tree_state = model.tree_state(state)
    inverse = np.linalg.inv(velocity_map(model, tree_state).B)
    M: Array = inverse.T @ model.tree.mass_matrix(tree_state) @ inverse
    return (M + M.T) / 2


def force(model: Model, state: State) -> Array:
    """Return all forces except those of constraints ``(N,)`` at a valid state."""
    if model.free_system is not None:
        return model.free_system.force(state)
    tree_state = model.tree_state(state)
    B, bias_acceleration = velocity_map(model, tree_state)
    M = model.tree.mass_matrix(tree_state)
    tree_force = model.tree.force(tree_state) + M @ np.linalg.solve(B, bias_acceleration)
    result: Array = np.linalg.solve(B.T, tree_force)
    return result


def acceleration(model: Model, state: State, tau: ArrayLike) -> Array:
    """Return the accelerations ``(N,)`` under all forces and equality constraints at a valid state.

    Raises InvalidArgument if ``tau`` does not fit the state.
    """
    tau, free_system = check_tau(tau, state.size), model.free_system
    if free_system is not None and all(each.unilateral for each in model.constraints):
        return np.asarray(free_system.sparse_inverse_mass_matrix @ (free_system.force(state) + tau))
    tree_state = model.tree_state(state)
    B, bias_acceleration = velocity_map(model, tree_state)
    result: Array = B @ constrained_tree_acceleration(model, tree_state, B, tau)[0] + bias_acceleration
    return result


def check_tau(tau: ArrayLike, size: int) -> Array:
    """Return further forces ``(N,)`` from a number or one for each velocity.

    Raises
    ------
    InvalidArgument
        If ``tau`` has another shape.
    """
    tau = arguments.array("tau", tau)
    if tau.shape not in ((), (size,)):
        raise InvalidArgument("tau", f"shape {tau.shape}", f"a number or shape ({size},)")
    return np.broadcast_to(tau, size)


def constrained_tree_acceleration(
    model: Model, tree_state: State, B: Array, tau: ArrayLike
) -> tuple[Array, Array]:
    """Return the accelerations ``(k,)`` of the tree in :func:`forward_dynamics` and the multipliers ``(m,)``.

    The multipliers are those of the joints' own coordinates, then those of the equality constraints.

    Parameters
    ----------
    tree_state, B
        State of the tree, and the matrix of :func:`velocity_map` there.

    Raises
    ------
    InvalidArgument
        If ``tau`` does not fit the state.
    SingularConfiguration
        If a joint is in a singular state.
    """
    particles = tree_state.v.size
    tree_tau = B.T @ check_tau(tau, len(B))
    no_derivative = np.zeros((len(B) - particles, len(B) - particles))

    def joint_forces(state: State) -> Forces:
        return Forces(tree_tau[particles:], no_derivative, no_derivative)

    tree = model.tree._with_joint_forces(joint_forces)
    if particles:
        tree = replace_unchecked(tree, applied_forces=_add_particle_forces(model, tree_tau[:particles]))
    equations = [each for each in model.constraints if not each.unilateral]
    return constrained_acceleration(tree, equations, tree_state)


def _add_particle_forces(model: Model, particle_force: Array) -> ForceLaw:
    """Return the forces of a model with constant ones ``(3 p,)`` on its particles."""

    def law(state: State) -> Forces:
        f, K, D = arguments.call_user_function("forces", model.force_law, state)
        return Forces(f + np.append(np.zeros(state.phi.size), particle_force), K, D)

    return law


def kinetic_energy(model: Model, state: State) -> float:
    """Return the kinetic energy at a valid state, J."""
    if model.free_system is not None:
        return model.free_system.kinetic_energy(state)
    tree_state = model.tree_state(state)
    rotor_energy = rotor_energy_from_rates(model.tree.armature, tree_state.qdot)
    particle_energy = np.sum(model.particles[:, None] * state.v**2) / 2
    bodies = tree_kinetic_energy(model.tree, tree_state.q, tree_state.qdot)
    return float(bodies + rotor_energy + particle_energy)


def potential_energy(model: Model, state: State) -> float:
    """Return the potential energy of gravity, joint springs and forces at a valid state, J."""
    if model.free_system is not None:
        stored = model.free_system.gravity_energy(state)
    else:
        particle_energy = -np.sum(model.particles[:, None] * model.gravity * state.x)
        stored = float(tree_potential_energy(model.tree, model.tree_state(state).q) + particle_energy)
    force_energy = getattr(model.force_law, "energy", None)
    if force_energy is None:
        return stored
    return stored + float(force_energy(model.body_state(state)))


class CenteredTree(NamedTuple):
    """Tree of a model whose free bodies have zero coordinates at the present state.

    Attributes
    ----------
    tree
        Tree and particles under all forces.
    state
        Coordinates and velocities of the tree, and the particles.
    tree_from_model
        Permutation ``(N, N)`` from the velocities of the model to those of particles and tree.
    """

    tree: Tree
    state: State
    tree_from_model: Array


def centered_tree(model: Model, state: State) -> CenteredTree:
    """Return the tree of a model with the joints of free bodies at their present poses, for a valid state."""
    tree = model.tree
    links = list(tree.links)
    particles = state.v.size
    tree_from_model: Array = np.zeros((state.size, state.size))
    q, qdot = np.zeros(tree.num_coordinates), np.zeros(tree.num_coordinates)
    for number, index in enumerate(model.free_body_indices):
        links[index] = replace_unchecked(links[index], placement=state.E[number])
        own, column = tree.coordinate_slices[index], 6 * number
        # The coordinates are position, then rotation vector; twists have the angular part first.
        order = np.r_[3:6, 0:3]
        tree_from_model[particles + np.arange(own.start, own.stop), column + order] = 1.0
        qdot[own] = state.phi[number][order]
    others = np.concatenate([np.arange(particles), particles + model.joint_indices])
    tree_from_model[others, state.phi.size + np.arange(len(others))] = 1.0
    q[model.joint_indices], qdot[model.joint_indices] = state.q, state.qdot
    tree_state = replace_unchecked(state, E=state.E[:0], phi=state.phi[:0], q=q, qdot=qdot)
    return CenteredTree(replace_unchecked(tree, links=tuple(links)), tree_state, tree_from_model)


def linearized_residual(model: Model, state: State, acceleration: Array) -> Forces:
    """Return ``f - M acceleration (N,)`` with K along increments and D along velocities, at a valid state."""
    if model.free_system is not None:
        return model.free_system.linearized_residual(state, acceleration)
    tree, tree_state, P = centered_tree(model, state)
    velocity_by_x: Array = np.zeros((state.size, state.size))
    acceleration_by_x, acceleration_by_v = np.zeros_like(velocity_by_x), np.zeros_like(velocity_by_x)
    tree_acceleration = acceleration.copy()
    for number, twist in enumerate(state.phi):
        w, v = slice(6 * number, 6 * number + 3), slice(6 * number + 3, 6 * number + 6)
        W, V = so3.hat(twist[:3]), so3.hat(twist[3:])
        tree_acceleration[v] += W @ twist[3:]
        velocity_by_x[w, w], velocity_by_x[v, w] = -W / 2, -V
        acceleration_by_x[w, w] = -so3.hat(acceleration[w]) / 2 + W @ W / 6
        acceleration_by_x[v, w] = -so3.hat(tree_acceleration[v])
        acceleration_by_v[v, w], acceleration_by_v[v, v] = -V, W
    f, K, D = tree.linearized_residual(tree_state, P @ tree_acceleration)
    M = P.T @ tree.mass_matrix(tree_state) @ P
    f, K, D = P.T @ f, P.T @ K @ P, P.T @ D @ P
    K = K + D @ velocity_by_x - M @ acceleration_by_x
    for number in range(len(state.E)):
        w, v = slice(6 * number, 6 * number + 3), slice(6 * number + 3, 6 * number + 6)
        K[w, w] += so3.hat(f[w]) / 2
        K[v, w] += so3.hat(f[v])
    return Forces(f, K, D - M @ acceleration_by_v)
