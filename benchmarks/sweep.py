"""Measure a parameter study on a Dask cluster of this machine, one of whose workers is killed on the way.

    OMP_NUM_THREADS=1 python benchmarks/sweep.py FOLDER                  # 100,000 simulations
    OMP_NUM_THREADS=1 python benchmarks/sweep.py FOLDER --runs 1000 --workers 4

Each simulation is a ball that is thrown with a speed and a friction coefficient of its own, and slides until
it rolls: twenty compiled steps. The results are stored in FOLDER; a second call continues a study that was
interrupted. Prints the time, the runs in a second, and the largest error of the speeds against 5/7 of the
initial ones, for balls that roll at the end.
"""

from __future__ import annotations

import argparse
import os
import signal
import time

import dask
import distributed
import numpy as np

from rbnotes import shapes
from rbnotes.multibody import Body, Model, packing, simulate

RUNS_PER_CHUNK = 100
STEP, STEPS, RADIUS = 0.01, 20, 0.1


def final_speeds(speeds, coefficients):
    """Return the speeds of the balls after all steps, one simulation for each."""
    results = []
    for speed, mu in zip(speeds, coefficients, strict=True):
        ball = Body("ball", shapes.Sphere(RADIUS), density=500.0, position=[0, 0, RADIUS])
        model = Model([ball], ground=shapes.Plane(), mu=float(mu))
        state = model.state(twists={"ball": [0, 0, 0, speed, 0, 0]})
        motion = simulate(model, state, h=STEP, steps=STEPS, compiled=True)
        results.append(motion.twists("ball")[-1, 3:])
    return np.linalg.norm(results, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    speeds, coefficients = rng.uniform(0.5, 2.0, options.runs), rng.uniform(0.1, 0.8, options.runs)
    final_speeds(speeds[:1], coefficients[:1])  # compiles
    settings = {"distributed.worker.multiprocessing-method": "spawn"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=options.workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        start, first, reported = time.perf_counter(), 0, 0.0
        victim = next(iter(client.run(os.getpid).values()))

        def progress(done: int, count: int) -> None:
            nonlocal victim, first, reported
            first = first or done
            if victim and done - first >= 5 * RUNS_PER_CHUNK:
                os.kill(victim, signal.SIGKILL)
                print(f"killed a worker after {done} runs", flush=True)
                victim = 0
            if time.perf_counter() > reported + 10:
                reported = time.perf_counter()
                print(f"{done} of {count} runs, {reported - start:.0f} s", flush=True)

        chunks = -(-options.runs // RUNS_PER_CHUNK)
        results = packing.sweep(
            final_speeds,
            speeds,
            coefficients,
            executor=client.get_executor(),
            chunks=chunks,
            folder=options.folder,
            progress=progress,
        )
        seconds = time.perf_counter() - start
    # A sliding ball rolls after 2 v / (7 mu g), at 5/7 of its speed.
    rolls = 2 * speeds / (7 * coefficients * 9.81) < STEP * (STEPS - 1)
    error = np.max(np.abs(results / speeds - 5 / 7)[rolls])
    rate = (options.runs - first) / seconds
    print(
        f"{options.runs} runs in {chunks} chunks, {seconds:.0f} s, {rate:.0f} in a second, error {error:.1e}"
    )


if __name__ == "__main__":
    main()
