"""Evaluation of many states or parameters by the workers of an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.multibody.packing._stored_results import StoredResults
from rbnotes.multibody.simulation_options import Progress

MAX_ATTEMPTS = 3
"""Largest number of times that a chunk is submitted, if its worker is lost."""


def sweep(
    function: Callable[..., Any],
    *states: ArrayLike,
    executor: Executor,
    chunks: int = 8,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Array:
    """Evaluate a function at many states, in chunks that the workers of an executor take.

    Batches of compiled trees release the interpreter lock, so that a
    :class:`~concurrent.futures.ThreadPoolExecutor` with two threads uses two cores; the executor of a Dask
    client, ``client.get_executor()``, uses those of a cluster. Any function that accepts a batch is suitable:
    for a study of parameters, one that builds a model from them, or runs one simulation for each.

    Chunks whose worker is lost are submitted again. An error of the function ends the sweep, after the chunks
    that have begun.

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
        Largest number of calls. A lost worker costs its chunk.
    folder
        Folder in which the result of each chunk is stored as soon as it is known. A second call with the same
        folder, states, chunks and name of the function evaluates only the chunks that are missing. A folder
        of another study is refused; a function that was changed under its name is not noticed.
    progress
        Function ``progress(done, count)``, which is called after each chunk with the number of states done.

    Returns
    -------
    (count, ...)
        Results in the order of the states, in the units that the function returns.

    Raises
    ------
    InvalidArgument
        If there are no states, their counts differ, ``chunks`` is not positive, a result does not have one
        entry for each state, or ``folder`` holds another study.
    concurrent.futures.BrokenExecutor
        If the executor breaks, such as a process pool that loses a worker; ``folder`` keeps finished chunks.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from rbnotes import so3
    >>> with ThreadPoolExecutor(2) as executor:
    ...     R = sweep(so3.exp, np.eye(3), executor=executor, chunks=3)
    >>> R.shape
    (3, 3, 3)
    """
    arguments.require_function("function", function)
    arguments.require_methods("executor", executor, "submit")
    chunks = arguments.count("chunks", chunks, 1)
    if progress is not None:
        arguments.require_function("progress", progress, "done", "count")
    arrays = [arguments.array(f"states[{i}]", each, None) for i, each in enumerate(states)]
    counts = {len(each) for each in arrays}
    if len(counts) != 1 or not min(counts):
        raise InvalidArgument("states", f"{sorted(counts)} of them", "as many of each, at least one")
    split = [np.array_split(each, min(chunks, *counts)) for each in arrays]
    sizes = [len(each) for each in split[0]]
    stored = None if folder is None else StoredResults(folder, function, arrays, sizes)
    results: dict[int, Array] = {} if stored is None else stored.read()
    done, count = sum(sizes[number] for number in results), sum(sizes)
    if progress is not None and done:
        progress(done, count)
    pending = {
        number: parts for number, parts in enumerate(zip(*split, strict=True)) if number not in results
    }
    for number, value in _evaluate(function, pending, executor):
        result = np.asarray(value)
        if result.shape[:1] != (sizes[number],) or result.dtype.hasobject:
            got = f"a result of shape {result.shape} and type {result.dtype}"
            raise InvalidArgument("function", got, f"an entry for each of {sizes[number]} states")
        if stored is not None:
            stored.write(number, result)
        results[number] = result
        done += sizes[number]
        if progress is not None:
            progress(done, count)
    return np.concatenate([results[number] for number in range(len(sizes))])


class _Outcome(NamedTuple):
    """Result of a chunk, or the error of the function, which differs from that of a lost worker."""

    value: Any
    error: Exception | None


def _call(function: Callable[..., Any], *parts: Array) -> _Outcome:
    try:
        return _Outcome(function(*parts), None)
    except Exception as error:
        return _Outcome(None, error)


def _evaluate(
    function: Callable[..., Any], pending: Mapping[int, tuple[Array, ...]], executor: Executor
) -> Iterator[tuple[int, Any]]:
    """Yield each chunk once, with the result of the function, in the order of completion.

    After an error of the function, chunks that no worker has begun are cancelled; the error is raised after
    the others.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        lost: dict[int, tuple[Array, ...]] = {}
        futures: dict[Future[_Outcome], int] = {}
        failure: Exception | None = None
        try:
            for number, parts in pending.items():
                futures[executor.submit(_call, function, *parts)] = number
            for future in as_completed(list(futures)):
                number = futures.pop(future)
                try:
                    value, error = future.result()
                except BrokenExecutor:
                    raise
                except Exception:  # executors raise various errors when a worker is lost
                    if failure is not None:
                        continue  # cancelled, or lost as well
                    if attempt == MAX_ATTEMPTS:
                        raise
                    lost[number] = pending[number]
                    continue
                if error is None:
                    yield number, value
                elif failure is None:
                    failure = error
                    failure.add_note(f"in chunk {number} of the sweep, counted from 0")
                    _cancel(futures)
        finally:
            _cancel(futures)
        if failure is not None:
            raise failure
        if not lost:
            return
        pending = lost


def _cancel(futures: Iterable[Future[_Outcome]]) -> None:
    for future in futures:
        future.cancel()
