"""Evaluation of many states or parameters by the workers of an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument


def sweep(function: Callable[..., Any], *states: ArrayLike, executor: Executor, chunks: int = 8) -> Array:
    """Evaluate a function at many states, in chunks that the workers of an executor take.

    Batches of compiled trees release the interpreter lock, so that a
    :class:`~concurrent.futures.ThreadPoolExecutor` with two threads uses two cores; the executor of a Dask
    client, ``client.get_executor()``, uses those of a cluster. Any function that accepts a batch is suitable:
    for parameters, one that builds its model from them.

    Parameters
    ----------
    function
        Takes arrays ``(m, ...)`` for any m and returns one ``(m, ...)``, such as
        ``packing.compile(tree).forward_dynamics``.
    states
        Arrays ``(count, ...)``, in the units of the function's arguments.
    executor
        Any :class:`concurrent.futures.Executor`.
    chunks
        Largest number of calls.

    Returns
    -------
    (count, ...)
        Results in the order of the states, in the units that the function returns.

    Raises
    ------
    InvalidArgument
        If there are no states, their counts differ, or ``chunks`` is not positive.
    """
    arguments.require_function("function", function)
    chunks = arguments.count("chunks", chunks, 1)
    arrays = [arguments.array(f"states[{i}]", each, None) for i, each in enumerate(states)]
    counts = {len(each) for each in arrays}
    if len(counts) != 1 or not min(counts):
        raise InvalidArgument("states", f"{sorted(counts)} of them", "as many of each, at least one")
    array_chunks = [np.array_split(each, min(chunks, *counts)) for each in arrays]
    return np.concatenate(list(executor.map(function, *array_chunks)))
