"""Live figures: JavaScript and the library agree, and all states in reach of a reader have finite numbers."""

import gzip
import json
import re
import subprocess
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import rotation
from rbnotes_book import live, live_figures
from rbnotes_book.live_figures import (
    attached_particle,
    chain_twist,
    four_bar,
    gauss_seidel,
    loaded_hinge,
    printed_form,
    rnea_passes,
    spline_joint,
    spring_damper,
    stiffness_asymmetry,
    time_stepping,
)
from rbnotes_book.node import NODE, SCRIPTS

from rbnotes import ledger, quaternion, se3, so3
from rbnotes.complementarity import LCP, enumeration
from rbnotes.constraints import factor_kkt
from rbnotes.constraints.sequential_impulses import equality_gauss_seidel
from rbnotes.constraints.stabilization import project_positions, velocity_target
from rbnotes.dynamics import (
    State,
    body_acceleration,
    gyroscopic_wrench,
    linearly_implicit_velocity,
    mechanical_system,
    solve_unconstrained_step,
    symplectic_euler,
    trapezoidal_problem,
)  # fmt: skip
from rbnotes.forces import (
    BodyForces,
    FrameSpring,
    SpringDamper,
    body_path_length,
    frame_spring_forces,
    path_wrenches,
    zero_length_spring,
)  # fmt: skip
from rbnotes.forces.muscle import ACTIVE_FORCE_LENGTH, FORCE_VELOCITY, PASSIVE_FORCE_LENGTH, Muscle
from rbnotes.forces.world_axes import rotate_to_world
from rbnotes.friction.bounded_friction import project_on_section
from rbnotes.inertia import from_spatial_inertia, spatial_inertia, transform_inertia
from rbnotes.multibody import reduced
from rbnotes.shapes import Box
from rbnotes.testing import jacobian

BOOK = Path(__file__).parents[2] / "book"
COUNT = 1000
"""Number of inputs of each function."""
THINNING = 10
"""One input in so many is tried on the days on which a function is not due."""
FIGURES = live_figures.names()
TEXTS = [page.read_text(encoding="utf-8") for page in sorted(BOOK.glob("*.md"))]
LONGEST_SCRIPT = 150
"""Lines of a figure's script."""
LARGEST_SCRIPT = 15_000
"""Bytes of a figure's bundle, compressed."""


@pytest.fixture(scope="module")
def node():
    """Return a function that asks a Node process: ``node("call", module="so3", name="exp", inputs=...)``."""
    command = [NODE, Path(__file__).with_name("live.mjs"), SCRIPTS]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:

        def request_node(request, **more):
            process.stdin.write(json.dumps({"request": request, **more}) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield request_node


def to_lists(value):
    """Return arrays as lists, at any depth."""
    if isinstance(value, dict):
        return {key: to_lists(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_lists(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def flat(value):
    """Return all numbers of a result."""
    if value is None:
        return np.zeros(0)
    if isinstance(value, list) and any(isinstance(part, dict | None) for part in value):
        return np.concatenate([flat(part) for part in value])
    parts = value.values() if isinstance(value, dict) else value
    parts = parts if np.iterable(parts) else [parts]
    return np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts])


def distances(a, b):
    """Return the largest difference of each pair of results, relative to results above one."""
    differences = []
    for x, y in zip(a, b, strict=True):
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        assert x.shape == y.shape
        differences.append(np.max(np.abs(x - y), initial=0) / max(1, np.max(np.abs(y), initial=0)))
    return np.array(differences)


# --- functions of dynamics/ ------------------------------------------------------------------------------

rng = np.random.default_rng(35)
vectors = rng.normal(size=(COUNT, 3))
others = rng.normal(size=(COUNT, 3))
numbers = rng.normal(size=COUNT)
squares = rng.normal(size=(COUNT, 4, 4))
columns = rng.normal(size=(COUNT, 4))
units = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
# From tiny rotations to almost half turns, evenly in the logarithms of both distances.
angles = np.concatenate(
    [10 ** rng.uniform(-9, 0.49, COUNT // 2), np.pi - 10 ** rng.uniform(-9, 0, COUNT // 2)]
)
turns = angles[:, None] * units
rotations = so3.exp(turns)
middling = rng.uniform(0.01, 3.13, COUNT)
frames = se3.frame(so3.exp(others), vectors)
pairs = se3.frame(so3.exp(rng.normal(size=(COUNT, 2, 3))), rng.normal(size=(COUNT, 2, 3)))
points = rng.normal(size=(COUNT, 2, 3))
twists = rng.normal(size=(COUNT, 2, 6))
planes = rng.uniform(-3, 3, size=(COUNT, 3))
coefficients = rng.uniform(0.2, 3, size=(3, COUNT))
half = rng.normal(size=(COUNT, 6, 6))
squares_of_six = -half @ np.swapaxes(half, -1, -2)
inertias = half @ np.swapaxes(half, -1, -2) + 0.5 * np.eye(6)


def planar(pose):
    """Return the pose of a motion in the plane, by the exponential map."""
    x, y, angle = pose.T
    zero = 0 * x
    return se3.frame(so3.exp(np.stack([zero, zero, angle], -1)), np.stack([x, y, zero], -1))


def planar_pose(E):
    """Return x, y and angle of poses in the plane, by the logarithm of their rotations."""
    return np.column_stack([E[:, :2, 3], so3.log(E[:, :3, :3])[:, 2]])


def each(function):
    """Return a function of stacks that calls one of single arrays."""
    return lambda *stacks: [function(*arguments) for arguments in zip(*stacks, strict=True)]


def step_of_bodies(M, E, phi, wrench, h):
    velocity = phi + h[:, None] * body_acceleration(M, phi, wrench)
    return list(zip(E @ se3.exp(h[:, None] * velocity), velocity, strict=True))


def planar_properties(M):
    """Mass, center of mass in the plane, and moment about the axis through it along z."""
    body = from_spatial_inertia(M)
    return {"mass": body.mass, "com": body.com[:2], "moment": body.inertia[2, 2]}


def trapezoidal_velocity(M, v, f, K, D, h):
    """Velocities after a step of the library's trapezoidal rule."""
    system = mechanical_system(M, lambda q, qdot: f, lambda q, qdot: K, lambda q, qdot: D)
    return solve_unconstrained_step(trapezoidal_problem(system, State(q=0 * v, qdot=v), h))


def gauss_seidel_sweep(A, b, x):
    """Impulses after a sweep of the library."""
    return equality_gauss_seidel(A, np.eye(3), b, np.zeros(3), sweeps=1, initial_impulses=x).impulses


def constant_force(f, E, x):
    """Wrench and stiffness of a constant force in body axes."""
    return wrench_and_stiffness(stiffness_asymmetry.constant_force(f, E, x))


def world_force(force, E):
    """Wrench and stiffness of a constant force in world axes."""
    body = BodyForces(np.array(force["w"])[None], np.array(force["K"]), np.zeros((6, 6)))
    return wrench_and_stiffness(rotate_to_world(body, E[None]))


def wrench_and_stiffness(forces):
    return {"w": forces.w[0], "K": forces.K}


def pendulum_step(body, gravity, angle, rate, h, pin):
    """Step of a pendulum on a dry pin."""
    bearing = loaded_hinge.pin(pin["radius"], pin["mu"], pin["count"])
    return loaded_hinge.pendulum_step(body, gravity, angle, rate, h, bearing)


MOVES = ([], [0], [1], [0, 1])
"""Sets of positive unknowns of an LCP of two."""


def lcp_solutions(A, b):
    """Return the solutions of an LCP of two by NumPy; the first is that of the library, if there is one."""
    result = []
    for active in MOVES:
        z = np.zeros(2)
        z[active] = np.linalg.solve(A[np.ix_(active, active)], -b[active])
        w = np.where(np.isin([0, 1], active), 0, A @ z + b)
        result.append({"z": z, "w": w} if np.all(z >= 0) and np.all(w >= 0) else None)
    if any(result):
        z = enumeration(LCP(A, b)).z
        assert any(each is not None and np.allclose(each["z"], z, atol=1e-8) for each in result)
    return result


def project_on_distance(x, L):
    """Project a point with a mass on a sphere about the origin."""

    def error(y):
        return np.array([np.linalg.norm(y) - L])

    def jacobian(y):
        return y[None] / np.linalg.norm(y)

    return project_positions(x, np.eye(3), error, jacobian, tolerance=1e-14).positions


def elastic_forces(E, p, k):
    """Return the forces of a frame spring without torsion between two points."""
    frames = se3.frame(np.tile(np.eye(3), (2, 1, 1)), p)
    spring = FrameSpring(*frames, k * np.eye(3), np.zeros((3, 3)))
    return frame_spring_forces(spring, E, np.zeros((2, 6)))


def elastic_force_variation(E, p, k, dx, dtheta, rotations):
    """Change of the force on A by the library's stiffness matrix."""
    assert rotations is dtheta or np.array_equal(rotations, dtheta)
    return elastic_forces(E, p, k).K[3:6] @ np.concatenate([dtheta, dx], axis=1).ravel()


def elastic_force_variation_printed(E, p, k, dx, dtheta, rotations):
    """Change of the force on A by the record of (0.43), whose velocities are along the axes of the world."""
    X = se3.frame(np.tile(np.eye(3), (2, 1, 1)), p)
    spins = (E[:, :3, :3] @ rotations[..., None])[..., 0]
    velocities = np.array([np.zeros(3), spins[0], np.zeros(3), spins[1]])
    delta = np.stack([dx, dtheta], axis=1).reshape(4, 3)
    return printed_form("lloyd/s0.22.1/e0.43#b")(np.concatenate([E, X]), velocities, k, 1.0, delta)


@dataclass
class Twin:
    """A function of Python, what both are called with, and how much their results may differ.

    Attributes
    ----------
    python
        The function.
    inputs
        Arrays of arguments, one row for each call.
    condition
        Condition numbers of the calls, which the tolerance is proportional to.
    then
        Arguments of the function that the script returns.
    reads
        Function to the parts of a result of the script that are compared.
    """

    python: object
    inputs: tuple
    condition: object = 1.0
    then: tuple = field(default=())
    reads: object = flat


variations = (pairs, points, coefficients[0], twists[..., :3], twists[..., 3:])
spins = rng.normal(size=(COUNT, 2, 3))
steps = rng.uniform(0.01, 0.3, COUNT)
law = tuple(coefficients)
spring = (pairs, points, twists, *law)
constraint_rows = half[:, :2]
zero = np.zeros((COUNT, 2, 2))
kkt_conditions = np.linalg.cond(
    np.block([[inertias, -np.swapaxes(constraint_rows, -1, -2)], [constraint_rows, zero]])
)
small = squares[:, :2, :2]
minors = np.minimum(np.abs(small[:, [0, 1], [0, 1]]).min(-1), np.abs(np.linalg.det(small)))
orders = rng.integers(0, 2, COUNT)
quaternions = quaternion.from_rotation_vector(others)
constant_forces = [constant_force(*row) for row in zip(others, frames, vectors, strict=True)]
# Five control frames, whose neighbors are less than half a turn apart.
control_frames = se3.frame(so3.exp(rng.uniform(-0.7, 0.7, (COUNT, 5, 3))), rng.normal(size=(COUNT, 5, 3)))
chain_frames = np.concatenate([pairs, frames[:, None]], axis=1)
centers = np.stack([vectors, others, units], axis=1)
chain_inertias = spatial_inertia(steps[:, None], np.tile(np.eye(3), (COUNT, 3, 1, 1)), centers)
counts = rng.integers(3, 13, COUNT)
bodies = [{"mass": 1 + m, "moment": m, "distance": m + 0.1} for m in steps]
pins = [{"radius": r, "mu": mu, "count": 8} for r, mu in zip(steps / 3, 2 * steps[::-1], strict=True)]
bars = rng.uniform([0.2, 1.0, 1.0, 1.0], [0.5, 1.4, 1.4, 1.4], (COUNT, 4))
matrices = half[:, :3] @ np.swapaxes(half[:, :3], -1, -2) + np.eye(3)
step = (inertias, twists[:, 0], twists[:, 1], squares_of_six, squares_of_six[::-1], steps / 100)
TWINS = {
    "matrix.dot": Twin(lambda a, b: np.sum(a * b, -1), (vectors, others)),
    "matrix.norm": Twin(lambda a: np.linalg.norm(a, axis=-1), (vectors,)),
    "matrix.add": Twin(np.add, (vectors, others)),
    "matrix.subtract": Twin(np.subtract, (vectors, others)),
    "matrix.scale": Twin(lambda s, a: s[:, None] * a, (numbers, vectors)),
    "matrix.cross": Twin(np.cross, (vectors, others)),
    "matrix.apply": Twin(lambda A, x: (A @ x[..., None])[..., 0], (squares, columns)),
    "matrix.transpose": Twin(lambda A: np.swapaxes(A, -1, -2), (squares[:, :3],)),
    "matrix.multiply": Twin(np.matmul, (squares[:, :3], squares)),
    "matrix.combine": Twin(
        lambda a, A, b, B: a[:, None, None] * A + b[:, None, None] * B,
        (numbers, squares, steps, squares[::-1]),
    ),
    "matrix.identity": Twin(each(np.eye), (np.full(COUNT, 3),)),
    "matrix.solve": Twin(each(np.linalg.solve), (squares, columns), np.linalg.cond(squares)),
    "so3.hat": Twin(so3.hat, (vectors,)),
    "so3.exp": Twin(so3.exp, (turns,)),
    "so3.leftJacobian": Twin(so3.left_jacobian, (turns,)),
    "so3.log": Twin(so3.log, (rotations,)),
    # The arccosine loses what the trace has rounded, both near zero and near pi.
    "so3.logOfTrace": Twin(so3.log, (so3.exp(middling[:, None] * units),), 1 / np.sin(middling) ** 2),
    "so3.interpolate": Twin(so3.interpolate, (so3.exp(others), so3.exp(others + turns / 3), steps)),
    "se3.rotation": Twin(lambda E: E[:, :3, :3], (frames,)),
    "se3.position": Twin(lambda E: E[:, :3, 3], (frames,)),
    "se3.frame": Twin(se3.frame, (rotations, vectors)),
    "se3.planar": Twin(planar, (planes,)),
    "se3.planarPose": Twin(planar_pose, (planar(planes),)),
    "se3.transformPoint": Twin(each(se3.transform_points), (frames, vectors)),
    "se3.exp": Twin(se3.exp, (np.concatenate([turns, others], -1),)),
    "se3.compose": Twin(np.matmul, (frames, frames[::-1])),
    "se3.inverse": Twin(se3.inverse, (frames,)),
    "se3.transformTwist": Twin(lambda E, phi: (se3.Ad(E) @ phi[..., None])[..., 0], (frames, twists[:, 0])),
    "se3.transformWrench": Twin(
        lambda E, w: (np.swapaxes(se3.Ad_inverse(E), -1, -2) @ w[..., None])[..., 0], (frames, twists[:, 0])
    ),
    "springs.wrenchOfForce": Twin(each(se3.point_wrench), (frames, vectors, others)),
    "springs.segment": Twin(
        lambda E, x, phi: [
            {"span": span, "length": length, "rate": rate}
            for span, length, rate in zip(
                np.diff(np.stack([se3.transform_points(E[:, i], x[:, i]) for i in (0, 1)], 1), axis=1)[:, 0],
                body_path_length(E, x, phi).L,
                body_path_length(E, x, phi).Ldot,
                strict=True,
            )
        ],
        (pairs, points, twists),
    ),
    "springs.springDamper": Twin(
        each(lambda k, d, L, length, rate: SpringDamper(k, d, L)(length, rate).F), law, then=(steps, numbers)
    ),
    "springs.printedTension": Twin(
        each(lambda k, d, L, length, rate: k * (length - L) / L - d * rate / L), law, then=(steps, numbers)
    ),
    "springs.springDamperWrenches": Twin(
        each(lambda E, x, phi, k, d, L: path_wrenches(SpringDamper(k, d, L), E, x, phi).w), spring
    ),
    "springs.springDamperWrenchesPrinted": Twin(
        each(lambda *each: printed_form("sueda/s1.9.6/e1.66")(*each).reshape(2, 6)), spring
    ),
    "springs.pointStiffnessPrinted": Twin(
        each(lambda *each: printed_form("sueda/s1.9.3/e1.37#a")(*each)),
        (pairs, points, coefficients[0]),
    ),
    "springs.pointStiffness": Twin(
        each(lambda E, x, k: zero_length_spring(k, E, x).K), (pairs, points, coefficients[0])
    ),
    "contact.projectOnSection": Twin(
        each(lambda p, limit, section: project_on_section(p[None], np.array([limit]), section)[0]),
        (vectors[:, :2], steps * 5, rng.choice(["disc", "pyramid", "box"], COUNT)),
    ),
    "contact.enumerateLCP": Twin(each(lcp_solutions), (small, others[:, :2]), 1 / minors),
    "integrate.linearlyImplicitVelocity": Twin(
        each(linearly_implicit_velocity),
        step,
        np.linalg.cond(inertias),
    ),
    "integrate.trapezoidalVelocity": Twin(each(trapezoidal_velocity), step, np.linalg.cond(inertias)),
    "integrate.trapezoidalVelocityPrinted": Twin(
        each(time_stepping.printed_velocity), step, np.linalg.cond(inertias)
    ),
    "attachments.reducedMass": Twin(
        each(lambda M, m, w: attached_particle.reduced(M, m, w, np.zeros(1))[0]), (matrices, steps, others)
    ),
    "attachments.lumpedMass": Twin(each(lambda M, m, w: M + np.diag(m * w)), (matrices, steps, others)),
    "attachments.reducedForce": Twin(
        each(lambda w, f: attached_particle.reduced(np.eye(3), 1.0, w, f)[1]), (others, vectors)
    ),
    "chain.childTwist": Twin(
        lambda E, J, parent, joint: (
            np.einsum("nij,nj->ni", se3.Ad_inverse(E), parent) + np.einsum("nij,nj->ni", se3.Ad(J), joint)
        ),
        (frames, frames[::-1], twists[:, 0], twists[:, 1]),
    ),
    "chain.childTwistPrinted": Twin(
        each(lambda E, J, parent, joint: chain_twist.PRINTED(E, np.eye(4), J, parent, joint)),
        (frames, frames[::-1], twists[:, 0], twists[:, 1]),
    ),
    "chain.chainPoses": Twin(
        each(lambda joints, bodies, q: reduced.poses(chain_twist.chain(joints, bodies), q).body_poses),
        (pairs, pairs[::-1], vectors[:, :2]),
    ),
    "muscle.activeForceLength": Twin(each(ACTIVE_FORCE_LENGTH), (8 * steps, orders)),
    "muscle.forceVelocity": Twin(each(FORCE_VELOCITY), (numbers, orders)),
    "muscle.passiveForceLength": Twin(each(PASSIVE_FORCE_LENGTH), (8 * steps, orders)),
    "muscle.muscleTension": Twin(
        each(lambda length, velocity, a: Muscle(1.0, 1.0, 1.0, activation=a)(length, velocity).F),
        (3 * steps, numbers, steps),
    ),
    "loop.fourBar": Twin(each(four_bar.four_bar), (bars, numbers, rng.choice([-1, 1], COUNT))),
    "loop.loopError": Twin(each(four_bar.loop_error), (bars, vectors)),
    "loop.loopRows": Twin(
        each(lambda bars, angles: jacobian(lambda each: four_bar.loop_error(bars, each), angles).value),
        (bars, vectors),
        100.0,  # the derivative is numerical
    ),
    "loop.nullVector": Twin(lambda rows: np.cross(rows[:, 0], rows[:, 1]), (squares[:, :2, :3],)),
    "inertia.box": Twin(each(lambda m, sides: Box(sides).spatial_inertia(mass=m)), (steps, np.abs(vectors))),
    "inertia.transformInertia": Twin(transform_inertia, (frames, inertias)),
    "inertia.composite": Twin(np.add, (inertias, squares_of_six)),
    "inertia.planarProperties": Twin(
        each(planar_properties),
        (spatial_inertia(steps, np.tile(np.eye(3), (COUNT, 1, 1)), vectors * [1, 1, 0]),),
    ),
    "gauss_seidel.sweep": Twin(each(gauss_seidel_sweep), (matrices, vectors, others)),
    "gauss_seidel.jacobi": Twin(
        each(lambda A, b, x: x + (b - A @ x) / np.diag(A)), (matrices, vectors, others)
    ),
    "gauss_seidel.printedSweep": Twin(each(gauss_seidel.printed_sweep), (matrices, vectors, others)),
    "gauss_seidel.residual": Twin(each(lambda A, b, x: b - A @ x), (matrices, vectors, others)),
    "frame_spring.elasticForce": Twin(
        each(lambda E, p, k: elastic_forces(E, p, k).w[0, 3:]), (pairs, points, coefficients[0])
    ),
    "frame_spring.elasticForceVariation": Twin(
        each(elastic_force_variation), (*variations, variations[-1]), reads=lambda parts: np.add(*parts)
    ),
    "frame_spring.elasticForceVariation as printed": Twin(
        each(elastic_force_variation_printed), (*variations, spins), reads=lambda parts: np.add(*parts)
    ),
    "stabilization.velocityTarget": Twin(each(velocity_target), (vectors, steps)),
    "stabilization.constrainedVelocity": Twin(
        each(lambda M, b, G, g: factor_kkt(M, G).solve(b, g)[0]),
        (inertias, twists[:, 0], constraint_rows, others[:, :2]),
        kkt_conditions,
    ),
    "stabilization.projectOnDistance": Twin(each(project_on_distance), (vectors + 2 * units, steps + 0.5)),
    "integrate.gyroscopicWrench": Twin(gyroscopic_wrench, (inertias, twists[:, 0])),
    "quaternion.product": Twin(quaternion.product, (quaternions, columns)),
    "quaternion.fromRotationVector": Twin(quaternion.from_rotation_vector, (turns,)),
    "quaternion.toRotationVector": Twin(quaternion.to_rotation_vector, (quaternions,)),
    "quaternion.rotate": Twin(quaternion.rotate, (quaternions, vectors)),
    "quaternion.derivativeFromBase": Twin(quaternion.derivative_from_base, (quaternions, vectors)),
    "quaternion.derivativeFromBody": Twin(quaternion.derivative_from_body, (quaternions, vectors)),
    "se3.log": Twin(se3.log, (se3.exp(np.concatenate([middling[:, None] * units, others], -1)),), 100.0),
    "se3.bracket": Twin(lambda a, b: (se3.ad(a) @ b[..., None])[..., 0], (twists[:, 0], twists[:, 1])),
    "springs.directionalForce": Twin(
        each(constant_force),
        (others, frames, vectors),
    ),
    "springs.rotateToWorld": Twin(each(world_force), (constant_forces, frames)),
    "spline.cumulativeWeights": Twin(each(spline_joint.weights), (steps * 3,)),
    "spline.splineCurve": Twin(each(spline_joint.curve), (control_frames, 10 * steps - 0.5), 100.0),
    "spline.splineCurvePrinted": Twin(
        each(spline_joint.printed_curve), (control_frames[:, :4], 3 * steps), 1000.0
    ),
    "chain.rnea": Twin(
        each(rnea_passes.passes),
        (chain_frames, chain_inertias, vectors, others, turns, vectors[::-1]),
        100.0,
    ),
    "bearing.ringNormals": Twin(each(loaded_hinge.normals), (counts,)),
    # The library's multipliers are regularized, in proportion to 1e-9.
    "bearing.ringMultipliers": Twin(each(loaded_hinge.multipliers), (others[:, :2], counts), 1e4),
    "bearing.pendulumStep": Twin(
        each(pendulum_step), (bodies, 10 * steps, middling, numbers, steps / 10, pins), 1e5
    ),
    "bearing.frictionBound": Twin(lambda a, mu: mu * np.sum(np.abs(a), axis=-1), (others, steps)),
    "bearing.frictionBoundPrinted": Twin(lambda a, mu: mu * np.sum(a, axis=-1), (others, steps)),
    "integrate.symplecticEuler": Twin(
        step_of_bodies, (inertias, frames, twists[:, 0], twists[:, 1], steps), np.linalg.cond(inertias)
    ),
}


def test_every_function_of_the_scripts_has_a_twin(node):
    functions = {f"{module}.{name}" for module, names in node("names").items() for name in names}
    assert functions == {name.split(" ")[0] for name in TWINS}


@pytest.mark.parametrize("name", TWINS)
def test_functions_agree_with_python(node, name):
    twin = TWINS[name]
    module, function = name.split(" ")[0].split(".")
    step = 1 if rotation.is_due(zlib.crc32(name.encode())) else THINNING
    inputs, others = ([each[::step] for each in stacks] for stacks in (twin.inputs, twin.then))
    condition = np.broadcast_to(twin.condition, COUNT)[::step]

    def transpose(stacks):
        return [list(row) for row in zip(*map(to_lists, stacks), strict=True)]

    then = {"then": transpose(others)} if others else {}
    actual = node("call", module=module, name=function, inputs=transpose(inputs), **then)
    expected = twin.python(*inputs, *others)
    errors = distances([*map(twin.reads, actual)], [*map(flat, expected)])
    assert np.all(errors <= 1e-12 * np.maximum(1, condition)), np.max(errors)


# --- figures ---------------------------------------------------------------------------------------------


@pytest.fixture(params=FIGURES)
def name(request):
    return request.param


def assert_same(actual, expected, tolerance, where):
    assert set(actual) == set(expected), where
    for key, value in expected.items():
        if isinstance(value, str):
            assert actual[key] == value, (*where, key)
        else:
            a, b = np.asarray(actual[key], dtype=float), np.asarray(to_lists(value), dtype=float)
            assert a.shape == b.shape, (*where, key)
            bound = tolerance * max(1, np.max(np.abs(b), initial=0))
            assert np.max(np.abs(a - b), initial=0) <= bound, (*where, key)


# A difference quotient has the rounding of its energies over its step.
TOLERANCES = {"quotient": 1e-8, "speeds": 1e-7, "evenness": 1e-7, "difference": 1e-8}


def test_poster_and_first_numbers_come_from_python(node, name):
    about = node("about", name=name)
    state = about["poster"]["state"]
    expected = {mode: live_figures.evaluate(name, state, mode) for mode in about["modes"]}
    for mode, values in expected.items():
        [actual] = node("evaluate", name=name, states=[state], mode=mode)
        assert set(actual) == set(values)
        for key in values:
            assert_same({key: actual[key]}, {key: values[key]}, TOLERANCES.get(key, 1e-9), (mode,))
    html = live.figure(name)
    # Without scripts and in print all forms are shown, each with its own numbers.
    for mode, values in expected.items():
        shown = re.findall(rf'id="live-{name}-{mode}-(\w+)">([^<]+)<', html)
        assert len(shown) == len(set(re.findall(r"\\term\{(\w+)\}", about["modes"][mode]["tex"])))
        for term, text in shown:
            number = values[about["terms"][term]["key"]]
            assert float(text.replace("−", "-")) == pytest.approx(number, abs=0.00501), (mode, term)
    first = expected[about["poster"]["mode"]]
    for number in about["numbers"]:
        text = re.search(rf'data-key="{number["key"]}">(\S+)', html)[1].replace("−", "-")
        assert float(text) == pytest.approx(first[number["key"]], abs=0.00501)


def test_states_in_reach_of_the_handles_have_finite_numbers(node, name):
    states = node("sweep", name=name)
    assert len({each["handle"] for each in states}) >= 1
    for one in states:
        where = one["handle"], one["mode"], one["value"]
        numbers = [np.ravel(np.array(value)) for value in one["e"].values() if not isinstance(value, str)]
        finite = all(np.issubdtype(part.dtype, np.number) for part in numbers)
        assert finite or one["status"] == "diverged", where
        assert not re.search("NaN|Infinity|undefined", " ".join(one["drawn"]) + one["said"]), where
        # to take hold of a grip moves nothing
        for stored in one["kept"]:
            np.testing.assert_allclose(stored, one["value"], atol=1e-9, err_msg=str(where))


def test_scripts_are_small(name):
    text = live_figures.path(name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_SCRIPT
    bundle = BOOK / "_generated" / f"live-{name}.js"
    assert len(gzip.compress(bundle.read_bytes())) < LARGEST_SCRIPT
    assert not re.search(r"fetch\(|https?:(?!//www\.w3\.org)|WebAssembly|\bimport\(", bundle.read_text())
    assert not re.search(r"document|window|three", text)


def test_figures_are_used_in_one_place_with_a_claim_and_in_an_exercise(node, name):
    pages = [text for text in TEXTS if f"```{{live}} {name}\n" in text]
    assert len(pages) == 1
    exercises = re.findall(r"^```\{exercise\}\n.*?^```", "\n".join(TEXTS), re.DOTALL | re.MULTILINE)
    assert sum(f"](#live-{name})" in exercise for exercise in exercises) == 1
    claim = node("about", name=name)["claim"]
    assert claim is None or claim in {record.id for record in ledger.load()}


def test_spring_damper_takes_the_steps_of_the_library(node):
    start = node("about", name="spring-damper")["poster"]["state"]
    states = [
        {**start, "pose": [(pose := rng.uniform([-1.5, -0.6, -1.6], [-0.3, 0.6, 1.6])).tolist(),
                           (pose * [-1, 1, 1]).tolist()], "twist": rng.normal(size=(2, 3)).tolist()}
        for _ in range(20)
    ]  # fmt: skip
    for mode in ("printed", "right"):
        actual = node("step", name="spring-damper", states=states, mode=mode, h=0.02)
        for state, after in zip(states, actual, strict=True):
            E, phi = spring_damper.poses(state)
            expected = symplectic_euler(spring_damper.system(state, mode), State(E, phi), 0.02)
            E, phi = spring_damper.poses(after)
            np.testing.assert_allclose(E, expected.E, atol=1e-12)
            np.testing.assert_allclose(phi, expected.phi, atol=1e-12)
    ends = {
        mode: node("run", name="spring-damper", mode=mode, h=0.02, longest=3000)
        for mode in ("printed", "right")
    }
    assert ends["printed"]["status"] == "diverged"
    assert ends["right"]["status"] == "settled"


def test_loaded_hinge_takes_the_steps_of_the_library(node):
    start = node("about", name="loaded-hinge")["poster"]["state"]
    drawn = rng.uniform([-3, -6, 0.0, 0.01], [3, 6, 1.0, 0.15], size=(60, 4))
    # A third of the pendulums almost rests where friction holds them.
    drawn[::3, :2] *= 0.01
    states = [dict(zip(("angle", "rate", "mu", "radius"), row, strict=True)) for row in drawn.tolist()]
    actual = node(
        "step", name="loaded-hinge", states=[{**start, **each} for each in states], mode="right", h=0.01
    )
    for state, after in zip(states, actual, strict=True):
        pin = loaded_hinge.pin(state["radius"], state["mu"])
        expected = loaded_hinge.pendulum_step(
            loaded_hinge.BODY, loaded_hinge.GRAVITY, state["angle"], state["rate"], loaded_hinge.STEP, pin
        )
        np.testing.assert_allclose(after["rate"], expected["rate"], atol=1e-8)
        np.testing.assert_allclose(np.sin(after["angle"]), np.sin(expected["angle"]), atol=1e-8)
    assert np.sum([each["rate"] == 0 for each in actual]) > 5
    assert node("run", name="loaded-hinge", mode="right", h=0.01, longest=3000)["status"] == "settled"
    assert node("run", name="loaded-hinge", mode="printed", h=0.01, longest=3000)["status"] == ""
