"""Random scenes of the simulator, seeded: bodies of several shapes fall, hit, slide and hang together."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rbnotes import Body, Model, friction, joints, se3, simulate, so3
from rbnotes.dynamics import (
    State,
    energy_conserving_euler,
    momentum_conserving_euler,
    symplectic_euler,
)
from rbnotes.multibody import maximal, maximal_coordinates
from rbnotes.shapes import Box, Capsule, Plane, Sphere

MODELS = {
    "box": friction.box_friction,
    "pyramid": friction.anitescu_stewart,
    "single QP": friction.single_qp,
    "Newton": friction.semismooth_newton_friction,
    "Gauss-Seidel": friction.gauss_seidel_friction,
}
SCHEMES = {
    "rattle": "rattle",
    "momentum": momentum_conserving_euler,
    "energy": energy_conserving_euler,
    "Euler": symplectic_euler,
}
STABILIZATIONS = ("projection", "baumgarte", "none")


@dataclass(frozen=True)
class Scene:
    """Arguments of `simulate`, and properties of the scene."""

    seed: int
    model: Model
    state: State
    h: float
    options: dict[str, Any]
    traits: dict[str, Any]

    def run(self, steps, state=None, **options):
        """Return the trajectory from the start, or from another state."""
        start = self.state if state is None else state
        return simulate(self.model, start, h=self.h, steps=steps, **{**self.options, **options})


class Account(NamedTuple):
    """Energy account of a scene, relative to its initial energy.

    Attributes
    ----------
    open
        Largest residual of the energy account of any step.
    gained
        Most energy at any time beyond the start's, the work of forces, and what moving bodies back lifted.
    pushed
        Most work of all contacts up to any time, which should take energy.
    """

    open: float
    gained: float
    pushed: float


def account(scene, path):
    """Return the energy account of a run."""
    E, work = path.energies, path.work
    size = abs(E[0])
    forces = work.applied_forces + np.maximum(work.stabilization, 0.0)
    return Account(
        float(np.max(np.abs(np.diff(E) - work.total)) / size),
        float(np.max(E[1:] - E[0] - np.cumsum(forces)) / size),
        float(np.max(np.cumsum(work.contacts)) / size),
    )


def limits(scene):
    """Return the largest accepted values of the account.

    The default integrator gains nothing beyond 1e-3. Those of first order go up and down by the work of the
    weight in a step; and with Euler's a body gains by turning, as the account says in a line of its own, so
    that the contacts alone are judged. Overlaps that velocities take back lift the bodies by as much.
    """
    model, h = scene.model, scene.h
    masses = np.array([body.spatial_inertia[3, 3] for body in model.bodies])
    size = abs(model.energy(scene.state))
    lift = 0.0
    if scene.traits["stabilization"] == "baumgarte":
        lift = 9.81 * float(np.sum(masses)) * 2 * scene.traits["overlap"] * 0.4 / size
    first_order = scene.traits["integrator"] != "rattle"
    swing = first_order * 9.81 * h * 5.0 * float(np.sum(masses)) / size
    turning = np.inf if scene.traits["integrator"] == "Euler" else 0.0
    return Account(1e-12, 1e-3 + lift + swing + turning, 1e-3 + lift + swing)


def same(whole, *parts):
    """Return True if consecutive trajectories equal the whole one to the last bit."""
    E, phi = ([getattr(part.body_states, name) for part in parts] for name in ("E", "phi"))
    joined = [np.concatenate([each[0], *(later[1:] for later in each[1:])]) for each in (E, phi)]
    impulses = [record.impulses for part in parts for record in part.contacts]
    return bool(
        np.array_equal(joined[0], whole.body_states.E)
        and np.array_equal(joined[1], whole.body_states.phi)
        and all(np.array_equal(a.impulses, b) for a, b in zip(whole.contacts, impulses, strict=True))
    )


def scene(seed):
    """Return the scene of a seed; its properties are drawn independently."""
    rng = np.random.default_rng([seed, 20261122])
    count = int(rng.integers(1, 5))
    shapes = [_shape(rng) for _ in range(count)]
    law, scheme = rng.choice(list(MODELS)), rng.choice(list(SCHEMES), p=[0.55, 0.15, 0.15, 0.15])
    stabilization = str(rng.choice(STABILIZATIONS, p=[0.5, 0.3, 0.2]))
    mu, restitution = rng.uniform(0.0, 1.0), float(rng.choice([0.0, 0.5, 0.9, 1.0]))
    overlap = float(rng.choice([0.0, 0.0, 0.05, 0.15]))
    poses, height = [], 0.0
    for shape in shapes:
        size = _reach(shape)
        height += size * (1 - overlap)
        poses.append(se3.frame(so3.exp(rng.normal(size=3)), [*rng.uniform(-0.05, 0.05, 2), height]))
        height += size * (1 - overlap)
    state = State(E=np.array(poses), phi=rng.normal(size=(count, 6)) * [3, 3, 3, 1, 1, 1])
    placed = [{"pose": pose} for pose in poses]
    if count > 1 and rng.random() < 0.4:
        kind = joints.Revolute() if rng.random() < 0.5 else joints.ExponentialSpherical()
        where = se3.frame(np.eye(3), (poses[0][:3, 3] + poses[1][:3, 3]) / 2)
        joint_frame, body_frame = se3.inverse(poses[0]) @ where, se3.inverse(where) @ poses[1]
        placed[1] = {"joint": kind, "parent": "0", "joint_frame": joint_frame, "body_frame": body_frame}
    bodies = [
        Body(f"{i}", shape, density=float(rng.uniform(100, 3000)), **options)
        for i, (shape, options) in enumerate(zip(shapes, placed, strict=True))
    ]
    model = Model(bodies, ground=Plane(), mu=mu, restitution=restitution)
    converted = maximal_coordinates(model)
    state = converted.model_state(maximal.project(converted.maximal_model, state))
    taken_back, h = float(rng.choice([0.2, 1.0])), float(rng.choice([0.002, 0.005, 0.01]))
    options = {
        "friction_model": MODELS[law],
        "scheme": SCHEMES[scheme],
        "coordinates": "maximal",
        "stabilization": stabilization,
        "gamma": taken_back / h if stabilization == "baumgarte" else None,
    }
    traits = {
        "bodies": count,
        "joints": sum(not body.is_free for body in bodies),
        "friction": str(law),
        "integrator": str(scheme),
        "stabilization": stabilization,
        "restitution": restitution,
        "overlap": overlap,
    }
    return Scene(seed, model, state, h, options, traits)


def _shape(rng):
    kind = rng.integers(3)
    if kind == 0:
        return Box(rng.uniform(0.1, 0.4, 3))
    return (
        Sphere(rng.uniform(0.05, 0.2))
        if kind == 1
        else Capsule(rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.4))
    )


def _reach(shape):
    """Return a bound on the distance of all parts from the center."""
    if isinstance(shape, Box):
        return float(np.linalg.norm(shape.sides)) / 2
    return shape.radius + getattr(shape, "length", 0.0) / 2
