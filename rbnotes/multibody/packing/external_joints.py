"""External joints: poses, motion subspaces and bias accelerations are evaluated before the sweeps.

A joint given as a function (:class:`rbnotes.joints.FunctionJoint`) becomes a compiled program. A program
contains the operations of a function, but not its constants: tori of all radii have the same program. So it
is compiled once for each kind of function, not for each joint or model, and found on disk afterwards. All
joints with the same program are evaluated together, eight of them or of their states at a time.

Joints of a user's own types are evaluated by their methods.
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
from rbnotes.compiled import tree_layout as layout
from rbnotes.compiled.compilation import (
    LOG,
    compile_entry,
    failure_code,
    log_compilation,
    require_numba,
)
from rbnotes.joints import FunctionJoint, JointType
from rbnotes.joints.general.code_generation import Instruction, instructions
from rbnotes.joints.general.function_joint import MIN_MARGIN


class JointSlices(NamedTuple):
    """Joint with its slices in the arrays of a tree.

    Attributes
    ----------
    joint
        Joint type.
    coordinates
        Slice of its coordinates among those of the tree.
    numbers
        Slice of its pose, columns and bias acceleration in the array that compiled sweeps read.
    """

    joint: JointType
    coordinates: slice
    numbers: slice


class JointProgram(NamedTuple):
    """Program of a function of a joint, and its constants.

    Attributes
    ----------
    key
        Key of the program.
    constants
        Smallest nonzero margin, and the constants of the function.
    vectors
        Number of input vectors: coordinates, rates, accelerations.
    results
        Number of results.
    margins
        Number of outputs that must not be too small, after the results.
    widths
        Numbers of inputs and of outputs, padded to multiples of eight.
    """

    key: int
    constants: Array
    vectors: int
    results: int
    margins: int
    widths: tuple[int, int]


class ProgramGroup(NamedTuple):
    """Joints with the same program: its entry, and its arguments besides the states.

    Attributes
    ----------
    fill
        Compiled function that evaluates the program for all joints of the group.
    table
        Header and offsets of the joints, see :mod:`rbnotes.compiled.tree_layout`.
    constants
        Smallest nonzero margin, and the constants of each joint.
    work
        Working memory of one evaluation.
    """

    fill: Callable[..., int]
    table: NDArray[np.uint64]
    constants: Array
    work: Array


class ExternalJoints:
    """Joints of a tree that are evaluated before the sweeps.

    Parameters
    ----------
    joint_slices
        All external joints, with their slices.
    start, size
        Offset and number of their numbers in the array of a packed tree.
    coordinates
        Number of coordinates of the tree.
    """

    def __init__(self, joint_slices: Iterable[JointSlices], start: int, size: int, coordinates: int) -> None:
        self._start, self._size = start, size
        self._groups, self._uncompiled = group_by_program(
            joint_slices, "kinematics_and_margins_function", start, coordinates
        )
        self._group_arguments: list[tuple[Any, ...]] = [
            tuple(each) for each in self._groups
        ]  # a tuple unpacks faster

    def try_fill(self, numbers: Array, q: object, qdot: object) -> bool:
        """Write the external numbers of one state; return False if the arguments are not suitable arrays.

        Returns False, too, if some joints are not compiled, or are too close to a singular state.
        """
        if self._uncompiled:
            return False
        for fill, table, constants, work in self._group_arguments:
            if fill(table, constants, work, q, qdot, qdot, numbers):
                return False
        return True

    def fill(self, numbers: Array, q: Array, qdot: Array) -> bool:
        """Write the external numbers of a checked state ``(k,)``; return False near a singular state."""
        if self._uncompiled:
            self._evaluate(numbers[self._start : self._start + self._size], q, qdot)
        states = np.ascontiguousarray(q), np.ascontiguousarray(qdot)
        return not any(group.fill(*group[1:], *states, states[1], numbers) for group in self._groups)

    def evaluate_batch(self, q: Array, qdot: Array) -> Array | None:
        """Return the external numbers ``(states, size)`` of states ``(states, k)``; None if singular."""
        numbers = np.empty((len(q), self._size))
        self._evaluate(numbers, q, qdot)
        for group in self._groups:
            table = group.table.copy()
            table[layout.NUM_STATES], table[layout.RESULT_OFFSET], table[layout.RESULT_STRIDE] = (
                len(q),
                0,
                self._size,
            )
            flat = (each.reshape(-1) for each in (q, qdot, qdot, numbers))
            if group.fill(table, group.constants, np.empty_like(group.work), *flat):
                return None
        return numbers

    def _evaluate(self, numbers: Array, q: Array, qdot: Array) -> None:
        """Write poses, columns of S and bias accelerations of joints that are not compiled."""
        for joint, coordinates, numbers_slice in self._uncompiled:
            joint_q, joint_qdot = q[..., coordinates], qdot[..., coordinates]
            pose, S = joint.compute_transform(joint_q), joint.compute_motion_subspace(joint_q)
            bias_acceleration = (
                joint.compute_motion_subspace_rate(joint_q, joint_qdot) @ joint_qdot[..., None]
            )[..., 0]
            leading_axes = q.shape[:-1]
            parts = (
                pose[..., :3, :3].reshape(*leading_axes, 9),
                pose[..., :3, 3],
                S.mT,
                bias_acceleration,
            )
            numbers[..., numbers_slice] = np.concatenate(
                [part.reshape(*leading_axes, -1) for part in parts], axis=-1
            )


def group_by_program(
    joint_slices: Iterable[JointSlices], function: str, start: int, coordinates: int
) -> tuple[list[ProgramGroup], list[JointSlices]]:
    """Group the joints by their programs for a function; return the groups and the remaining joints."""
    by_program: dict[tuple[int, int], list[tuple[JointProgram, JointSlices]]] = {}
    uncompiled: list[JointSlices] = []
    for slices in joint_slices:
        program = joint_program(slices.joint, function)
        if program is None:
            uncompiled.append(slices)
        else:
            by_program.setdefault((program.key, slices.joint.num_coordinates), []).append((program, slices))
    return [_program_group(members, start, coordinates) for members in by_program.values()], uncompiled


def _program_group(
    members: list[tuple[JointProgram, JointSlices]], start: int, coordinates: int
) -> ProgramGroup:
    """Return the entry and the arrays of joints that share a program."""
    first, first_slices = members[0]
    m, num_constants = first_slices.joint.num_coordinates, first.constants.size - 1
    rows = [(each.coordinates.start, each.numbers.start) for _, each in members]
    # In the order of the layout.
    sizes = first.vectors, first.widths[0], first.results, first.margins
    header = (1, coordinates, len(members), m, num_constants, *sizes, start, 0)
    constants = [first.constants[:1], *(each.constants[1:] for each, _ in members)]
    return ProgramGroup(
        _compile_program(first.key, str(first_slices.joint)),
        np.array([*header, *np.ravel(rows)], dtype=np.uint64),
        np.concatenate(constants),
        np.empty(int(layout.LANES) * sum(first.widths)),
    )


_JOINT_PROGRAMS: WeakKeyDictionary[FunctionJoint, dict[str, JointProgram | None]] = WeakKeyDictionary()


def joint_program(joint: JointType, function: str) -> JointProgram | None:
    """Return the program of the method of this name of a joint; None and a log message if it has none."""
    # A derived class may override the motion.
    if type(joint) is not FunctionJoint:
        return None
    programs = _JOINT_PROGRAMS.setdefault(joint, {})
    if function not in programs:
        programs[function] = _build_program(joint, getattr(joint, function)())
    return programs[function]


def _build_program(joint: FunctionJoint, function: Any) -> JointProgram | None:
    """Translate a casadi function to a program and register it; None if an instruction is not supported."""
    require_numba()
    from rbnotes.compiled import programs as programs_module

    steps = list(instructions(function))
    unsupported = {step.name for step in steps} - {
        *programs_module.OPERATIONS,
        *programs_module.SINE_COSINE,
        *_TRIVIAL_OPERATIONS,
    }
    if unsupported:
        message = "the %s joint is not compiled, and takes the time of casadi's virtual machine: no %s"
        LOG.warning(message, joint, " and no ".join(sorted(unsupported)))
        return None
    constants = [step.constant for step in steps if step.name == "OP_CONST"]
    vectors, margins = function.n_in(), function.numel_out(function.n_out() - 1)
    inputs = len(constants) + vectors * joint.num_coordinates
    operations, outputs = _number_results(function, steps, inputs, joint.num_coordinates)
    program = programs_module.Program(inputs, tuple(operations), tuple(outputs))
    key = int.from_bytes(sha256(repr(program).encode()).digest()[:7])
    programs_module.PROGRAMS[key] = program
    round_up: Any = programs_module.round_up_to_lanes
    widths = round_up(inputs), round_up(len(outputs))
    numbers = np.array([MIN_MARGIN, *constants])
    return JointProgram(key, numbers, vectors, len(outputs) - margins, margins, widths)


_TRIVIAL_OPERATIONS = ("OP_CONST", "OP_INPUT", "OP_OUTPUT", "OP_ASSIGN")


def _number_results(
    function: Any, steps: list[Instruction], inputs: int, coordinates: int
) -> tuple[list[tuple[str, tuple[int, ...]]], list[int]]:
    """Replace registers by indices of results; return the operations and the indices of the outputs.

    The inputs come first: constants, coordinates and their rates.
    """
    constant, value_of_register = count(), dict[int, int]()  # by register
    operations: list[tuple[str, tuple[int, ...]]] = []
    sizes = [function.numel_out(i) for i in range(function.n_out())]
    outputs = [0] * sum(sizes)
    for name, targets, operands, _ in steps:
        if name == "OP_CONST":
            value_of_register[targets[0]] = next(constant)
        elif name == "OP_INPUT":
            value_of_register[targets[0]] = (
                inputs + (operands[0] - function.n_in()) * coordinates + operands[1]
            )
        elif name == "OP_OUTPUT":
            outputs[sum(sizes[: targets[0]]) + targets[1]] = value_of_register[operands[0]]
        elif name == "OP_ASSIGN":
            value_of_register[targets[0]] = value_of_register[operands[0]]
        else:
            operations.append((name, tuple(value_of_register[each] for each in operands)))
            value_of_register[targets[0]] = inputs + len(operations) - 1
    return operations, outputs


_COMPILED_PROGRAMS: dict[int, Callable[..., int]] = {}


def _compile_program(key: int, name: str) -> Callable[..., int]:
    """Return the compiled entry of a program, compiled on first use."""
    from rbnotes.compiled import programs as programs_module

    function: Any = programs_module.program_entry
    if key not in _COMPILED_PROGRAMS:
        program = function(failure_code(), key)
        signature = programs_module.program_signature(program)
        with log_compilation(f"the {name} joint"):
            _COMPILED_PROGRAMS[key] = compile_entry(program, signature)
    return _COMPILED_PROGRAMS[key]
