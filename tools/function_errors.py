"""Measure the rounding errors of the functions for rotations, poses and joints against enclosed values.

    python tools/function_errors.py             print the table
    python tools/function_errors.py --write     write book/_data/function-errors.csv, which the API pages show

The enclosed value is that of the function in ball arithmetic, at the same float64 arguments. The exact copy
of the package uses closed forms where the library sums series. An error is in ulps: the largest error of all
entries of a result, in units of the last place of its largest entry.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq
from hypothesis import strategies as st

from rbnotes import joints, so3
from rbnotes.ledger.evaluation import samples
from rbnotes.ledger.exact.arrays import object_array, wrap
from rbnotes.ledger.exact.evidence import evaluate
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.loader import exact_package
from rbnotes.ledger.exact.numbers import Exact, ball
from rbnotes.testing import strategies as some

TABLE = Path(__file__).parents[1] / "book" / "_data" / "function-errors.csv"
REGIONS: dict[str, some.Region] = {
    "generic": "non-dyadic",
    "small": "tiny",
    "near pi": "near pi",
    "large": "large",
}
"""Columns of the table with the regions of the strategies that they show."""
NUM_INPUTS = 40
CANCELLED = 2.0**-50
"""Size of a result, relative to the arguments, below which it is nothing but their rounding."""
MAX_SHARE_WITHOUT_VALUE = 0.25
"""Largest share of inputs whose value may have no enclosure."""
MODULES = ("so3", "se3", "quaternion", "euler")
JOINT_METHODS = (
    "transform",
    "motion_subspace",
    "motion_subspace_rate",
    "motion_subspace_derivative",
    "bias_acceleration_derivative",
    "coordinate_constraint",
    "coordinate_constraint_jacobian",
    "coordinate_constraint_jacobian_rate",
    "coordinate_constraint_bias_derivative",
    "reparametrize",
)

VECTOR = some.vectors()
ROTATION_VECTOR = some.rotation_vectors()
QUATERNION = some.unit_quaternions()
FRACTION = some.numbers(0, 1)
ARGUMENTS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "so3": {
        "w": ROTATION_VECTOR,
        "R": some.rotations(),
        "R0": some.rotations(),
        "R1": some.rotations(),
        "W": VECTOR.map(so3.hat),
        "t": FRACTION,
    },
    "se3": {
        "E": some.frames(),
        "E0": some.frames(),
        "E1": some.frames(),
        "R": some.rotations(),
        "xi": st.tuples(ROTATION_VECTOR, VECTOR).map(np.concatenate),
        "xidot": some.twists(),
        "X": some.twists().map(lambda xi: np.block([[so3.hat(xi[:3]), xi[3:, None]], [np.zeros((1, 4))]])),
        "t": FRACTION,
    },
    "quaternion": {
        "q": QUATERNION,
        "p": QUATERNION,
        "q0": QUATERNION,
        "q1": QUATERNION,
        "qdot": some.vectors(4),
        "w": ROTATION_VECTOR,
        "R": some.rotations(),
        "axis": some.unit_vectors(),
        "angle": some.numbers(),
        "h": some.positive_numbers(),
        "t": FRACTION,
    },
    "euler": {"R": some.rotations()},
}
"""Strategies of arguments, by module and name; other arguments are vectors."""
OF_ANY_LENGTH = ("quaternion.inverse", "quaternion.normalize")
"""Functions of quaternions that need not be unit quaternions."""


@dataclass(frozen=True)
class Case:
    """A function with the inputs on which it is measured.

    Attributes
    ----------
    name
        Its dotted name, as the API pages give it.
    function
        The function of the normal package.
    exact_function
        Function that returns the same function of the exact copy of the package.
    inputs
        Strategy of each argument.
    scale
        Size of the constants of a joint.
    """

    name: str
    function: Callable[..., Any]
    exact_function: Callable[[], Callable[..., Any]]
    inputs: Mapping[str, st.SearchStrategy[Any]]
    scale: float = 0.0


def exact(value: Any) -> Any:
    """Return an array or number of float64 as exact numbers of the same values."""
    plain = np.asarray(value, dtype=float)
    numbers = [Exact(fmpq(*each.as_integer_ratio())) for each in plain.reshape(-1).tolist()]
    return wrap(object_array(numbers, plain.shape)) if plain.shape else numbers[0]


def exact_attribute(module: str, name: str) -> Any:
    """Return an attribute of a module of the exact copy of the package."""
    return getattr(importlib.import_module(f"rbnotes.{module}"), name)


def module_cases(module: str) -> Iterator[Case]:
    """Return the cases of all functions of a module for rotations or poses."""
    namespace = importlib.import_module(f"rbnotes.{module}")
    for name, function in vars(namespace).items():
        is_own = inspect.isfunction(function) and function.__module__ == namespace.__name__
        if name.startswith("_") or not is_own:
            continue
        inputs = {
            argument: ARGUMENTS[module].get(argument, VECTOR)
            for argument in inspect.signature(function).parameters
        }
        if f"{module}.{name}" in OF_ANY_LENGTH:
            inputs = dict.fromkeys(inputs, some.nonzero_vectors(4))
        yield Case(f"rbnotes.{module}.{name}", function, partial(exact_attribute, module, name), inputs)


AXIS = np.array([2.0, -1.0, 2.0]) / 3
COORDINATE, PAIR, TRIPLE = (some.vectors(size, -3.0, 3.0) for size in (1, 2, 3))


def pose(angle: float, k: int) -> np.ndarray:
    """Return one of the poses of which joints are made."""
    E = np.eye(4)
    E[:3, :3] = so3.exp(angle * np.array([0.5, 0.25 * k, 1.0]))
    E[:3, 3] = [k, np.cos(k), np.sin(2 * k)]
    return E


def control_points() -> np.ndarray:
    """Return the control points of a spline surface: positions and angles."""
    y, x = np.meshgrid(np.arange(4.0), np.arange(4.0), indexing="ij")
    return np.stack([x, y, x * y / 8, x / 8, -y / 16, (x - y) / 32], axis=-1)


FRAMES = np.array([pose(0.4 * k, k) for k in range(6)])

JOINTS: dict[str, tuple[tuple[Any, ...], st.SearchStrategy[Any]]] = {
    "Revolute": ((AXIS,), COORDINATE),
    "Prismatic": ((AXIS,), COORDINATE),
    "Helical": ((AXIS, 0.3), COORDINATE),
    "Cylindrical": ((AXIS,), PAIR),
    "Fixed": ((pose(1.0, 2),), st.just(np.zeros(0))),
    "PlanarTranslation": ((), PAIR),
    "Translational": ((), TRIPLE),
    "Universal": ((), PAIR),
    "ExponentialSpherical": ((), ROTATION_VECTOR),
    "EulerSpherical": ((), TRIPLE),
    "QuaternionSpherical": ((), QUATERNION),
    "Free2D": ((), TRIPLE),
    "Free3D": ((), st.tuples(VECTOR, ROTATION_VECTOR).map(np.concatenate)),
    "SplineCurve": ((FRAMES, False), some.vectors(1, 0.25, 2.75).filter(lambda q: bool(q[0] < 3))),
    "SplineSurface": (
        (control_points(),),
        some.vectors(2, 0.25, 0.75).filter(lambda q: bool(np.all(q < 1))),
    ),
}
"""Arguments and coordinates of each type of joint; :func:`make_joint` makes the composite one."""
NO_ERRORS = {
    "FunctionJoint": "its code is generated from a function of the user",
    "JointType": "it is abstract",
    "constant_constraint_rows": "the basis comes from a decomposition with equal singular values",
    "constraint_force_basis": "the basis comes from a decomposition with equal singular values",
    "constraint_force_basis_rate": "the basis comes from a decomposition with equal singular values",
    "curve_on_curve": "the result is a joint",
    "distance_to_singularity": "singular values may be equal",
    "euler_sequences": "the result is text",
    "has_constant_constraint_rows": "the result is no number",
    "nearest_coordinates": "the iteration ends at a tolerance",
    "point_on_curve": "the result is a joint",
    "point_on_surface": "the result is a joint",
    "python_source": "the result is text",
    "rolling_gear": "the result is a joint",
    "rotation": "the result is an expression for a function joint",
    "surface_on_surface": "the result is a joint",
    "translation": "the result is an expression for a function joint",
}
"""Public names of ``rbnotes.joints``, and methods of joints, without errors, and why."""


def make_joint(package: Any, kind: str, number: Callable[[Any], Any]) -> Any:
    """Return a joint of a type, from a copy of ``rbnotes.joints`` and its kind of numbers."""
    if kind == "Composite":
        revolute, fixed = package.Revolute(number(AXIS)), package.Fixed(number(pose(0.5, 1)))
        return package.Composite(revolute, fixed, package.Universal())
    arguments = [each if isinstance(each, bool) else number(each) for each in JOINTS[kind][0]]
    return getattr(package, kind)(*arguments)


@cache
def exact_joint(kind: str) -> Any:
    """Return a joint of the exact copy of the package."""
    return make_joint(importlib.import_module("rbnotes.joints"), kind, exact)


def exact_method(kind: str, name: str) -> Callable[..., Any]:
    """Return a method of a joint of the exact copy of the package."""
    method: Callable[..., Any] = getattr(exact_joint(kind), name)
    return method


def joint_cases() -> Iterator[Case]:
    """Return the cases of all types of joint, and of the functions of poses in their package."""
    coordinates_by_kind = {kind: q for kind, (_, q) in JOINTS.items()} | {"Composite": TRIPLE}
    for kind, coordinates in coordinates_by_kind.items():
        joint = make_joint(joints, kind, lambda value: value)
        for name in JOINT_METHODS:
            method = getattr(joint, name)
            if name.startswith("coordinate_constraint") and not joint.num_coordinate_constraints:
                continue
            inputs = {"q": coordinates}
            if "qdot" in inspect.signature(method).parameters:
                inputs["qdot"] = some.vectors(joint.num_coordinates)
            yield Case(
                f"rbnotes.joints.{kind}.{name}",
                method,
                partial(exact_method, kind, name),
                inputs,
                scale=1.0,
            )
    poses = {"Q": some.frames(), "X": some.frames()}
    yield Case(
        "rbnotes.joints.pose_error",
        joints.pose_error,
        lambda: exact_attribute("joints", "pose_error"),
        poses,
    )
    yield Case(
        "rbnotes.joints.nearest_rates",
        partial(joints.nearest_rates, joints.Revolute(AXIS)),
        lambda: partial(exact_attribute("joints", "nearest_rates"), exact_joint("Revolute")),
        {"q": COORDINATE, "X": poses["X"], "twist": some.twists()},
        scale=1.0,
    )


@cache
def cases() -> Mapping[str, Case]:
    """Return all cases by name."""
    found = [case for module in MODULES for case in module_cases(module)]
    return {case.name: case for case in (*found, *joint_cases())}


def errors(case: Case, region: str, num_inputs: int | None = None) -> list[float]:
    """Return the error of a function in ulps on each input of a region.

    Inputs that the function refuses are left out, and those without an enclosed value: at an exact half turn
    a form may have a tangent that is infinite. With ``num_inputs``, only so many of the :data:`NUM_INPUTS`
    inputs are drawn.

    Raises
    ------
    NotExact
        If more than :data:`MAX_SHARE_WITHOUT_VALUE` of the inputs have no enclosed value.
    """
    found, without_value = [], []
    for values in samples(case.inputs, NUM_INPUTS, region=REGIONS[region], first=num_inputs):
        try:
            rounded = np.array(case.function(*values.values()), dtype=float).reshape(-1).tolist()
        except ValueError:  # invalid or singular arguments
            continue
        size = max([case.scale, *(float(np.max(np.abs(each), initial=0.0)) for each in values.values())])
        with exact_package():
            results = evaluate(case.exact_function(), {name: exact(each) for name, each in values.items()})
        possible = [each.numbers for each in results if each.numbers is not None]
        if possible:
            found.append(max(error_in_ulps(rounded, numbers, size) for numbers in possible))
        else:
            without_value.append(results[0].caveat)
    if len(without_value) > MAX_SHARE_WITHOUT_VALUE * (len(found) + len(without_value)):
        raise NotExact(f"{case.name}, {region}: {without_value[0]}")
    return found


def error_in_ulps(rounded: list[float], exact_numbers: np.ndarray, size_of_arguments: float) -> float:
    """Return the largest error of all entries in ulps of the largest entry.

    A result below the rounding of the arguments is the difference of larger numbers: its error is in ulps of
    the largest argument.
    """
    balls = [ball(each.value) for each in exact_numbers.flat]
    size = max((abs(float(each.mid())) for each in balls), default=0.0)
    if size < CANCELLED * size_of_arguments:
        size = size_of_arguments
    differences = [ball(fmpq(*a.as_integer_ratio())) - b for a, b in zip(rounded, balls, strict=True)]
    error = max((float(each.abs_upper()) for each in differences), default=0.0)
    return error / float(np.spacing(size)) if error else 0.0


def measure(case: Case) -> dict[str, float]:
    """Return the largest error in each region; NaN where the function accepts no input."""
    found = {region: errors(case, region) for region in REGIONS}
    return {region: max(each) if each else np.nan for region, each in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table of the API pages")
    if parser.parse_args().write:
        output: Any = TABLE.open("w", encoding="utf-8", newline="")
    else:
        output = nullcontext(sys.stdout)
    with output as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["function", *REGIONS])
        for name, case in cases().items():
            writer.writerow([name, *(f"{each:.2g}" for each in measure(case).values())])
    return 0


if __name__ == "__main__":
    sys.exit(main())
