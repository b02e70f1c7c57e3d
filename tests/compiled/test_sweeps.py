"""Sweeps over states and parameters, by threads, by processes, and on Dask."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from rbnotes import joints, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import packing
from rbnotes.multibody.reduced import Link, Tree, forward_dynamics_dense

TREE = Tree([Link("a", joints.Revolute(), np.eye(6)), Link("b", joints.Revolute(), np.eye(6), "a")])


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
