"""Friction in the joints of a chain: BISP against plain staggered projections, for increasing length.

    python benchmarks/joint_friction.py [--links 1 2 4 8] [--repeat 3]

Both solve the same chain of revolute joints with dry friction (Sueda 2.11), with the same contact points,
friction coefficient and tolerance, and share the code of their programs. BISP enforces the joints by reduced
coordinates. Plain staggered projections use six coordinates per body, and explicit contacts on both sides of
each contact point. The table has milliseconds per step, contact problems per step, and the ratio of times; a
step that has not converged after 300 contact problems is marked.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from rbnotes import joints
from rbnotes.arguments import Array
from rbnotes.contact import Contacts
from rbnotes.dynamics import State, StepProblem, StepSolution
from rbnotes.friction import Bearing, journal_bearing, staggered_projections
from rbnotes.multibody.reduced import (
    Link,
    Tree,
    bisp_step,
    gyroscopic_and_gravity_wrenches,
)
from rbnotes.multibody.reduced.bearing_reactions import BispStep
from rbnotes.shapes import Box
from rbnotes.unchecked import se3

H, MU, TOLERANCE = 0.005, 0.2, 1e-4


def chain(links: int) -> tuple[Tree, State, dict[str, Bearing]]:
    """Return rods in a chain of revolute joints, at some angles and speeds."""
    axis, end, middle = [0.0, 1.0, 0.0], np.eye(4), np.eye(4)
    end[2, 3], middle[2, 3] = -0.4, -0.2
    rod = Box([0.04, 0.04, 0.4]).spatial_inertia(mass=1.0)
    rods = [
        Link(
            f"rod {i}", joints.Revolute(axis), rod, f"rod {i - 1}" if i else None, end if i else None, middle
        )
        for i in range(links)
    ]
    generator = np.random.default_rng(links)
    state = State(q=generator.normal(size=links), qdot=generator.normal(size=links))
    bearings = {link.name: journal_bearing(0.03, 0.1, MU, axis=axis, points=4) for link in rods}
    return Tree(rods), state, bearings


def explicit_contact_problem(tree: Tree, state: State, bearings: dict[str, Bearing]) -> StepProblem:
    """Return the same step in maximal coordinates, with two contacts at each contact point of a bearing."""
    at = tree.body_kinematics(state)
    n = len(tree.links)
    mass = np.zeros((6 * n, 6 * n))
    rows: list[Array] = []
    for i, link in enumerate(tree.links):
        mass[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = tree.inertias[i]
        relative = np.zeros((6, 6 * n))
        for body, sign in ((i, 1.0), (tree.parents[i], -1.0)):
            if body >= 0:
                relative_pose = np.linalg.solve(at.body_poses[body], at.joint_poses[i])
                relative[:, 6 * body : 6 * body + 6] = sign * se3.Ad_inverse(relative_pose)
        bearing = bearings[link.name]
        contact_rows = (
            np.concatenate([bearing.normal_jacobian[:, None], bearing.tangent_jacobian], axis=1) @ relative
        )
        rows += [contact_rows, contact_rows * np.array([-1.0, 1.0, 1.0])[:, None]]
    own_wrenches = gyroscopic_and_gravity_wrenches(tree, state.q, state.qdot).ravel()
    momentum = mass @ at.phi.ravel() + H * own_wrenches
    rows_of_contacts = np.concatenate(rows)
    drift = H * rows_of_contacts[:, 0] @ at.bias_acceleration.ravel()
    return StepProblem(mass, momentum, contacts=Contacts(rows_of_contacts, MU, drift))


def milliseconds(step: Callable[[], StepSolution | BispStep], repeat: int) -> float:
    """Return the time of the fastest run."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--links", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    names = ("contacts", "BISP ms", "problems", "SP ms", "problems", "SP/BISP")
    print("links", *(f"{name:>9}" for name in names))
    for links in arguments.links:
        tree, state, bearings = chain(links)
        problem = explicit_contact_problem(tree, state, bearings)

        run_bisp = partial(bisp_step, tree, state, H, bearings, tolerance=TOLERANCE, raise_on_failure=False)
        run_staggered = partial(
            staggered_projections, problem, tolerance=TOLERANCE, max_iterations=300, raise_on_failure=False
        )
        short, long = milliseconds(run_bisp, arguments.repeat), milliseconds(run_staggered, 1)
        bisp_result, staggered_result = run_bisp(), run_staggered()
        mark = "" if staggered_result.residual <= TOLERANCE else " (SP not converged)"
        print(
            f"{links:5d} {problem.contacts.count:9d} {short:9.1f} {bisp_result.iterations:9d} {long:9.1f} "
            f"{staggered_result.iterations:9d} {long / short:9.1f}{mark}"
        )


if __name__ == "__main__":
    main()
