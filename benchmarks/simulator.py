"""Compare a step of the simulator with one of MuJoCo, for the same scenes.

    pip install ".[bench]" -c constraints.txt
    OMP_NUM_THREADS=1 python benchmarks/simulator.py             # a minute; prints a table
    OMP_NUM_THREADS=1 python benchmarks/simulator.py --check     # and exits 1 if a limit is exceeded
    OMP_NUM_THREADS=1 python benchmarks/simulator.py --heap 200  # with the whole heap

The scenes are a stack of five boxes, each rotated a little, a swinging chain of twenty revolute joints, boxes
dropped in a heap, and a quadruped with eight servos on a floor, standing and trotting; the step is 5 ms. The
codes run alternately in one process, in many short rounds. The result is the median over the rounds of the
ratio of processor times in the same round. MuJoCo has all joints in joint coordinates; here the chain has
constraints, and again joint coordinates, as the quadruped. Then comes the accuracy of the stack after a
second: deepest overlap, slip and sinking. Last comes the search for contacts of 250 and of 1,000 boxes in a
cloud, in which few touch: the time for each body, and the ratio of the two.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import mujoco
import numpy as np
from hanging_chain import hanging_chain

from rbnotes import Body, Model, quaternion, se3, simulate, so3
from rbnotes.arguments import Array
from rbnotes.joints import Free3D
from rbnotes.multibody import PositionServo, maximal_coordinates
from rbnotes.multibody.formats import example, load_mjcf, load_urdf, to_mjcf
from rbnotes.multibody.packing.packed_colliders import pack_colliders
from rbnotes.shapes import Box, Plane

STEP = 0.005
BOXES, LINKS = 5, 20
ROUNDS, STEPS_PER_ROUND = 9, 1000
"""Rounds, and steps of a round, five seconds; the reference takes fewer."""
ACCURACY_STEPS = 200
"""Steps after which the errors of the stack are measured, one second."""
HEAP_BOXES, HEAP_COLUMNS = 30, 9
"""Number of boxes of the heap in quick runs, and of columns from which they fall."""
HEAP_ROUNDS, HEAP_STEPS = 3, 60
"""Rounds and steps of a round with the heap."""
LIMITS = {
    "stack": 3.0,
    "chain": 4.0,
    "heap": 4.0,
    "chain in joint coordinates": 1.5,
    "quadruped standing": 3.0,
    "quadruped trotting": 3.0,
}
"""Limits of the compiled simulator's time over MuJoCo's."""
LEGS = {"front_left": 1, "front_right": 1, "hind_left": -1, "hind_right": -1}
"""Legs of the quadruped, and the directions in which they bend."""
CLOUD_BOXES, CLOUD_ROUNDS = (250, 1000), 9
"""Numbers of boxes of the clouds, and rounds of contact searches."""
MAX_COST_RATIO = 1.5
"""Limit of the time for each body of the large cloud over that of the small one: more of its boxes have
neighbors on all sides.
"""


class Scene(NamedTuple):
    """Scene for both simulators.

    Attributes
    ----------
    run
        Function that takes a number of steps, compiled or not.
    description
        The same scene for MuJoCo; it starts at the keyframe, if there is one.
    commands
        Commands of MuJoCo's actuators before each step ``(steps, k)``, or None.
    """

    run: Callable[[int, bool], object]
    description: str
    commands: Array | None = None


def model_scene(model: Model, description: str, coordinates: str = "maximal") -> Scene:
    """Return the scene of a model from its initial state."""

    def run(steps: int, compiled: bool) -> object:
        return simulate(model, h=STEP, steps=steps, coordinates=coordinates, compiled=compiled)

    return Scene(run, description)


def quadruped(is_trotting: bool) -> Scene:
    """Return a quadruped on a floor, which stands or trots with sampled commands."""
    posture = {
        f"{leg}_{part}": sign * angle
        for leg, sign in LEGS.items()
        for part, angle in (("thigh", 0.7), ("shank", -1.4))
    }
    servos = [PositionServo(name, kp=60.0, kd=0.5, force_limit=40.0) for name in posture]
    model = load_urdf(example("quadruped"), base=Free3D()).model(ground=Plane(), mu=0.8, actuators=servos)
    height = 0.4 * np.cos(0.7) + 0.022
    state = model.state(q=posture, poses={"trunk": se3.frame(np.eye(3), [0, 0, height])})
    phases = np.array([name.startswith(("front_left", "hind_right")) for name in posture])
    times = STEP * np.arange(STEPS_PER_ROUND + 1)[:, None]
    swing = 0.2 * np.sin(2 * np.pi * 2.0 * times + np.pi * phases) if is_trotting else 0.0 * times
    order = [model.bodies[i].name for i in range(len(model.bodies)) if model.bodies[i].name in posture]
    commands = np.array([posture[name] for name in order]) + swing

    def run(steps: int, compiled: bool) -> object:
        own = commands[: steps + 1]
        return simulate(model, state, h=STEP, steps=steps, control=own, compiled=compiled)

    text = to_mjcf(model)
    qpos, _ = load_mjcf(text).qpos_qvel(state)
    key = f'<keyframe><key qpos="{numbers(qpos)}" ctrl="{numbers(commands[0])}"/></keyframe>'
    option = f'<option timestep="{STEP}" cone="elliptic"/>'
    description = text.replace("</mujoco>", f"{option}{key}</mujoco>")
    return Scene(run, description, commands[:-1] if is_trotting else None)


def boxes(side: float, poses: Array) -> Model:
    """Return cubes at poses ``(n, 4, 4)`` above a plane."""
    cube = Box([side] * 3)
    return Model([Body(f"{i}", cube, density=1000.0, pose=E) for i, E in enumerate(poses)], ground=Plane())


def stack() -> tuple[Model, str]:
    """Return a stack of boxes, and the same for MuJoCo."""
    rotations = so3.exp([[0.0, 0.0, 0.1 * i] for i in range(BOXES)])
    poses = se3.frame(rotations, [[0.01 * i, 0.0, 0.2 + 0.4 * i] for i in range(BOXES)])
    bodies = "".join(
        f'<body pos="{0.01 * i} 0 {0.2 + 0.4 * i}" euler="0 0 {0.1 * i}"><freejoint/>'
        '<geom type="box" size="0.2 0.2 0.2" density="1000" friction="0.5"/></body>'
        for i in range(BOXES)
    )
    ground = '<geom type="plane" size="0 0 1" friction="0.5"/>'
    return boxes(0.4, poses), mujoco_scene(ground + bodies, 'cone="elliptic"')


def chain() -> tuple[Model, str]:
    """Return a chain of rods with revolute joints under a slanting weight, and the same for MuJoCo."""
    bodies = ""
    for i in reversed(range(LINKS)):
        bodies = (
            f'<body pos="0 0 {-0.5 if i else -0.25}"><joint type="hinge" axis="0 1 0" pos="0 0 0.25"/>'
            '<geom type="box" size="0.05 0.05 0.25" density="1000" contype="0" conaffinity="0"/>'
            f"{bodies}</body>"
        )
    model = hanging_chain(LINKS, Box([0.1, 0.1, 0.5]), 1000.0)
    return model, mujoco_scene(bodies, 'gravity="3 0 -9.81"')


def heap(count: int) -> tuple[Model, str]:
    """Return boxes in any orientation above a plane, and the same for MuJoCo."""
    rng, columns = np.random.default_rng(0), round(HEAP_COLUMNS**0.5)
    number = np.arange(count)
    grid = np.stack([number % columns, number // columns % columns, number // HEAP_COLUMNS], axis=1)
    positions = 0.6 * grid + [0.0, 0.0, 0.4] + rng.uniform(-0.05, 0.05, (count, 3))
    quaternions = quaternion.normalize(rng.normal(size=(count, 4)))
    bodies = "".join(
        f'<body pos="{numbers(position)}" quat="{numbers(orientation)}"><freejoint/>'
        '<geom type="box" size="0.2 0.2 0.2" density="1000" friction="0.5"/></body>'
        for position, orientation in zip(positions, quaternions, strict=True)
    )
    ground = '<geom type="plane" size="0 0 1" friction="0.5"/>'
    model = boxes(0.4, se3.frame(quaternion.to_rotation(quaternions), positions))
    return model, mujoco_scene(ground + bodies, 'cone="elliptic"')


def numbers(values: Array) -> str:
    return " ".join(str(value) for value in values.tolist())


def mujoco_scene(bodies: str, options: str) -> str:
    return (
        f'<mujoco><compiler angle="radian"/><size memory="200M"/><option timestep="{STEP}" {options}/>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


def seconds(run: Callable[[], object], steps: int) -> float:
    """Return the processor time per step in s."""
    start = time.process_time()
    run()
    return (time.process_time() - start) / steps


def measure_scene(scene: Scene, rounds: int, steps: int, reference_steps: int) -> dict[str, list[float]]:
    """Return the seconds of a step, a list with one entry for each round; the reference takes fewer steps."""
    mujoco_model = mujoco.MjModel.from_xml_string(scene.description)
    data = mujoco.MjData(mujoco_model)

    def run_mujoco() -> None:
        if scene.commands is None:
            mujoco.mj_step(mujoco_model, data, steps)
            return
        for command in scene.commands[:steps]:
            data.ctrl[:] = command
            mujoco.mj_step(mujoco_model, data)

    runs: dict[str, tuple[Callable[[], object], int]] = {
        "MuJoCo": (run_mujoco, steps),
        "rbnotes": (lambda: scene.run(reference_steps, False), reference_steps),
        "rbnotes, compiled": (lambda: scene.run(steps, True), steps),
    }
    if not reference_steps:
        del runs["rbnotes"]
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run, _ in runs.values():
        run()
    for _ in range(rounds):
        mujoco.mj_resetData(mujoco_model, data)
        if mujoco_model.nkey:
            mujoco.mj_resetDataKeyframe(mujoco_model, data, 0)
        for name, (run, count) in runs.items():
            times[name].append(seconds(run, count))
    return times


def stack_errors() -> dict[str, tuple[float, float, float]]:
    """Return the deepest overlap, largest slip and largest sinking of the stack after a second, m."""
    model, description = stack()
    motion = simulate(model, h=STEP, steps=ACCURACY_STEPS, compiled=True)
    mujoco_model = mujoco.MjModel.from_xml_string(description)
    data = mujoco.MjData(mujoco_model)
    mujoco.mj_step(mujoco_model, data, ACCURACY_STEPS)
    start = motion.states.E[0, :, :3, 3]
    ends = {
        "MuJoCo": (data.xpos[1:], -float(np.min(data.contact.dist, initial=0.0))),
        "rbnotes, compiled": (motion.states.E[-1, :, :3, 3], float(motion.contacts.max_overlaps[-1])),
    }
    return {
        name: (overlap, *(float(np.max(np.abs(part))) for part in np.split(positions - start, [2], axis=1)))
        for name, (positions, overlap) in ends.items()
    }


def cloud(count: int) -> Model:
    """Return boxes above a plane with the same mean distance for any count."""
    rng = np.random.default_rng(count)
    positions = rng.uniform(0.0, 2.0 * count ** (1 / 3), (count, 3))
    positions[:, 2] += 0.2
    rotations = quaternion.to_rotation(quaternion.normalize(rng.normal(size=(count, 4))))
    return boxes(0.2, se3.frame(rotations, positions))


def contact_search_times() -> dict[str, Array]:
    """Return the seconds for each body of contact searches in both clouds ``(rounds, 2)``."""
    clouds = [cloud(count) for count in CLOUD_BOXES]
    poses = [model.state().E for model in clouds]
    searches = {
        "rbnotes": [maximal_coordinates(model).maximal_model.detect_contacts for model in clouds],
        "rbnotes, compiled": [
            pack_colliders(model.colliders, len(model.bodies), ()).detect_contacts for model in clouds
        ],
    }
    times = {}
    for name, functions in searches.items():
        runs = [partial(detect, E, 0.001) for detect, E in zip(functions, poses, strict=True)]
        for run in runs:
            run()
        times[name] = np.array(
            [
                [seconds(run, count) for run, count in zip(runs, CLOUD_BOXES, strict=True)]
                for _ in range(CLOUD_ROUNDS)
            ]
        )
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a limit is exceeded")
    parser.add_argument("--heap", type=int, default=HEAP_BOXES, help="number of boxes of the heap")
    options = parser.parse_args()
    missed = False
    print("| scene | simulator | ms per step | over MuJoCo |", "|---|---|---|---|", sep="\n")
    scenes = (
        ("stack", f"{BOXES} boxes", model_scene(*stack()), (ROUNDS, STEPS_PER_ROUND, 10)),
        ("chain", f"{LINKS} links", model_scene(*chain()), (ROUNDS, STEPS_PER_ROUND, 6)),
        (
            "chain in joint coordinates",
            f"{LINKS} links in joint coordinates",
            model_scene(*chain(), coordinates="reduced"),
            (ROUNDS, STEPS_PER_ROUND, 6),
        ),
        ("quadruped standing", "quadruped standing", quadruped(False), (ROUNDS, STEPS_PER_ROUND, 6)),
        ("quadruped trotting", "quadruped trotting", quadruped(True), (ROUNDS, STEPS_PER_ROUND, 6)),
        (
            "heap",
            f"heap of {options.heap} boxes",
            model_scene(*heap(options.heap)),
            (HEAP_ROUNDS, HEAP_STEPS, 0),
        ),
    )
    for kind, name, scene, counts in scenes:
        times = measure_scene(scene, *counts)
        for simulator, of_rounds in times.items():
            ratio = statistics.median(a / b for a, b in zip(of_rounds, times["MuJoCo"], strict=True))
            missed |= simulator == "rbnotes, compiled" and ratio > LIMITS[kind]
            print(f"| {name} | {simulator} | {1000 * min(of_rounds):.3g} | {ratio:.3g} |")
    print("\n| simulator | overlap, m | slip, m | sinking, m |", "|---|---|---|---|", sep="\n")
    errors = stack_errors()
    for simulator, numbers in errors.items():
        print(f"| {simulator} |", " | ".join(f"{number:.2g}" for number in numbers), "|")
    missed |= any(ours > theirs for theirs, ours in zip(*errors.values(), strict=True))
    few, many = CLOUD_BOXES
    print(
        f"\n| contact search | us per body, {few} boxes | {many} boxes | ratio |",
        "|---|---|---|---|",
        sep="\n",
    )
    for simulator, times in contact_search_times().items():
        ratio = float(np.median(times[:, 1] / times[:, 0]))
        missed |= ratio > MAX_COST_RATIO
        small, large = 1e6 * np.min(times, axis=0)
        print(f"| {simulator} | {small:.3g} | {large:.3g} | {ratio:.3g} |")
    return int(options.check and missed)


if __name__ == "__main__":
    sys.exit(main())
