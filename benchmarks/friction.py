"""Measure what the fallbacks of the friction solver cost on scenes that need none of them.

    OMP_NUM_THREADS=1 python benchmarks/friction.py            # half a minute; prints a table
    OMP_NUM_THREADS=1 python benchmarks/friction.py --check    # and exits 1 if a limit is exceeded

The steps of three scenes, a stack of boxes, a sliding box and boxes that fall on each other, are recorded
with their warm starts. `semismooth_newton_friction`, which judges each result by the laws and has further
solvers for failures, and its first solver alone, which returns what it finds, solve them in turns. Times are
processor times, for each problem the shortest of all rounds. *Solver* is the ratio of their sums, *scene* the
ratio of the times of whole simulations, and *fallbacks* counts the problems that the first solver does not
solve. The limits bound the ratio for all scenes together, and the number of fallbacks, which is zero.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from rbnotes import Body, Model, arguments, simulate
from rbnotes.arguments import Array
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction import FrictionModel, semismooth_newton_friction
from rbnotes.friction.contact_problem import friction_contact_problem
from rbnotes.friction.residuals import natural_residual_unchecked, project_on_cone_unchecked
from rbnotes.friction.semismooth_newton import TOLERANCE, newton_search
from rbnotes.shapes import Box, Plane

ROUNDS, SCENE_ROUNDS = 15, 5
STEP, STEPS = 0.005, 40
LIMIT = 1.02
"""Largest ratio of the times of all simulations with and without fallbacks."""
MAX_ITERATIONS = 50
"""Newton steps of a search, the default of the solver."""

Recorded = tuple[StepProblem, Array | None]


@dataclass
class Recorder:
    """Friction model that records the problems it solves and their warm starts."""

    steps: list[Recorded] = field(default_factory=list)

    def __call__(self, problem: StepProblem, initial_guess: Array | None = None) -> StepSolution:
        self.steps.append((problem, initial_guess))
        return semismooth_newton_friction(problem, initial_guess=initial_guess)


def first_solver(problem: StepProblem, initial_guess: Array | None = None) -> StepSolution:
    """Solve a step by one search of Newton's method for each island, and return what it finds."""
    tolerance = arguments.positive_number("tolerance", TOLERANCE)
    max_iterations = arguments.count("max_iterations", MAX_ITERATIONS, minimum=1)
    contact_problem = friction_contact_problem(problem)
    guess = np.zeros((contact_problem.count, 3))
    if initial_guess is not None:
        guess = arguments.array("initial_guess", initial_guess, contact_problem.count, 3)
    impulses = project_on_cone_unchecked(guess, contact_problem.mu)
    iterations = 0
    for members, island in contact_problem.islands():
        impulses[members], _, steps = newton_search(island, impulses[members], tolerance, max_iterations)
        iterations += steps
    residual = natural_residual_unchecked(
        contact_problem, impulses, contact_problem.velocities_from_impulses(impulses)
    )
    return contact_problem.step_solution(impulses, iterations=iterations, residual=residual, method="Newton")


def stack() -> tuple[Model, dict[str, list[float]]]:
    """Return five boxes on each other, and no velocities."""
    boxes = [
        Body(f"box {i}", Box([0.4] * 3), density=1000.0, position=[0.01 * i, 0, 0.2 + 0.4 * i])
        for i in range(5)
    ]
    return Model(boxes, ground=Plane(), mu=0.5), {}


def slide() -> tuple[Model, dict[str, list[float]]]:
    """Return a box that slides and turns on the ground."""
    box = Body("box", Box([0.4, 0.4, 0.2]), density=1000.0, position=[0, 0, 0.1])
    return Model([box], ground=Plane(), mu=0.3), {"box": [0, 0, 2.0, 3.0, 0, 0]}


def fall() -> tuple[Model, dict[str, list[float]]]:
    """Return boxes that fall on the ground and on each other."""
    rng = np.random.default_rng(1)
    boxes = [
        Body(
            f"box {i}",
            Box([0.2, 0.2, 0.1]),
            density=500.0,
            position=[*rng.uniform(-0.05, 0.05, 2), 0.06 + 0.12 * i],
        )
        for i in range(4)
    ]
    return Model(boxes, ground=Plane(), mu=0.5), {}


SCENES = {"stack of 5 boxes": stack, "a box slides": slide, "4 boxes fall": fall}


def process_time(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(name: str) -> Array:
    """Return the numbers of problems and of fallbacks, and the times of both solvers and of the scene."""
    model, twists = SCENES[name]()
    state = model.state(twists=twists)
    recorder = Recorder()
    solvers = (semismooth_newton_friction, first_solver)

    def run(function: Callable[..., StepSolution]) -> None:
        friction_model = FrictionModel(function, accepts_initial_guess=True)
        simulate(model, state, h=STEP, steps=STEPS, friction_model=friction_model, compiled=False)

    run(recorder)
    solutions = [first_solver(problem, initial_guess=guess) for problem, guess in recorder.steps]
    fallbacks = sum(not solution.residual <= TOLERANCE for solution in solutions)
    times = np.full((len(solvers), len(recorder.steps)), np.inf)
    gc.disable()
    for _ in range(ROUNDS):
        for i, (problem, guess) in enumerate(recorder.steps):
            for k, solver in enumerate(solvers):
                seconds = process_time(partial(solver, problem, initial_guess=guess))
                times[k, i] = min(times[k, i], seconds)
    simulation_time = min(process_time(lambda: run(semismooth_newton_friction)) for _ in range(SCENE_ROUNDS))
    gc.enable()
    return np.array([len(recorder.steps), fallbacks, *times.sum(axis=1), simulation_time])


def print_row(name: str, counts_and_times: Array) -> float:
    """Print a line of the table; return the ratio of the times of the scene."""
    count, fallbacks, full, first, scene = counts_and_times
    ratio = float(scene / (scene - (full - first)))
    print(f"| {name} | {count:.0f} | {fallbacks:.0f} | {full / first:.3f} | {ratio:.3f} |", flush=True)
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a limit is exceeded")
    options = parser.parse_args()
    print("| scene | problems | fallbacks | solver | scene |", "|---|---|---|---|---|", sep="\n")
    results = []
    for name in SCENES:
        results.append(measure(name))
        print_row(name, results[-1])
    total = np.sum(results, axis=0)
    missed = print_row("all", total) > LIMIT or total[1] > 0
    return int(options.check and missed)


if __name__ == "__main__":
    sys.exit(main())
