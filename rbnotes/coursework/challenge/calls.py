"""Call a user's function: its results, exceptions and side effects as plain data."""

from __future__ import annotations

import copy
import dataclasses
import traceback
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

ReturnKind = Literal["array", "exception", "nothing", "no array"]
NUM_REPEATED_INPUTS = 8
"""Number of inputs that are passed again, at once and at the end, to detect randomness and state."""
MAX_CONTENT_DEPTH = 8
"""Largest depth of nested containers whose changes are detected."""
RELATIVE_PERTURBATION = 3e-9
"""Relative perturbation that single precision does not resolve, but functions with finite differences do."""


@dataclasses.dataclass(frozen=True, eq=False)
class Answer:
    """Result of one call: only arrays and text, so that it can come from another process.

    Attributes
    ----------
    kind
        Kind of the returned value: an array, an exception, nothing, or another object.
    value
        Result with its shape and type of number.
    text
        Exception with the function's line, or description of a result that is not numeric.
    changed_arguments
        Names of the arguments that the call changed.
    changed_globals
        Names of external variables that the call changed.
    repeated
        Answer of a second call with the same inputs, made immediately afterwards.
    strided
        Answer for the same numbers in non-contiguous arrays, such as a column.
    perturbed
        Answer for inputs that differ by :data:`RELATIVE_PERTURBATION`.
    repeated_later
        Answer of another call with the same inputs, made after all other calls.
    overwritten
        True if the first returned object had changed by then.
    returned_object
        Returned object, kept until a later call shows if it is overwritten; it is never sent.
    """

    kind: ReturnKind
    value: NDArray[Any] | None = None
    text: str = ""
    changed_arguments: tuple[str, ...] = ()
    changed_globals: tuple[str, ...] = ()
    repeated: Answer | None = None
    strided: Answer | None = None
    perturbed: Answer | None = None
    repeated_later: Answer | None = None
    overwritten: bool = False
    returned_object: Any = None


def collect_answers(function: Callable[..., Any], inputs: Sequence[Mapping[str, Any]]) -> list[Answer]:
    """Call a function on each of the inputs, and on the first ones again at the end."""
    answers = [
        collect_answer(function, each, twice=index < NUM_REPEATED_INPUTS) for index, each in enumerate(inputs)
    ]
    for index, each in enumerate(inputs[:NUM_REPEATED_INPUTS]):
        repeated = repeat_answer(function, each, answers[index])
        answers[index] = dataclasses.replace(answers[index], repeated_later=repeated, returned_object=None)
    return answers


def collect_answer(function: Callable[..., Any], inputs: Mapping[str, Any], *, twice: bool = False) -> Answer:
    """Call a function on copies of inputs, by position; it may fail in any way.

    With ``twice`` it is called again with the same numbers, with strided copies, and with perturbed numbers.
    """
    first_answer = _call_with(function, inputs, copy.deepcopy(dict(inputs)))
    if not twice:
        return dataclasses.replace(first_answer, returned_object=None)
    strided_inputs = {name: _strided_copy(value) for name, value in inputs.items()}
    strided = dataclasses.replace(_call_with(function, inputs, strided_inputs), returned_object=None)
    repeated, perturbed = collect_answer(function, inputs), collect_answer(function, perturb_inputs(inputs))
    return dataclasses.replace(first_answer, repeated=repeated, strided=strided, perturbed=perturbed)


def repeat_answer(function: Callable[..., Any], inputs: Mapping[str, Any], first: Answer) -> Answer:
    """Call a function again, and check if the result of its first call has been overwritten."""
    overwritten = isinstance(first.returned_object, np.ndarray | list) and not is_identical(
        _as_answer(first.returned_object).value, first.value
    )
    return dataclasses.replace(collect_answer(function, inputs), overwritten=overwritten)


def _call_with(
    function: Callable[..., Any], inputs: Mapping[str, Any], passed_inputs: dict[str, Any]
) -> Answer:
    """Return the answer of one call, with the arguments and external variables that it changed."""
    before = _snapshot_state(function)
    returned_object = None
    try:
        with np.errstate(all="ignore"):
            returned_object = function(*passed_inputs.values())
            returned = _as_answer(returned_object)
    except KeyboardInterrupt:  # the user interrupts the challenge
        raise
    except BaseException as error:
        returned = Answer("exception", text=_format_exception(error, function))
    after = _snapshot_state(function)
    return dataclasses.replace(
        returned,
        changed_arguments=tuple(
            name for name, value in inputs.items() if not is_identical(value, passed_inputs[name])
        ),
        changed_globals=tuple(name for name, content in before.items() if after.get(name) != content),
        returned_object=returned_object,
    )


def _strided_copy(value: Any) -> Any:
    """Return a non-contiguous copy: NaN fills the gaps in memory, because no function may read them."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.ndim:
        return copy.deepcopy(value)
    interleaved = np.full((*value.shape, 2), np.nan, dtype=value.dtype)
    interleaved[..., 0] = value
    return interleaved[..., 0]


def perturb_inputs(
    inputs: Mapping[str, Any], size: float = RELATIVE_PERTURBATION, axes: float = 1
) -> dict[str, Any]:
    """Return the inputs with each number perturbed by the relative `size`.

    Arrays with more than `axes` axes stay unchanged, so that rotations remain rotations.
    """
    return {name: _perturb_value(value, size, axes) for name, value in inputs.items()}


def _perturb_value(value: Any, size: float, axes: float) -> Any:
    if isinstance(value, float):
        return value * (1 + size)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim <= axes:
        signs = np.where(np.arange(value.size) % 3, 1, -1).reshape(value.shape)
        return value * (1 + size * signs)
    if type(value) in (tuple, list):
        return type(value)(_perturb_value(each, size, axes) for each in value)
    return copy.deepcopy(value)


def is_identical(a: Any, b: Any) -> bool:
    """Return True if two inputs are equal, entry by entry and to the last bit."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(is_identical, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(is_identical(a[name], b[name]) for name in a)
    if dataclasses.is_dataclass(a) and type(a) is type(b):
        return all(
            is_identical(getattr(a, part.name), getattr(b, part.name)) for part in dataclasses.fields(a)
        )
    if isinstance(a, SimpleNamespace) and isinstance(b, SimpleNamespace):
        return is_identical(vars(a), vars(b))
    return type(a) is type(b) and (not isinstance(a, int | float | complex | str) or a == b or a != a)


def _as_answer(returned: Any) -> Answer:
    """Return the answer: the returned value as an array of numbers, or a description of other values."""
    if returned is None:
        return Answer("nothing")
    try:
        value = np.asarray(returned)
    except ValueError:
        return Answer("no array", text="a list whose parts have different shapes")
    # Its class would load more of NumPy in a child process that may not open more files.
    if isinstance(returned, np.ndarray) and np.any(getattr(returned, "mask", False)):
        return Answer("no array", text="an array with masked entries")
    if value.dtype.kind not in "biufc":
        description = (
            f"array of {value.dtype.name}s" if isinstance(returned, np.ndarray) else type(returned).__name__
        )
        return Answer("no array", text=f"{'an' if description[0] in 'aeiou' else 'a'} {description}")
    return Answer("array", np.array(value))


def _format_exception(error: BaseException, function: Callable[..., Any]) -> str:
    """Return an exception with the line of the user's function that raised it."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if not lines:
        return text
    where = f"line {lines[-1].lineno} of {lines[-1].name}"
    return f"{text}\n  {where}: {lines[-1].line}" if lines[-1].line else f"{text}\n  {where}"


def _snapshot_state(function: Callable[..., Any]) -> dict[str, Hashable]:
    """Return the state that a function can change, as content by name: closures, defaults, globals."""
    if not isinstance(function, FunctionType):
        return {}
    code = function.__code__
    values: dict[str, Any] = {
        name: function.__globals__[name] for name in code.co_names if name in function.__globals__
    }
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not yet filled
            continue
    arguments = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    values |= dict(zip(arguments[len(arguments) - len(defaults) :], defaults, strict=True))
    kinds = (list, dict, set, np.ndarray, int, float)
    return {name: _content(value) for name, value in values.items() if isinstance(value, kinds)}


def _content(value: Any, depth: int = 0) -> Hashable:
    """Return a hashable copy of numbers, arrays and containers, for comparison; other objects by identity.

    Converting lists of bodies and arrays to text would take much longer.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, int | float | complex | str | bytes):
        return repr(value)
    if depth < MAX_CONTENT_DEPTH:
        if isinstance(value, dict):
            return tuple((_content(key, depth + 1), _content(each, depth + 1)) for key, each in value.items())
        if isinstance(value, list | tuple):
            return tuple(_content(each, depth + 1) for each in value)
        if isinstance(value, set):
            return frozenset(_content(each, depth + 1) for each in value)
    return id(value)
