"""Sweeps over states and parameters, by threads, by processes, and on Dask."""

import os
import signal
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from rbnotes import joints, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import Body, Model, packing, simulate
from rbnotes.multibody.reduced import Link, Tree, forward_dynamics_dense

TREE = Tree([Link("a", joints.Revolute(), np.eye(6)), Link("b", joints.Revolute(), np.eye(6), "a")])


RUNS = {"steps": 20, "h": 0.01}


def swing(lengths, angles):
    """Return the final angles of pendulums of these lengths, one simulation for each."""
    results = []
    for length, angle in zip(lengths, angles, strict=True):
        frame = np.eye(4)
        frame[2, 3] = -length
        bob = Body("bob", mass=1.0, joint=joints.Revolute([0, 1, 0]), body_frame=frame)
        model = Model([bob])
        results.append(simulate(model, model.state(q={"bob": angle}), **RUNS).states.q[-1])
    return np.array(results)


class Counting(Executor):
    """Executor that runs tasks in this thread, counts them, and loses the first ones."""

    def __init__(self, num_lost=0):
        self.num_lost = num_lost
        self.submitted = 0

    def submit(self, function, /, *arguments):
        self.submitted += 1
        future = Future()
        if self.num_lost:
            self.num_lost -= 1
            future.set_exception(OSError("the worker is gone"))
        else:
            future.set_result(function(*arguments))
        return future


def heavier(masses, q):
    """Return a sweep over parameters: accelerations of a body of each mass under a unit force."""
    return 1.0 / masses + 0.0 * q


@pytest.mark.parametrize("parts", [1, 3, 50])
def test_sweep_with_threads(parts):
    states, compiled = np.random.default_rng(0).normal(size=(3, 20, 2)), packing.compile(TREE)
    with ThreadPoolExecutor(2) as executor:
        result = packing.sweep(compiled.forward_dynamics, *states, executor=executor, chunks=parts)
        np.testing.assert_allclose(result, forward_dynamics_dense(TREE, *states), rtol=0, atol=1e-11)


def test_sweep_with_processes():
    vectors = np.random.default_rng(0).normal(size=(7, 3))
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as executor:
        result = packing.sweep(so3.exp, vectors, executor=executor, chunks=2)
    np.testing.assert_array_equal(result, so3.exp(vectors))


@pytest.mark.slow
def test_sweep_with_dask():
    """The same call, with the executor of a client; trees travel to its workers."""
    import distributed  # slow to import

    states, compiled = np.random.default_rng(0).normal(size=(3, 20, 2)), packing.compile(TREE)
    with distributed.Client(processes=False, n_workers=1, dashboard_address=None) as client:
        executor = client.get_executor()
        result = packing.sweep(compiled.forward_dynamics, *states, executor=executor)
    np.testing.assert_allclose(result, forward_dynamics_dense(TREE, *states), rtol=0, atol=1e-11)


def test_states_of_wrong_shape_are_rejected():
    with ThreadPoolExecutor(1) as executor:
        for states in ((), (np.ones(2), np.ones(3)), (np.ones((0, 2)),)):
            with pytest.raises(InvalidArgument, match="states"):
                packing.sweep(heavier, *states, executor=executor)


PARAMETERS = np.linspace(0.5, 2.0, 10), np.linspace(-1.0, 1.0, 10)


class TestFolder:
    @pytest.mark.slow
    def test_results_of_simulations_are_read_again(self, tmp_path):
        folder = tmp_path / "new" / "study"
        first = Counting()
        result = packing.sweep(swing, *PARAMETERS, executor=first, chunks=5, folder=folder)
        np.testing.assert_array_equal(result, swing(*PARAMETERS))
        assert first.submitted == 5
        second = Counting()
        again = packing.sweep(swing, *PARAMETERS, executor=second, chunks=5, folder=str(folder))
        np.testing.assert_array_equal(again, result)
        assert second.submitted == 0

    def test_missing_and_damaged_chunks_are_evaluated(self, tmp_path):
        result = packing.sweep(heavier, *PARAMETERS, executor=Counting(), chunks=5, folder=tmp_path)
        (tmp_path / "000001.npy").unlink()
        content = (tmp_path / "000003.npy").read_bytes()
        (tmp_path / "000003.npy").write_bytes(content[:-4])
        np.save(tmp_path / "000004.npy", np.zeros(7))
        executor, calls = Counting(), []
        again = packing.sweep(
            heavier,
            *PARAMETERS,
            executor=executor,
            chunks=5,
            folder=tmp_path,
            progress=lambda done, count: calls.append((done, count)),
        )
        np.testing.assert_array_equal(again, result)
        assert executor.submitted == 3
        assert calls == [(4, 10), (6, 10), (8, 10), (10, 10)]
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            *(f"00000{number}.npy" for number in range(5)),
            "study.json",
        ]

    @pytest.mark.parametrize(
        ("function", "states", "chunks", "match"),
        [
            (swing, PARAMETERS, 5, "another value of function$"),
            (partial(swing), PARAMETERS, 5, "another value of function$"),
            (heavier, (PARAMETERS[0], PARAMETERS[1] + 1e-12), 5, "another value of states$"),
            (heavier, (PARAMETERS[0][:9], PARAMETERS[1][:9]), 5, "another value of shapes, states$"),
            (heavier, PARAMETERS, 4, "another value of chunks$"),
        ],
    )
    def test_folder_of_another_study_is_refused(self, tmp_path, function, states, chunks, match):
        packing.sweep(heavier, *PARAMETERS, executor=Counting(), chunks=5, folder=tmp_path)
        executor = Counting()
        match = r"folder: got .*" + match.replace("$", ", expected one of this study")
        with pytest.raises(InvalidArgument, match=match):
            packing.sweep(function, *states, executor=executor, chunks=chunks, folder=tmp_path)
        assert executor.submitted == 0

    def test_other_folders_are_refused(self, tmp_path):
        def run(folder):
            packing.sweep(heavier, *PARAMETERS, executor=Counting(), folder=folder)

        (tmp_path / "file").write_text("")
        for folder in ("", tmp_path / "file"):
            with pytest.raises(
                InvalidArgument, match=r"folder: got .* expected a folder, or a name that does"
            ):
                run(folder)
        with pytest.raises(InvalidArgument, match=r"folder: got .* with other files"):
            run(tmp_path)
        (tmp_path / "damaged").mkdir()
        for text in ("{", "[]"):
            (tmp_path / "damaged" / "study.json").write_text(text)
            with pytest.raises(InvalidArgument, match=r"folder: got .*study"):
                run(tmp_path / "damaged")
        # A process that was killed while it wrote the first file leaves a part of it.
        (tmp_path / "begun").mkdir()
        (tmp_path / "begun" / "study.json.x.part").write_text("{")
        run(tmp_path / "begun")

    def test_an_error_of_the_function_keeps_what_is_done(self, tmp_path):
        def fragile(masses, q):
            if masses[0] > 1.4 and not repaired:
                raise ZeroDivisionError("no such mass")
            return heavier(masses, q)

        repaired = []
        with pytest.raises(ZeroDivisionError) as caught:
            packing.sweep(fragile, *PARAMETERS, executor=Counting(), chunks=5, folder=tmp_path)
        assert caught.value.__notes__[0] in [f"in chunk {n} of the sweep, counted from 0" for n in (3, 4)]
        assert len(list(tmp_path.glob("*.npy"))) == 3
        repaired.append(True)
        executor = Counting()
        packing.sweep(fragile, *PARAMETERS, executor=executor, chunks=5, folder=tmp_path)
        assert executor.submitted == 2


def test_chunks_of_lost_workers_are_submitted_again():
    executor = Counting(num_lost=7)  # 5, then 2 of 5
    result = packing.sweep(heavier, *PARAMETERS, executor=executor, chunks=5)
    np.testing.assert_array_equal(result, heavier(*PARAMETERS))
    assert executor.submitted == 5 + 5 + 2
    with pytest.raises(OSError, match="the worker is gone"):
        packing.sweep(heavier, *PARAMETERS, executor=Counting(num_lost=100), chunks=5)


def test_results_of_wrong_size_are_refused():
    for function, got in (
        (lambda masses, q: masses[1:], r"a result of shape \(1,\) and type float64"),
        (lambda masses, q: 1.0, r"a result of shape \(\) and type float64"),
        (lambda masses, q: [None] * len(q), r"a result of shape \(2,\) and type object"),
    ):
        with pytest.raises(InvalidArgument, match=f"function: got {got}, expected an entry for each of 2"):
            packing.sweep(function, *PARAMETERS, executor=Counting(), chunks=5)


def heavier_once(path, masses, q):
    """Return the results, but end the process of the worker the first time that the largest mass comes."""
    if masses[-1] == PARAMETERS[0][-1]:
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return heavier(masses, q)


@pytest.fixture
def importable_tests(monkeypatch):
    """Let processes import this module, which has the function that they call."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parents[2])])


@pytest.mark.slow
@pytest.mark.usefixtures("importable_tests")
def test_broken_pool_keeps_what_is_done(tmp_path):
    function = partial(heavier_once, tmp_path / "killed")
    settings = {"chunks": 10, "folder": tmp_path / "study"}
    with (
        ProcessPoolExecutor(1, mp_context=get_context("forkserver")) as executor,
        pytest.raises(BrokenProcessPool),
    ):
        packing.sweep(function, *PARAMETERS, executor=executor, **settings)
    done = len(list((tmp_path / "study").glob("*.npy")))
    assert done >= 8
    executor = Counting()
    result = packing.sweep(function, *PARAMETERS, executor=executor, **settings)
    np.testing.assert_array_equal(result, heavier(*PARAMETERS))
    assert executor.submitted == 10 - done


@pytest.mark.slow
@pytest.mark.usefixtures("importable_tests")
def test_killed_dask_worker_costs_its_chunks(tmp_path):
    import dask  # slow to import
    import distributed

    settings = {"distributed.admin.tick.interval": "1s", "distributed.worker.multiprocessing-method": "spawn"}
    calls = []
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = set(client.run(os.getpid).values())
        result = packing.sweep(
            partial(heavier_once, tmp_path / "killed"),
            *PARAMETERS,
            executor=client.get_executor(),
            chunks=10,
            folder=tmp_path / "study",
            progress=lambda done, count: calls.append((done, count)),
        )
        assert (tmp_path / "killed").exists()
        client.wait_for_workers(2, timeout=60)
        assert set(client.run(os.getpid).values()) != workers
    np.testing.assert_array_equal(result, heavier(*PARAMETERS))
    assert calls == [(number, 10) for number in range(1, 11)]
    assert len(list((tmp_path / "study").glob("*.npy"))) == 10
