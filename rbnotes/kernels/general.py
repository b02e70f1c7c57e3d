"""Joints that the sweeps do not know: poses, columns and drifts are evaluated before them.

Those given as functions (:class:`rbnotes.joints.FunctionJoint`) become programs of machine code. A program
has the operations of a function, but not its numbers: tori of all radii have the same. So it is compiled once
for each kind of function, not for each joint or model, and found on disk afterwards. All joints that have the
same program are evaluated together, eight of them or of their states at a time.

Others, those of the user's own types, are evaluated by their methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.joints import FunctionJoint, JointType
from rbnotes.joints.general.functions import TOO_NEAR
from rbnotes.joints.general.straight_line import Instruction, instructions
from rbnotes.kernels import _layout as layout
from rbnotes.kernels._code import LOG, announced, failed, installed, machine_code


class Place(NamedTuple):
    """Where a joint has its coordinates among all, and its numbers among those given."""

    joint: JointType
    coordinates: slice
    numbers: slice


class Written(NamedTuple):
    """A function of a joint as a program, and its numbers."""

    key: int
    """Of the program."""
    constants: Array
    """The smallest margin that is not zero, and what stands in the function."""
    vectors: int
    """Of coordinates, rates and accelerations, how many it takes."""
    results: int
    margins: int
    widths: tuple[int, int]
    """Places for what it takes and for what it gives."""


class Group(NamedTuple):
    """Joints that have the same program: what evaluates them, and its arguments besides the states."""

    fill: Callable[..., int]
    table: NDArray[np.uint64]
    constants: Array
    work: Array


class Outside:
    """The joints of a tree that are evaluated before the sweeps.

    Parameters
    ----------
    given
        All of them.
    start, size
        Where their numbers start in the array of a packed tree, and how many there are.
    coordinates
        Of the tree.
    """

    def __init__(self, given: Iterable[Place], start: int, size: int, coordinates: int) -> None:
        self._start, self._size = start, size
        self._groups, self._others = groups(given, "_guarded", start, coordinates)
        self._quick: list[tuple[Any, ...]] = [tuple(each) for each in self._groups]  # unpacked sooner

    def ready(self, numbers: Array, q: object, qdot: object) -> bool:
        """Writes the numbers for one state where sweeps read them, if the arguments are arrays for that.

        Whether it did: it does not if some joints are not compiled, or are too near a singular state.
        """
        if self._others:
            return False
        for fill, table, constants, work in self._quick:
            if fill(table, constants, work, q, qdot, qdot, numbers):
                return False
        return True

    def fill(self, numbers: Array, q: Array, qdot: Array) -> bool:
        """The same for all joints and for states ``(k,)`` that are checked; false near a singular state."""
        if self._others:
            self._evaluate(numbers[self._start : self._start + self._size], q, qdot)
        states = np.ascontiguousarray(q), np.ascontiguousarray(qdot)
        return not any(group.fill(*group[1:], *states, states[1], numbers) for group in self._groups)

    def rows(self, q: Array, qdot: Array) -> Array | None:
        """The numbers ``(states, size)`` for states ``(states, k)`` in rows; None near a singular one."""
        numbers = np.empty((len(q), self._size))
        self._evaluate(numbers, q, qdot)
        for group in self._groups:
            table = group.table.copy()
            table[layout.STATES], table[layout.BASE], table[layout.STRIDE] = len(q), 0, self._size
            flat = (each.reshape(-1) for each in (q, qdot, qdot, numbers))
            if group.fill(table, group.constants, np.empty_like(group.work), *flat):
                return None
        return numbers

    def _evaluate(self, numbers: Array, q: Array, qdot: Array) -> None:
        """Poses, columns of S and drifts of joints that are not compiled."""
        for joint, own, places in self._others:
            at, rate = q[..., own], qdot[..., own]
            pose, S = joint._transform(at), joint._S(at)
            drift = (joint._Sdot(at, rate) @ rate[..., None])[..., 0]
            lead = q.shape[:-1]
            parts = (pose[..., :3, :3].reshape(*lead, 9), pose[..., :3, 3], np.swapaxes(S, -1, -2), drift)
            numbers[..., places] = np.concatenate([part.reshape(*lead, -1) for part in parts], axis=-1)


def groups(
    places: Iterable[Place], function: str, start: int, coordinates: int
) -> tuple[list[Group], list[Place]]:
    """Joints that have programs for a function, those with the same one together; and all others."""
    alike: dict[tuple[int, int], list[tuple[Written, Place]]] = {}
    others: list[Place] = []
    for place in places:
        program = written(place.joint, function)
        if program is None:
            others.append(place)
        else:
            alike.setdefault((program.key, place.joint.coordinates), []).append((program, place))
    return [_group(same, start, coordinates) for same in alike.values()], others


def _group(same: list[tuple[Written, Place]], start: int, coordinates: int) -> Group:
    first, place = same[0]
    m, fixed = place.joint.coordinates, first.constants.size - 1
    rows = [(each.coordinates.start, each.numbers.start) for _, each in same]
    # As the layout has them.
    sizes = first.vectors, first.widths[0], first.results, first.margins
    header = (1, coordinates, len(same), m, fixed, *sizes, start, 0)
    constants = [first.constants[:1], *(each.constants[1:] for each, _ in same)]
    return Group(
        _compiled(first.key, str(place.joint)),
        np.array([*header, *np.ravel(rows)], dtype=np.uint64),
        np.concatenate(constants),
        np.empty(int(layout.LANES) * sum(first.widths)),
    )


_WRITTEN: WeakKeyDictionary[FunctionJoint, dict[str, Written | None]] = WeakKeyDictionary()


def written(joint: JointType, function: str) -> Written | None:
    """A function of a joint as a program: ``"_guarded"``, its motion, or ``"_bending"``, that of its columns.

    None if it has none, which is told of functions.
    """
    # A class derived from this one may move otherwise.
    if type(joint) is not FunctionJoint:
        return None
    known = _WRITTEN.setdefault(joint, {})
    if function not in known:
        known[function] = _written(joint, getattr(joint, function)())
    return known[function]


def _written(joint: FunctionJoint, function: Any) -> Written | None:
    installed()
    from rbnotes.kernels import _programs

    steps = list(instructions(function))
    unknown = {step.name for step in steps} - {*_programs.OPERATIONS, *_programs.TURNS, *_NO_WORK}
    if unknown:
        told = "the %s joint is not compiled, and takes the time of casadi's virtual machine: no %s"
        LOG.warning(told, joint, " and no ".join(sorted(unknown)))
        return None
    constants = [step.constant for step in steps if step.name == "OP_CONST"]
    vectors, margins = function.n_in(), function.numel_out(function.n_out() - 1)
    inputs = len(constants) + vectors * joint.coordinates
    made, outputs = _with_numbered_results(function, steps, inputs, joint.coordinates)
    program = _programs.Program(inputs, tuple(made), tuple(outputs))
    key = int.from_bytes(sha256(repr(program).encode()).digest()[:7])
    _programs.PROGRAMS[key] = program
    eights: Any = _programs.eights
    widths = eights(inputs), eights(len(outputs))
    numbers = np.array([TOO_NEAR, *constants])
    return Written(key, numbers, vectors, len(outputs) - margins, margins, widths)


_NO_WORK = ("OP_CONST", "OP_INPUT", "OP_OUTPUT", "OP_ASSIGN")


def _with_numbered_results(
    function: Any, steps: list[Instruction], inputs: int, coordinates: int
) -> tuple[list[tuple[str, tuple[int, ...]]], list[int]]:
    """The operations on numbers that are told by their place, not by a register, and which are the outputs.

    First come the inputs: constants, coordinates and their rates.
    """
    constant, held = count(), dict[int, int]()  # by each register
    made: list[tuple[str, tuple[int, ...]]] = []
    sizes = [function.numel_out(i) for i in range(function.n_out())]
    outputs = [0] * sum(sizes)
    for name, into, of, _ in steps:
        if name == "OP_CONST":
            held[into[0]] = next(constant)
        elif name == "OP_INPUT":
            held[into[0]] = inputs + (of[0] - function.n_in()) * coordinates + of[1]
        elif name == "OP_OUTPUT":
            outputs[sum(sizes[: into[0]]) + into[1]] = held[of[0]]
        elif name == "OP_ASSIGN":
            held[into[0]] = held[of[0]]
        else:
            made.append((name, tuple(held[each] for each in of)))
            held[into[0]] = inputs + len(made) - 1
    return made, outputs


_COMPILED: dict[int, Callable[..., int]] = {}


def _compiled(key: int, name: str) -> Callable[..., int]:
    from rbnotes.kernels import _programs

    function: Any = _programs.function
    if key not in _COMPILED:
        with announced(f"the {name} joint"):
            _COMPILED[key] = machine_code(function(failed(), key), _programs.signature_of)
    return _COMPILED[key]
