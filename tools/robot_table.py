"""Compare rbnotes and Pinocchio on every robot of the PyPI package example-robot-data.

    pip install ".[robots,test]" -c constraints.txt      # 130 MB of robots, meshes and all
    python tools/robot_table.py                          # a minute; prints the tables of the book
    python tools/robot_table.py --only talos tiago

Each robot has a fixed and a free base, in several random states. The tool compares, relative to the largest
entry, the mass matrix, joint forces at rest (gravity), in motion (bias) and with random accelerations, and
the Jacobians and poses of all links of the file. Separately it compares the accelerations under random joint
forces, whose error grows with the condition number of the mass matrix.

A file with inconsistent data is read with repairs, and Pinocchio reads the repaired robot that rbnotes
writes. Without ``--only`` the tables are also written to book/_data. Exit status 1 if a robot differs by more
than 1e-10, or its accelerations by more than that times the condition number.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "multibody" / "reduced"))

import pinocchio_robots  # noqa: E402  # the path comes first

from rbnotes import se3  # noqa: E402  # the path comes first
from rbnotes.arguments import Array, InvalidArgument  # noqa: E402  # the path comes first
from rbnotes.joints import Free3D  # noqa: E402  # the path comes first
from rbnotes.multibody import reduced  # noqa: E402  # the path comes first
from rbnotes.multibody.formats import Robot, load_urdf, to_urdf  # noqa: E402  # the path comes first

TABLES = ROOT / "book" / "_data"
GRAVITY = [0.0, 0.0, -9.81]
STATES = 3
TOLERANCE = 1e-10


class Row(NamedTuple):
    """Robot of the table.

    Attributes
    ----------
    robot
        Name of the robot.
    links
        Number of links in the file.
    coordinates
        Number of coordinates on a fixed base.
    dynamics
        Largest relative difference, without accelerations.
    accelerations
        Largest relative difference of accelerations.
    condition
        Largest condition number of a mass matrix.
    remark
        First repair of the file, and the number of further ones.
    """

    robot: str
    links: int
    coordinates: int
    dynamics: float
    accelerations: float
    condition: float
    remark: str

    @property
    def agrees(self) -> bool:
        return self.dynamics < TOLERANCE and self.accelerations < TOLERANCE * self.condition


def files() -> Iterator[Path]:
    """Yield the URDF files of the package."""
    robots = metadata.distribution("example-robot-data").locate_file(
        "cmeel.prefix/share/example-robot-data/robots"
    )
    yield from sorted(Path(str(robots)).rglob("*.urdf"), key=lambda path: title(path).lower())


def title(path: Path) -> str:
    """Return a robot's name, with the name of its family where it is ambiguous."""
    family = path.parents[1].name.removesuffix("_description").removesuffix("_data")
    return path.stem if path.stem.startswith(family) else f"{family}/{path.stem}"


def reason(repair: str) -> str:
    """Return the reason of a repair in few words, for a column of the table."""
    name = repair.split("'")[1]
    for sign, words in (
        ("principal moments", "inertia that no body has"),
        ("inertia without mass", "inertia without mass"),
        ("carries no mass", "moves, without mass"),
        ("moves by itself", "mimics no joint"),
    ):
        if sign in repair:
            return f"{name}: {words}"
    return repair


def compare_robot(path: Path) -> Row | str:
    """Return the row of a robot, or the reason why there is none."""
    try:
        robots = [load_urdf(path, base=Free3D(), repair=True, gravity=GRAVITY)]
    except InvalidArgument as error:
        return str(error)
    if robots[0].tree.num_coordinates > 6:
        robots.append(load_urdf(path, repair=True, gravity=GRAVITY))
    repairs = robots[0].repairs
    remark = "" if not repairs else reason(repairs[0]) + (f" (+{len(repairs) - 1})" if repairs[1:] else "")
    max_differences = np.zeros(3)
    rng = np.random.default_rng(0)
    for robot in robots:
        model = _model(path, robot)
        for _ in range(STATES):
            max_differences = np.maximum(max_differences, _differences(robot, model, rng))
    dynamics, accelerations, condition = max_differences.tolist()
    return Row(
        title(path),
        len(robots[0].frames),
        robots[0].tree.num_coordinates - 6,
        dynamics,
        accelerations,
        condition,
        remark,
    )


def _model(path: Path, robot: Robot) -> pinocchio.Model:
    if robot.repairs:
        return pinocchio.buildModelFromXML(to_urdf(robot))
    if isinstance(robot.tree.links[0].joint, Free3D):
        return pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    return pinocchio.buildModelFromUrdf(str(path))


def _differences(robot: Robot, model: pinocchio.Model, rng: np.random.Generator) -> Array:
    """Return the relative differences of dynamics and accelerations, and the condition number of M."""
    tree = robot.tree
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    at = pinocchio_robots.reference(robot, model, q, v)
    at_rest = pinocchio_robots.reference(robot, model, q, 0 * v)
    dampers = reduced.passive_joint_forces(tree, q, v)  # Pinocchio has no dampers
    M = reduced.mass_matrix(tree, q)
    pairs = [
        (M, pinocchio_robots.mass_matrix(at)),
        (
            reduced.inverse_dynamics_dense(tree, q, 0 * v, 0 * v),
            pinocchio_robots.inverse_dynamics(at_rest, 0 * v, 0 * v),
        ),
        (
            reduced.inverse_dynamics_dense(tree, q, v, 0 * v) + dampers,
            pinocchio_robots.inverse_dynamics(at, v, 0 * v),
        ),
        (
            reduced.inverse_dynamics_dense(tree, q, v, a) + dampers,
            pinocchio_robots.inverse_dynamics(at, v, a),
        ),
    ]
    motion = reduced.body_kinematics(tree, q, v)
    for name, frame in robot.frames.items():
        if frame.link is not None:
            i = tree.index(frame.link)
            pose, J = pinocchio_robots.frame(at, name)
            pairs.append((motion.joint_poses[i] @ frame.pose, pose))
            pairs.append(
                (se3.Ad_inverse(frame.pose) @ np.linalg.solve(tree.joint_to_body_adjoints[i], motion.J[i]), J)
            )
    computed = reduced.forward_dynamics_dense(tree, q, v, a - dampers)
    accelerations = _relative(computed, pinocchio_robots.forward_dynamics(at, v, a))
    return np.array([max(_relative(*pair) for pair in pairs), accelerations, np.linalg.cond(M)])


def _relative(actual: Array, expected: Array) -> float:
    return float(np.max(np.abs(actual - expected)) / np.max(np.abs(expected), initial=1e-6))


def _write(name: str, header: list[str], rows: list[list[str]]) -> None:
    TABLES.mkdir(exist_ok=True)
    with (TABLES / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only robots with such names")
    args = parser.parse_args()
    numbers, remarks, bad = [], [], 0
    print(f"{'robot':44}{'links':>6}{'coordinates':>12}{'dynamics':>10}{'accel.':>10}  remark")
    for path in files():
        if args.only and not any(part in title(path) for part in args.only):
            continue
        row = compare_robot(path)
        if isinstance(row, str):
            print(f"{title(path):44}{row}")
            remarks.append([title(path), row])
            continue
        cells = [f"{row.dynamics:.0e}", f"{row.accelerations:.0e}"]
        numbers.append([row.robot, str(row.links), str(row.coordinates), *cells])
        if row.remark:
            remarks.append([row.robot, row.remark])
        print(f"{row.robot:44}{row.links:>6}{row.coordinates:>12}{cells[0]:>10}{cells[1]:>10}  {row.remark}")
        if not row.agrees:
            bad += 1
            print(f"    differs: condition number {row.condition:.1e}")
    if not args.only:
        _write("robots.csv", ["robot", "links", "coordinates", "dynamics", "accelerations"], numbers)
        _write("robot-repairs.csv", ["robot", "what is wrong"], remarks)
    print(f"{len(numbers)} robots, {bad} that differ")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
