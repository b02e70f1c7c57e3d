"""Joints given as functions from q to a rotation and a position (Si & Guenter 4, eqs. (9), (12)).

The user writes the pose of the moving frame with numpy functions; automatic differentiation gives the motion
subspace and its derivatives to rounding:

>>> import numpy as np
>>> from rbnotes.joints import FunctionJoint
>>> def swing(q):  # a hinge that also slides along its axis
...     c, s = np.cos(q[0]), np.sin(q[0])
...     return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([0, 0, s])
>>> FunctionJoint(swing, 1).motion_subspace([0.0]).ravel().tolist()
[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]

Or it composes rotations and translations, from the fixed to the moving frame:

>>> from rbnotes.joints import rotation, translation
>>> def screw(q):
...     return [rotation([0, 0, 1], q[0]), translation(0, 0, 0.01 * q[0])]
>>> FunctionJoint(screw, 1).motion_subspace([0.3]).ravel().tolist()
[0.0, 0.0, 1.0, 0.0, 0.0, 0.01]

It needs the extra ``joints`` (``pip install 'rbnotes[joints]'``), which installs casadi.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.joints.general import casadi_functions
from rbnotes.joints.general.casadi_functions import MarginFunction, PoseFunction, VectorizedFunction
from rbnotes.joints.general.symbols import Symbol, Symbolic
from rbnotes.joints.joint_type import JointType
from rbnotes.joints.unchecked_nearest_pose import search_coordinates
from rbnotes.unchecked import so3

MIN_MARGIN = 1e-6
"""Least margin of a regular configuration: derivatives grow with the inverse of the margin."""
ROTATION_TOLERANCE = 1e-9
"""Largest entry of ``R^T R - I`` of a rotation."""
NUM_ROTATION_SAMPLES = 4
"""Number of configurations at which R is checked to be a rotation."""


def rotation(axis: ArrayLike, angle: Symbolic) -> tuple[Symbolic, Array]:
    """Return a rotation ``(3, 3)`` and the position zero ``(3,)``, m, for the function of a joint.

    Parameters
    ----------
    axis : (3,)
        Unit vector, dimensionless; it does not depend on the coordinates.
    angle
        Angle, rad: a number or an expression of the coordinates.

    Raises
    ------
    InvalidArgument
        If ``axis`` is not of unit length, or ``angle`` is neither a number nor an expression.
    """
    W = so3.hat(arguments.with_ndim("axis", arguments.unit_vector("axis", axis), 1))
    angle = _check_expression("angle", angle)
    return np.eye(3) + np.sin(angle) * W + (1 - np.cos(angle)) * (W @ W), np.zeros(3)


def translation(x: Symbolic, y: Symbolic, z: Symbolic) -> tuple[Array, Symbolic]:
    """Return the rotation identity ``(3, 3)`` and a position ``(3,)``, m, for the function of a joint.

    Parameters
    ----------
    x, y, z
        Coordinates of the position, m: numbers or expressions of the coordinates of the joint.

    Raises
    ------
    InvalidArgument
        If one is neither a number nor an expression.
    """
    position = [_check_expression(name, value) for name, value in (("x", x), ("y", y), ("z", z))]
    return np.eye(3), np.array(position)


def _check_expression(name: str, value: Symbolic) -> Symbolic:
    return value if isinstance(value, Symbol) else arguments.real_number(name, value)


class FunctionJoint(JointType):
    """Joint whose pose is a function of independent coordinates.

    Parameters
    ----------
    function
        Coordinates ``q (k,)`` to the rotation ``R (3, 3)`` and the position ``t (3,)`` of the moving frame in
        the fixed one. It is called once with symbolic arguments: it may use arithmetic, numpy functions and
        products of arrays, but must not branch on q. It must be smooth. It may also return a list of
        such pairs, whose product is the pose, such as results of :func:`rotation` and :func:`translation`:
        derivatives then take fewer instructions.
    num_coordinates
        Number k of coordinates.
    name
        Name of the joint in messages: ``"torus-torus"``.
    neutral
        Coordinates ``(k,)`` to start from, rad or m; zeros by default.
    low, high
        Usual range of each coordinate ``(k,)`` or of all, rad or m: the search for the nearest pose starts
        there.
    margins
        Function from coordinates to numbers that vanish where the pose or its chart is singular, such as the
        cosine of a latitude, by their names in messages.

    Raises
    ------
    ModuleNotFoundError
        If casadi is not installed.
    InvalidArgument
        If the function cannot be traced, or does not return a rotation and a position.
    SingularConfiguration
        By all methods, where a margin is smaller than 1e-6: the message names the joint and how close it is.

    Notes
    -----
    For compilers, :attr:`kinematics_function` is all that forward and inverse dynamics need of the joint as
    one casadi function, and :func:`rbnotes.joints.python_source` writes it out as a program without loops or
    branches.
    """

    def __init__(
        self,
        function: PoseFunction,
        num_coordinates: int,
        *,
        name: str = "function",
        neutral: ArrayLike | None = None,
        low: ArrayLike = -np.pi,
        high: ArrayLike = np.pi,
        margins: MarginFunction | None = None,
    ) -> None:
        count = arguments.count("num_coordinates", num_coordinates, 1)
        arguments.require_function("function", function, "q")
        if margins is not None:
            arguments.require_function("margins", margins, "q")
        self._traced_pose, self._margin_names = casadi_functions.trace(function, margins, count)
        self._name = arguments.text("name", name)
        self._neutral = self._broadcast_to_coordinates("neutral", 0.0 if neutral is None else neutral)
        self._bounds = (
            self._broadcast_to_coordinates("low", low),
            self._broadcast_to_coordinates("high", high),
        )
        if np.any(self._bounds[1] < self._bounds[0]):
            raise InvalidArgument(
                "high", str(self._bounds[1].tolist()), f"no less than low, {self._bounds[0].tolist()}"
            )
        self._check_rotations()

    @property
    def num_coordinates(self) -> int:
        result: int = self._traced_pose.size1_in(0)
        return result

    @property
    def neutral(self) -> Array:
        return self._neutral.copy()

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"FunctionJoint(name={self._name!r}, num_coordinates={self.num_coordinates})"

    @cached_property
    def kinematics_function(self) -> Any:
        """``casadi.Function``: ``q (k), qdot (k)`` to ``R (3, 3), t (3), S (6, k), Sdot qdot (6)``, dense.

        Margins are not checked.
        """
        return self._functions["kinematics"]()

    def kinematics_and_margins_function(self) -> Any:
        """Return the same function with R by rows and the margins as one more output.

        The joint is singular where a margin is below MIN_MARGIN.
        """
        return self._functions["kinematics_and_margins"]()

    def subspace_derivatives_function(self) -> Any:
        """Return the function of q, qdot, qddot ``(m,)`` for derivatives of S ``(m (12 + 6 m))`` and margins.

        For each column: its first and second rates, and the derivatives of all columns with respect to its
        coordinate.
        """
        return self._functions["subspace_derivatives"]()

    def compute_transform(self, q: Array) -> Array:
        R, t = self._evaluate(self._pose_function, q)
        Q = np.zeros((*q.shape[:-1], 4, 4))
        Q[..., :3, :3], Q[..., :3, 3], Q[..., 3, 3] = R, t[..., 0], 1
        return Q

    def compute_motion_subspace(self, q: Array) -> Array:
        return self._evaluate(self._motion_subspace_function, q)[0]

    def compute_motion_subspace_rate(self, q: Array, qdot: Array) -> Array:
        return self._evaluate(self._subspace_rate_function, q, qdot)[0]

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        k = self.num_coordinates
        derivatives = self._evaluate(self._subspace_derivative_function, q)[0].reshape(*q.shape[:-1], k, 6, k)
        return np.swapaxes(derivatives, -3, -2)

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        return self._evaluate(self._bias_derivative_function, q, qdot)[0]

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return search_coordinates(self, Q, self._initial_coordinates(Q), self._bounds)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the casadi expressions, which cannot be pickled."""
        return {name: value for name, value in vars(self).items() if name != "_functions"}

    @cached_property
    def _functions(self) -> Any:
        return casadi_functions.derivative_functions(self._traced_pose)

    @cached_property
    def _pose_function(self) -> VectorizedFunction:
        return VectorizedFunction(self._functions["pose"]())

    @cached_property
    def _motion_subspace_function(self) -> VectorizedFunction:
        return VectorizedFunction(self._functions["motion_subspace"]())

    @cached_property
    def _subspace_rate_function(self) -> VectorizedFunction:
        return VectorizedFunction(self._functions["motion_subspace_rate"]())

    @cached_property
    def _subspace_derivative_function(self) -> VectorizedFunction:
        return VectorizedFunction(self._functions["motion_subspace_derivative"]())

    @cached_property
    def _bias_derivative_function(self) -> VectorizedFunction:
        return VectorizedFunction(self._functions["bias_acceleration_derivative"]())

    def _evaluate(self, function: VectorizedFunction, *vectors: Array) -> list[Array]:
        results = function(*vectors)
        if self._margin_names:
            margins = np.abs(results.pop()[..., 0])
            # Where a margin is zero, other margins and the results may be NaN.
            if np.any(~(margins >= MIN_MARGIN)):
                self._raise_singular(vectors[0], margins)
        return results

    def _raise_singular(self, q: Array, margins: Array) -> None:
        *index, i = np.argwhere(~(margins >= MIN_MARGIN))[0]
        point, margin = q[tuple(index)], margins[(*index, i)]
        got = f"{point.round(6).tolist()}, the {self} joint {margin:.1e} from {self._margin_names[i]}"
        raise SingularConfiguration("q", got, f"at least {MIN_MARGIN:g}")

    def _broadcast_to_coordinates(self, name: str, value: ArrayLike) -> Array:
        array = arguments.array(name, value)
        if array.shape not in ((), (self.num_coordinates,)):
            expected = f"a number or shape ({self.num_coordinates},)"
            raise InvalidArgument(name, f"shape {array.shape}", expected)
        return np.broadcast_to(array, (self.num_coordinates,)).copy()

    def _check_rotations(self) -> None:
        """Raise an error if R is not a rotation at random coordinates."""
        samples = np.random.default_rng(0).uniform(
            *self._bounds, size=(NUM_ROTATION_SAMPLES, self.num_coordinates)
        )
        R, t, *_ = self._pose_function(samples)
        regular = np.all(np.isfinite(R), axis=(-1, -2)) & np.all(np.isfinite(t), axis=(-1, -2))
        R = R[regular]
        orthogonality_error = np.abs(R.mT @ R - np.eye(3)).max(initial=0.0)
        if not len(R) or orthogonality_error > ROTATION_TOLERANCE or np.any(np.linalg.det(R) < 0):
            got = (
                f"a matrix R with max |R^T R - I| = {orthogonality_error:.3g}"
                if len(R)
                else "no finite numbers"
            )
            if len(R) and orthogonality_error <= ROTATION_TOLERANCE:
                got = "a reflection R (determinant -1)"
            raise InvalidArgument("function", f"{got}, for the {self} joint", "a rotation R and a position t")
