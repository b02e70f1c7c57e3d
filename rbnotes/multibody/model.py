"""Model of a scene: bodies with joints and shapes, the ground, gravity, forces and constraints.

A :class:`Body` without a parent and a joint moves freely. Other bodies form trees: each is carried by a joint
in the frame of its parent or of the world (Sueda 2.1). The frames are those of
:class:`~rbnotes.multibody.reduced.Link`:

    joint pose = parent's joint pose * joint_frame * Q(q),      body pose = joint pose * body_frame.

The state of a model has the pose E and the twist phi of each free body, the position x and the velocity v of
each particle, and the coordinates q and velocities qdot of all joints.

:func:`~rbnotes.multibody.simulate` computes the motion with contacts, limits and friction. A model is also a
:class:`~rbnotes.dynamics.MechanicalSystem`: the schemes of :mod:`rbnotes.dynamics` step it under gravity, the
springs and dampers of its joints, and its forces.

>>> from rbnotes.multibody import Body, Model, simulate
>>> from rbnotes.shapes import Plane, Sphere
>>> ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.6])
>>> model = Model([ball], ground=Plane(), restitution=0.8)
>>> motion = simulate(model, h=0.002, duration=1.0)
>>> float(motion.poses("ball")[:, 2, 3].min().round(2))
0.1
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, BoolArray, IntArray, InvalidArgument, Matrix
from rbnotes.contact import Collider
from rbnotes.contact.detection import friction_coefficient
from rbnotes.dynamics import GRAVITY, WORLD, ForceLaw, Forces, State, zero_forces
from rbnotes.dynamics.free_system import FreeSystem
from rbnotes.dynamics.mechanical_system import StateRetraction
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.forces import ForceGroups
from rbnotes.forces.assembly import ForceGroup
from rbnotes.friction import Bearing
from rbnotes.multibody import model_equations
from rbnotes.multibody.actuators import (
    Actuator,
    ActuatorGains,
    Motor,
    PositionServo,
    VelocityServo,
    actuator_gains,
    no_joint_error,
)
from rbnotes.multibody.body import FREE_JOINT, Body, Geometry, ground_geometries
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.multibody.reduced.constraint_stacking import check_constraints
from rbnotes.multibody.reduced.constraints import (
    AttachedParticle,
    Gear,
    JointLimit,
    LoopClosure,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    RotationLimit,
)
from rbnotes.multibody.reduced.kinematics import body_poses_and_twists
from rbnotes.multibody.reduced.loop_joint import LoopConstraint, LoopJoint
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.shapes import Shape
from rbnotes.unchecked.frozen import make_read_only, replace_unchecked, set_fields
from rbnotes.unchecked.linear_algebra import matvec

NAMED_CONSTRAINTS = (
    AttachedParticle,
    Gear,
    JointLimit,
    LoopClosure,
    LoopJoint,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    RotationLimit,
)
"""Constraints on the bodies that the attributes `a`, `b` and `link` name."""
MAX_NAMES_IN_REPR = 6
"""Largest number of bodies that the representation of a model names."""


@dataclass(frozen=True, eq=False)
class Model(StateRetraction):
    """Bodies and particles, the ground, gravity, forces and constraints; a mechanical system.

    The mass matrix and the forces are in the order of ``state.velocity``. The forces contain gravity, joint
    springs and dampers, the forces of the model and the terms of the velocities. Contacts, limits, dry
    friction, bearings and actuators act in :func:`~rbnotes.multibody.simulate` only; equality constraints
    act there and on accelerations. The schemes of :mod:`rbnotes.dynamics` refuse a model with parts that they
    would leave out; :func:`~rbnotes.dynamics.constrained_step` accepts all except servos for the rows that it
    is given.

    Attributes
    ----------
    bodies
        Bodies in any order; stored with parents before their children.
    particles
        Masses of particles ``(p,)``, kg. Forces and :class:`~rbnotes.multibody.reduced.AttachedParticle` act
        on them by their index. They do not touch anything.
    ground
        Shapes that are fixed to the world: one at the origin, such as ``Plane()``, or several.
    mu
        Friction coefficient, dimensionless, where a body or geometry has none; that of a pair is the
        geometric mean. Contacts with an infinite one stick while they push.
    restitution
        Coefficient of restitution, dimensionless, 0 to 1, where a body or geometry has none; combined as
        ``mu``.
    gravity
        Gravity ``(3,)`` in the world, m/s^2.
    forces
        Other forces: one of :mod:`rbnotes.forces` or several, with bodies by name, such as
        ``PathForces(LinearSpring(100.0), path_through(on_world(p), on_body("arm", r)))``; or a function of
        the state with the poses and twists of all bodies, in the order of :meth:`index`, and the particles.
    constraints
        Loop joints, loop closures, gears, prescribed joints and joint limits of
        :mod:`rbnotes.multibody.reduced`.
    bearings
        Bearings with friction, by the names of the bodies that the joints carry, or by loop closures among
        the constraints, not by loop joints: :func:`rbnotes.friction.journal_bearing`, ``prismatic_guide``, or
        others. Where joints constrain the same motion twice, the reactions that load the bearings are not
        unique.
    actuators
        Motors and servos on joints, at most one for each: :mod:`rbnotes.multibody.actuators`.
    excluded_pairs
        Names of bodies that do not touch each other; ``"world"`` for the ground. Bodies that a joint, a
        loop closure or loop joint connects never touch.
    ground_geometries
        Geometries of the ground.
    force_law
        The forces as a function of the state with the poses and twists of all bodies.
    tree
        Tree of all bodies, with a ``Free3D`` joint for each free body, and the particles, under the forces of
        the model and with the armature of the joints; derived from the bodies.
    actuator_gains
        Gains and limits of the actuators in the coordinates of the tree.

    Raises
    ------
    InvalidArgument
        If two bodies have one name, a parent is missing, bodies form a cycle, or another value does not fit.
    """

    bodies: Sequence[Body] = ()
    _: KW_ONLY
    particles: ArrayField = ()
    ground: Shape | Sequence[Geometry] = ()
    mu: float = 0.5
    restitution: float = 0.0
    gravity: ArrayField = GRAVITY
    forces: ForceLaw | ForceGroup | Sequence[ForceGroup] = zero_forces
    constraints: Sequence[Constraint] = ()
    bearings: Mapping[str | LoopClosure, Bearing] = field(default_factory=dict)
    actuators: Sequence[Actuator] = ()
    excluded_pairs: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        bodies = arguments.instances("bodies", self.bodies, Body)
        particles = arguments.with_ndim(
            "particles", arguments.positive_array("particles", self.particles, None), 1
        )
        if not len(bodies) + len(particles):
            raise InvalidArgument("bodies", "none", "one or more, or particles")
        try:
            tree = Tree([body.link for body in bodies], gravity=self.gravity)
        except InvalidArgument as error:
            name = error.name.replace("links", "bodies").replace("link ", "body ")
            raise InvalidArgument(
                name, error.got.replace("links", "bodies"), error.expected.replace("link", "body")
            ) from None
        by_name = {body.name: body for body in bodies}
        joint_names = [link.name for link in tree.links if not by_name[link.name].is_free]
        set_fields(
            self,
            bodies=tuple(by_name[link.name] for link in tree.links),
            particles=particles,
            gravity=tree.gravity,
            ground_geometries=ground_geometries(self.ground),
            mu=friction_coefficient("mu", self.mu),
            restitution=arguments.real_number("restitution", self.restitution, minimum=0, maximum=1),
            constraints=_check_constraints(self.constraints, by_name),
            bearings=_check_bearings(self.bearings, joint_names, self.constraints),
            actuators=arguments.instances("actuators", self.actuators, Motor, PositionServo, VelocityServo),
            excluded_pairs=_check_pairs(self.excluded_pairs, [*by_name, "world"]),
        )
        for body in self.bodies:
            if body.is_free and body.spatial_inertia is None:
                raise InvalidArgument(f"body {body.name!r}", "no mass", "a mass, density or inertia")
        force_law = _force_law(self.forces, tree.index)
        armature = make_read_only(np.concatenate([np.zeros(0), *(body.armature for body in self.bodies)]))
        set_fields(
            self,
            tree=replace_unchecked(tree, masses=particles, applied_forces=force_law, armature=armature),
            force_law=force_law,
            actuator_gains=actuator_gains(self.actuators, tree, joint_names),
        )

    def __repr__(self) -> str:
        names = [body.name for body in self.bodies[:MAX_NAMES_IN_REPR]]
        if len(self.bodies) > MAX_NAMES_IN_REPR:
            names.append("...")
        parts = ["1 body" if len(self.bodies) == 1 else f"{len(self.bodies)} bodies"] if names else []
        parts = [f"{each} ({', '.join(names)})" for each in parts]
        if count := len(self.particles):
            parts.append("1 particle" if count == 1 else f"{count} particles")
        return f"<Model: {', '.join(parts)}>"

    @classmethod
    def from_tree(cls, tree: Tree) -> Model:
        """Return the model whose bodies are the links of a tree, with the same states.

        Parameters
        ----------
        tree
            Tree, whose gravity, particles, forces and armature the model has. Links on a ``Free3D`` joint
            keep their coordinates ``q``; they are not free bodies.

        Raises
        ------
        InvalidArgument
            If the tree has joint forces that are not those of springs and dampers.
        """
        arguments.require_instance("tree", tree, Tree)
        if tree.applied_joint_forces is not None:
            raise InvalidArgument(
                "tree: applied_joint_forces", "a function", "None; pass `control` to simulate"
            )
        bodies = [
            Body.from_link(link, armature=tree.armature[own])
            for link, own in zip(tree.links, tree.coordinate_slices, strict=True)
        ]
        return cls(bodies, particles=tree.masses, gravity=tree.gravity, forces=tree.applied_forces)

    ground_geometries: tuple[Geometry, ...] = field(init=False, repr=False)
    force_law: ForceLaw = field(init=False, repr=False)
    tree: Tree = field(init=False, repr=False)
    actuator_gains: ActuatorGains = field(init=False, repr=False)

    @cached_property
    def free_system(self) -> FreeSystem | None:
        """Free bodies and particles of a model without joints; None if it has joints or singular inertias."""
        if not all(body.is_free for body in self.bodies):
            return None
        inertias = self.tree.inertias
        if len(inertias) and np.min(np.linalg.eigvalsh(inertias)) <= 0:
            return None
        return FreeSystem(inertias, self.particles, np.asarray(self.gravity), self.force_law, "forces")

    @cached_property
    def joint_friction(self) -> Array:
        """Dry friction in all coordinates of the tree ``(k,)``, N m or N."""
        return np.concatenate([np.zeros(0), *(body.joint_friction for body in self.bodies)])

    @cached_property
    def colliders(self) -> tuple[Collider, ...]:
        """Collision geometries of the ground, then of the bodies, with their coefficients."""

        def collider(index: int, geometry: Geometry, owner: Body | None) -> Collider:
            mu, restitution = (
                next(
                    value
                    for value in (getattr(geometry, name), getattr(owner, name, None), getattr(self, name))
                    if value is not None
                )
                for name in ("mu", "restitution")
            )
            return Collider(index, geometry.shape, geometry.frame, mu, restitution)

        return (
            *(collider(WORLD, geometry, None) for geometry in self.ground_geometries),
            *(
                collider(index, geometry, body)
                for index, body in enumerate(self.bodies)
                for geometry in body.geometries
            ),
        )

    @cached_property
    def excluded_indices(self) -> tuple[tuple[int, int], ...]:
        """Pairs of indices of bodies that do not touch, with those that joints and loops connect."""
        named = [
            tuple(WORLD if name == "world" else self.index(name) for name in pair)
            for pair in self.excluded_pairs
        ]
        carried = [(i, parent) for i, parent in enumerate(self.tree.parents) if parent >= 0]
        closed = [
            (self.index(each.a), self.index(each.b))
            for each in self.constraints
            if isinstance(each, LoopConstraint) and each.b is not None
        ]
        return (*((a, b) for a, b in named), *carried, *closed)

    def index(self, name: str) -> int:
        """Return the index of the body with this name.

        Raises
        ------
        InvalidArgument
            If there is none.
        """
        return self.tree.index(name)

    def state(
        self,
        *,
        q: Mapping[str, ArrayLike] | None = None,
        qdot: Mapping[str, ArrayLike] | None = None,
        poses: Mapping[str, ArrayLike] | None = None,
        twists: Mapping[str, ArrayLike] | None = None,
        x: ArrayLike | None = None,
        v: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """Return a state from values by the names of bodies.

        Parameters
        ----------
        q, qdot
            Coordinates and velocities ``(k,)`` of joints, rad or m, and per second; neutral and zero by
            default.
        poses, twists
            Poses ``(4, 4)`` and twists ``(6,)`` in the body frame of free bodies, m, rad/s and m/s; the
            initial poses and zero by default.
        x, v
            Positions and velocities of the particles ``(p, 3)``, m and m/s; velocities are zero by default.
        t
            Time, s.

        Raises
        ------
        InvalidArgument
            If there is no such joint or free body, a value does not fit it, or particles have no positions.
        """
        coordinates = self.tree.coordinates(self._joint_values("q", q))[self._joint_mask]
        velocities = self.tree.coordinates(self._joint_values("qdot", qdot), 0.0)[self._joint_mask]
        free_bodies = {body.name: body for body in self.bodies if body.is_free}
        E = {name: body.initial_pose for name, body in free_bodies.items()}
        phi: dict[str, Array] = {name: np.zeros(6) for name in free_bodies}
        for argument, values in (("poses", poses), ("twists", twists)):
            for name, value in _check_mapping(argument, values).items():
                if name not in free_bodies:
                    names = ", ".join(map(repr, free_bodies)) or "none: no body is free"
                    raise InvalidArgument(argument, repr(name), f"names of free bodies: {names}")
                label = f"{argument}[{name!r}]"
                if argument == "poses":
                    E[name] = arguments.with_ndim(label, arguments.frame(label, value), 2)
                else:
                    phi[name] = arguments.single_vector(label, value, 6)
        positions, particle_velocities = self._particle_arrays(x, v)
        return State(
            E=np.array(list(E.values())).reshape(-1, 4, 4),
            phi=np.array(list(phi.values())).reshape(-1, 6),
            x=positions,
            v=particle_velocities,
            q=coordinates,
            qdot=velocities,
            t=t,
        )

    def _particle_arrays(self, x: ArrayLike | None, v: ArrayLike | None) -> tuple[Array, Array]:
        """Return the positions and velocities of the particles after checking them."""
        count = len(self.particles)
        if x is None and count:
            raise InvalidArgument("x", "None", f"positions ({count}, 3) of the particles")
        none: Array = np.zeros((count, 3))
        return (
            none if x is None else arguments.array("x", x, count, 3),
            none if v is None else arguments.array("v", v, count, 3),
        )

    def command_vector(self, name: str, commands: ArrayLike | Mapping[str, ArrayLike]) -> Array:
        """Return commands for the joints as a vector of the tree ``(k,)``, zero for free bodies.

        Parameters
        ----------
        name
            Name of the commands in errors.
        commands
            Forces, N m or N, or targets of servos, ``(k,)`` or a number by the names of bodies on joints,
            with the default of the actuators for the others; or one number for each joint velocity, in the
            order of ``state.qdot``.

        Raises
        ------
        InvalidArgument
            If a body has no joint, or a shape does not fit.
        """
        arguments.text("name", name)
        if isinstance(commands, Mapping):
            default = self.actuator_gains.default_command
            return self.tree.coordinates(self._joint_values(name, commands), default)
        result = np.zeros(self.tree.num_coordinates)
        result[self._joint_mask] = arguments.single_vector(name, commands, int(np.sum(self._joint_mask)))
        return result

    def tree_state(self, state: State) -> State:
        """Return the coordinates and velocities of :attr:`tree` at a state, and the particles.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        self.check_state(state)
        q, qdot = np.zeros((2, self.tree.num_coordinates))
        q[self._joint_mask], qdot[self._joint_mask] = state.q, state.qdot
        q[self.free_coordinates], qdot[self.free_coordinates] = free_joint_coordinates(state.E, state.phi)
        return replace_unchecked(state, E=EMPTY_STATE.E, phi=EMPTY_STATE.phi, q=q, qdot=qdot)

    def state_from_tree(self, tree_state: State) -> State:
        """Return the state of the model at coordinates and velocities of :attr:`tree`, and its particles.

        Raises
        ------
        InvalidArgument
            If ``tree_state`` does not fit the tree.
        """
        arguments.require_instance("tree_state", tree_state, State)
        q, qdot = (self.tree.check_vector(name, getattr(tree_state, name)) for name in ("q", "qdot"))
        if tree_state.x.shape != (len(self.particles), 3):
            got = f"{len(tree_state.x)} particles"
            raise InvalidArgument("tree_state", got, f"{len(self.particles)} particles")
        E, phi, q, qdot = self.split_tree_coordinates(q, qdot)
        return replace_unchecked(tree_state, E=E, phi=phi, q=q, qdot=qdot)

    def split_tree_coordinates(self, q: Array, qdot: Array) -> tuple[Array, Array, Array, Array]:
        """Return the parts E, phi, q, qdot of states from valid coordinates ``(..., k)`` of the tree."""
        free_q, free_qdot = q[..., self.free_coordinates], qdot[..., self.free_coordinates]
        E = FREE_JOINT.compute_transform(free_q)
        phi = matvec(FREE_JOINT.compute_motion_subspace(free_q), free_qdot)
        return E, phi, q[..., self._joint_mask], qdot[..., self._joint_mask]

    def body_state(self, state: State) -> State:
        """Return the poses and twists of all bodies, in the order of :attr:`bodies`, and the particles.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        self.check_state(state)
        E, phi, free = state.E, state.phi, list(self.free_body_indices)
        if len(free) < len(self.bodies):
            tree_state = self.tree_state(state)
            E, phi = body_poses_and_twists(self.tree, tree_state.q, tree_state.qdot)
            E[free], phi[free] = state.E, state.phi
        return replace_unchecked(state, E=E, phi=phi, q=EMPTY_STATE.q, qdot=EMPTY_STATE.qdot)

    def mass_matrix(self, state: State) -> Matrix:
        """Return the mass matrix ``(N, N)``; without joints it is sparse if it is large.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        self.check_state(state)
        return model_equations.mass_matrix(self, state)

    def force(self, state: State) -> Array:
        """Return all forces ``(N,)`` except those of constraints.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        self.check_state(state)
        return model_equations.force(self, state)

    def linearized_force(self, state: State) -> Forces:
        """Return the same forces with their exact derivatives along increments and velocities.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        self.check_state(state)
        return model_equations.linearized_residual(self, state, np.zeros(state.size))

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """Return ``force - mass_matrix acceleration (N,)`` with its exact derivatives.

        Parameters
        ----------
        acceleration
            Accelerations ``(N,)``, rad/s^2 and m/s^2.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model or ``acceleration`` does not fit the state.
        """
        self.check_state(state)
        acceleration = arguments.single_vector("acceleration", acceleration, state.size)
        return model_equations.linearized_residual(self, state, acceleration)

    def acceleration(self, state: State) -> Array:
        """Return the accelerations ``(N,)`` under all forces and the equality constraints.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        SingularConfiguration
            If a joint is in a singular state.
        """
        self.check_state(state)
        return model_equations.acceleration(self, state, 0.0)

    def energy(self, state: State) -> float:
        """Return the kinetic energy and the potential of gravity, joint springs and forces that have one, J.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        self.check_state(state)
        return model_equations.kinetic_energy(self, state) + model_equations.potential_energy(self, state)

    def check_state(self, state: State) -> None:
        """Check that a state has the numbers of free bodies and joint coordinates of the model.

        Raises
        ------
        InvalidArgument
            If it does not.
        """
        arguments.require_instance("state", state, State)
        count = int(np.sum(self._joint_mask))
        expected = (len(self.free_body_indices), count, count, len(self.particles))
        if (len(state.E), state.q.size, state.qdot.size, len(state.x)) != expected:
            got = f"{len(state.E)} poses, {state.q.size} coordinates, {state.qdot.size} velocities of joints"
            wanted = f"{expected[0]} poses and {count} of each"
            if len(state.x) or len(self.particles):
                got += f", {len(state.x)} particles"
                wanted += f", {len(self.particles)} particles"
            wanted += ", as from Model.state"
            raise InvalidArgument("state", got, wanted)

    @cached_property
    def free_body_indices(self) -> tuple[int, ...]:
        """Indices of the free bodies."""
        return tuple(i for i, body in enumerate(self.bodies) if body.is_free)

    @cached_property
    def free_coordinates(self) -> IntArray:
        """Indices ``(m, 6)`` in coordinates of the tree of those of the free bodies."""
        starts = [self.tree.coordinate_slices[i].start for i in self.free_body_indices]
        return np.array(starts, dtype=np.intp)[:, None] + np.arange(6)

    @property
    def joint_indices(self) -> IntArray:
        """Indices ``(k,)`` in coordinates of the tree of those in ``state.q``."""
        return np.flatnonzero(self._joint_mask)

    @cached_property
    def _joint_mask(self) -> BoolArray:
        """True for the coordinates of the tree that belong to joints, not to free bodies."""
        result = np.ones(self.tree.num_coordinates, dtype=bool)
        result[self.free_coordinates] = False
        return result

    def _joint_values(self, argument: str, values: Mapping[str, ArrayLike] | None) -> Mapping[str, ArrayLike]:
        """Return values by joint after checking the names of the joints and the number of values."""
        checked = _check_mapping(argument, values)
        joints = [body.name for body in self.bodies if not body.is_free]
        for name, value in checked.items():
            if name not in joints:
                raise no_joint_error(argument, repr(name), joints)
            own, label = self.tree.coordinate_slices[self.tree.index(name)], f"{argument}[{name!r}]"
            count = own.stop - own.start
            shape = arguments.array(label, value).shape
            if shape != (count,) and (shape or count != 1):
                raise InvalidArgument(label, f"shape {shape}", f"shape ({count},)")
        return checked


def free_joint_coordinates(E: Array, phi: Array) -> tuple[Array, Array]:
    """Return coordinates and velocities ``(..., 6)`` of the joints of free bodies at poses and twists."""
    q = FREE_JOINT.compute_nearest_coordinates(E)
    return q, np.linalg.solve(FREE_JOINT.compute_motion_subspace(q), phi[..., None])[..., 0]


def check_no_particles(model: Model, expected: str) -> None:
    """Check that a model has no particles, which a function does not support.

    Raises
    ------
    InvalidArgument
        If it has.
    """
    if count := len(model.particles):
        raise InvalidArgument("model: particles", str(count), expected)


def _force_law(forces: ForceLaw | ForceGroup | Sequence[ForceGroup], index: Callable[[str], int]) -> ForceLaw:
    """Return the forces of a model as a function of the state of all bodies."""
    if isinstance(forces, ForceGroups):
        return _resolve_names(forces, index)
    if callable(forces):
        arguments.require_force_law("forces", forces)
        return forces
    groups: tuple[Any, ...] = (forces,)
    if not hasattr(forces, "forces"):
        groups = arguments.instances("forces", forces, object)
    for each in groups:
        arguments.require_methods("forces", each, "forces", "energy", "dissipated_power")
    return _resolve_names(ForceGroups(groups), index) if groups else zero_forces


def _resolve_names(groups: ForceGroups, index: Callable[[str], int]) -> ForceGroups:
    """Return the forces with the indices of their bodies."""
    try:
        return groups.resolve_names(index)
    except InvalidArgument as error:
        raise InvalidArgument(f"forces: {error.name}", error.got, error.expected) from None


def _check_constraints(constraints: Any, names: Collection[str]) -> Sequence[Constraint]:
    """Return the constraints after checking that those of the library act on existing bodies."""
    checked = check_constraints(constraints)
    for number, each in enumerate(checked):
        if isinstance(each, NAMED_CONSTRAINTS):
            for attribute in ("a", "b", "link"):
                name = getattr(each, attribute, None)
                if name is not None and name not in names:
                    label = f"constraints[{number}]: {type(each).__name__}: {attribute}"
                    raise InvalidArgument(label, repr(name), "one of " + ", ".join(map(repr, names)))
    return checked


def _check_bearings(
    bearings: Any, joint_names: Sequence[str], constraints: Sequence[Constraint]
) -> Mapping[str | LoopClosure, Bearing]:
    """Return the bearings in a new dictionary; check that their joints and closures exist."""
    arguments.require_instance("bearings", bearings, Mapping)
    for name, bearing in bearings.items():
        arguments.require_instance("bearings: key", name, str, LoopClosure)
        arguments.require_instance(f"bearings[{getattr(name, 'a', name)!r}]", bearing, Bearing)
        if isinstance(name, str) and name not in joint_names:
            raise no_joint_error("bearings", repr(name), joint_names)
        if isinstance(name, LoopClosure) and not any(name is each for each in constraints):
            raise InvalidArgument("bearings", f"a closure of {name.a!r}", "closures among the constraints")
    return dict(bearings)


def _check_pairs(pairs: Iterable[Any], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return pairs of names of bodies after checking them."""
    result = arguments.instances("excluded_pairs", pairs, tuple, list)
    for pair in result:
        if len(pair) != 2 or not all(name in names for name in pair):
            raise InvalidArgument("excluded_pairs", repr(pair), "pairs of " + ", ".join(map(repr, names)))
    return tuple((str(a), str(b)) for a, b in result)


def _check_mapping(name: str, values: Mapping[str, ArrayLike] | None) -> Mapping[str, ArrayLike]:
    """Return a mapping after checking its type; None becomes an empty one."""
    if values is None:
        return {}
    arguments.require_instance(name, values, Mapping)
    return values
