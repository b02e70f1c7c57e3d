"""Particles as bodies, which :func:`~rbnotes.multibody.simulate` steps in their place.

A body that does not rotate and has all its forces at its center of mass moves as a particle, in either
coordinates: without a moment it does not start to rotate, whatever its moments of inertia are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from scipy import sparse

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import ForceLaw, Forces, State, States, zero_forces
from rbnotes.dynamics.free_system import FreeSystem
from rbnotes.inertia import spatial_inertia
from rbnotes.multibody.body import Body
from rbnotes.multibody.channels import particle_name
from rbnotes.multibody.coordinate_conversion import TreeCoordinates
from rbnotes.multibody.model import NAMED_CONSTRAINTS, Model
from rbnotes.multibody.reduced.constraint_protocol import Constraint, ConstraintRows
from rbnotes.multibody.reduced.constraints import AttachedParticle, LoopClosure
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.multibody.trajectory import Trajectory
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import replace_unchecked
from rbnotes.unchecked.linear_algebra import matvec

StateOrStates = TypeVar("StateOrStates", State, States)


def particles_as_bodies(model: Model) -> Model:
    """Return the model with a free body for each particle, after its own bodies.

    The bodies have no shapes, and moments of inertia that have no effect.

    Raises
    ------
    InvalidArgument
        If a constraint attaches a particle that the model does not have.
    """
    if not len(model.particles):
        return model
    bodies = [
        Body(particle_name(number), inertia=spatial_inertia(mass, mass * np.eye(3)))
        for number, mass in enumerate(model.particles)
    ]
    return replace(
        model,
        bodies=(*model.bodies, *bodies),
        particles=(),
        forces=_force_law(model),
        constraints=[_constraint(model, each) for each in model.constraints],
    )


def particles_to_bodies(state: State) -> State:
    """Return a state whose particles are the last bodies, which do not rotate."""
    count = len(state.x)
    if not count:
        return state
    twists = np.concatenate([np.zeros((count, 3)), state.v], axis=1)
    return replace_unchecked(
        state,
        E=np.concatenate([state.E, se3.frame(np.broadcast_to(np.eye(3), (count, 3, 3)), state.x)]),
        phi=np.concatenate([state.phi, twists]),
        x=state.x[:0],
        v=state.v[:0],
    )


def bodies_to_particles(state: StateOrStates, count: int) -> StateOrStates:
    """Return a state, or states, whose last bodies are particles."""
    num_bodies = state.E.shape[-3] - count
    E, phi = state.E[..., num_bodies:, :, :], state.phi[..., num_bodies:, :]
    return replace_unchecked(
        state,
        E=state.E[..., :num_bodies, :, :],
        phi=state.phi[..., :num_bodies, :],
        x=E[..., :3, 3],
        v=matvec(E[..., :3, :3], phi[..., 3:]),
    )


def particle_trajectory(model: Model, motion: Trajectory) -> Trajectory:
    """Return the trajectory of a model from that of its equivalent, in which its particles are bodies."""
    count, size = len(model.particles), model.tree.num_coordinates
    return replace(
        motion,
        model=model,
        body_states=bodies_to_particles(motion.body_states, count),
        coordinates=None if motion.coordinates is None else _first_columns(motion.coordinates, size),
        actuator_impulses=motion.actuator_impulses[:, :size],
        friction_impulses=motion.friction_impulses[:, :size],
        events=tuple(bodies_to_particles(each, count) for each in motion.events),
        with_particles_as_bodies=motion,
    )


def _first_columns(coordinates: TreeCoordinates, count: int) -> TreeCoordinates:
    return TreeCoordinates(coordinates.q[:, :count], coordinates.qdot[:, :count])


def _force_law(model: Model) -> ForceLaw:
    """Return the forces of a model as functions of the state in which its particles are bodies.

    Its derivatives leave out those with respect to rotations of particles.
    """
    if model.force_law is zero_forces:
        return zero_forces
    count, size = len(model.particles), 6 * len(model.bodies)
    system = FreeSystem(
        model.tree.inertias, model.particles, np.asarray(model.gravity), model.force_law, "forces"
    )

    def law(state: State) -> Forces:
        f, K, D = system.linearized_applied_forces(bodies_to_particles(state, count))
        velocities = np.zeros((count, 3, 6))
        velocities[:, :, 3:] = state.E[-count:, :3, :3]
        J = sparse.block_diag([sparse.eye_array(size), *velocities], format="csr")
        return Forces(J.T @ f, J.T @ K @ J, J.T @ D @ J)

    return law


def _constraint(model: Model, constraint: Constraint) -> Constraint:
    """Return a constraint on the bodies that stand for particles."""
    if not isinstance(constraint, NAMED_CONSTRAINTS):
        return UserDefinedConstraint(constraint, model.tree, len(model.particles))
    if not isinstance(constraint, AttachedParticle):
        return constraint
    if constraint.particle >= len(model.particles):
        got = f"an AttachedParticle with particle {constraint.particle}"
        raise InvalidArgument("constraints", got, f"an index below {len(model.particles)}")
    center: Array = np.zeros(3)
    return LoopClosure(particle_name(constraint.particle), center, constraint.link, constraint.x)


@dataclass(frozen=True, eq=False)
class UserDefinedConstraint:
    """User-defined constraint of a model with particles, on the tree in which these are bodies.

    Attributes
    ----------
    user_constraint
        Constraint on the tree and the particles of the model.
    tree
        Tree of the model, without the bodies that stand for particles.
    num_particles
        Number of the particles.
    """

    user_constraint: Constraint
    tree: Tree
    num_particles: int

    @property
    def unilateral(self) -> bool:
        """True for an inequality."""
        return self.user_constraint.unilateral

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the rows at a state, with biases for the time t.

        The first three coordinates of the joint of a particle are its position.
        """
        size, count = self.tree.num_coordinates, self.num_particles
        (q, x), (qdot, v) = (np.split(each, [size]) for each in (state.q, state.qdot))
        x, v = (each.reshape(count, 6)[:, :3] for each in (x, v))
        own_state = replace_unchecked(state, q=q, qdot=qdot, x=x, v=v)
        G, error, bias_velocity, bias_acceleration = self.user_constraint.rows(self.tree, own_state, t)
        particle_rows = np.zeros((len(G), count, 6))
        particle_rows[:, :, :3] = G[:, : 3 * count].reshape(-1, count, 3)
        rows = np.concatenate([G[:, 3 * count :], particle_rows.reshape(-1, 6 * count)], axis=1)
        return ConstraintRows(rows, error, bias_velocity, bias_acceleration)
