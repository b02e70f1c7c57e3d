"""Many states or parameters, shared out among the workers of an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument


def sweep(function: Callable[..., Any], *states: ArrayLike, executor: Executor, chunks: int = 8) -> Array:
    """What a function gives for many states, in parts that the workers of an executor take.

    Batches of compiled trees let other threads run, so that a
    :class:`~concurrent.futures.ThreadPoolExecutor` of two uses two cores; the executor of a Dask client,
    ``client.get_executor()``, uses those of a cluster. Any function may be swept that takes a batch: for
    parameters, one that builds its model of them.

    Parameters
    ----------
    function
        Takes arrays ``(m, ...)`` for any m and returns one ``(m, ...)``, such as
        ``kernels.compile(tree).forward_dynamics``.
    states
        Arrays ``(count, ...)``, in the units that the function takes.
    executor
        Of any kind that follows :class:`concurrent.futures.Executor`.
    parts
        At most so many calls.

    Returns
    -------
    (count, ...)
        The results, in the order of the states, in their units as the function returns them.

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
    chunked = [np.array_split(each, min(chunks, *counts)) for each in arrays]
    return np.concatenate(list(executor.map(function, *chunked)))
