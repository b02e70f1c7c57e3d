"""Joint types: a pose Q(q) and its derivatives (Sueda 2.1-2.4).

A joint type does not depend on the bodies that it connects. It gives the pose Q of its moving frame (the
body's) in its fixed frame (the parent's) as a function of k coordinates q, and

* the motion subspace S ``(6, k)``: the body twist of Q is ``S @ qdot``, and ``Q^-1 dQ/dq_i`` is the matrix of
  S_i;
* its derivative dS ``(6, k, k)``, whose last axis counts the coordinates of differentiation, and its rate
  Sdot ``(6, k)``, which is ``dS @ qdot``.

The reduced coordinates of a tree follow from these, and so do the constraint rows, bias accelerations and
reactions in maximal coordinates (:mod:`rbnotes.joints.constraint_forces`). :class:`JointType` lists the hooks
that a new type overrides.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property, wraps
from inspect import isfunction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.unchecked_nearest_pose import refine_coordinates

COMPLEX_STEP = 1e-40
"""Imaginary step of the coordinates: its square, the relative error of the derivative, underflows."""

MAX_COORDINATE = 1e30
"""Largest absolute value of a coordinate: composite joints multiply coordinates."""


class JointType(ABC):
    """A joint, without the bodies and frames that it connects.

    The public methods check their arguments and call *hooks*, which do not. A user's own type defines
    :attr:`num_coordinates` and the first three hooks; the other hooks have defaults.

    Notes
    -----
    A type has the attributes ``num_coordinates`` k, ``num_coordinate_constraints`` c, ``num_dofs``,
    ``neutral`` ``(k,)`` and ``twist_subalgebra`` ``(6, d)``.

    Hooks take arrays ``q (..., k)`` and ``qdot (..., k)`` of floats, do not check them, and return

    * ``compute_transform(q)``: Q ``(..., 4, 4)``;
    * ``compute_motion_subspace(q)``: S ``(..., 6, k)``;
    * ``compute_motion_subspace_derivative(q)``: dS ``(..., 6, k, k)``;
    * ``compute_motion_subspace_rate(q, qdot)``: ``dS @ qdot (..., 6, k)``; override it if dS is expensive;
    * ``compute_bias_acceleration_derivative(q, qdot)``: ``d(Sdot @ qdot)/dq (..., 6, k)``;
      override it if dS does not accept complex coordinates;
    * ``compute_nearest_coordinates(Q)``: coordinates ``(..., k)`` of the allowed pose nearest to Q; override
      it if there is a closed form;
    * ``compute_reparametrization(q, qdot)``: coordinates and rates of the same pose and twist, away from
      singular configurations.

    A type with dependent coordinates also overrides ``num_coordinate_constraints`` and

    * ``compute_coordinate_constraint(q)``: residuals g ``(..., c)``;
    * ``compute_coordinate_constraint_jacobian(q)``: G = dg/dq ``(..., c, k)``;
    * ``compute_coordinate_constraint_jacobian_rate(q, qdot)``: dG/dt ``(..., c, k)``;
    * ``compute_coordinate_constraint_bias_derivative(q, qdot)``: derivative ``(..., c, k)`` of
      ``dG/dt @ qdot`` with respect to q.

    Examples
    --------
    A hinge about z:

    >>> import numpy as np
    >>> from rbnotes import so3, se3
    >>> from rbnotes.joints import JointType
    >>> class Hinge(JointType):
    ...     num_coordinates = 1
    ...     def compute_transform(self, q):
    ...         return se3.frame(so3.exp(q * [0, 0, 1]), np.zeros(3))
    ...     def compute_motion_subspace(self, q):
    ...         return np.zeros((*q.shape[:-1], 6, 1)) + np.eye(6)[:, 2:3]
    ...     def compute_motion_subspace_derivative(self, q):
    ...         return np.zeros((*q.shape[:-1], 6, 1, 1))
    >>> Hinge().motion_subspace([0.3]).ravel().tolist()
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
            return  # hooks of this package do not write into their arguments
        for name, hook in vars(cls).copy().items():
            if name in _HOOKS and isfunction(hook):
                setattr(cls, name, _check_arguments_after_call(hook))

    def __str__(self) -> str:
        words = re.findall("[A-Z][a-z]*|[0-9]+[A-Z]", type(self).__name__)
        return " ".join(word.lower() for word in words)

    @property
    @abstractmethod
    def num_coordinates(self) -> int:
        """Number k of coordinates."""

    @property
    def num_coordinate_constraints(self) -> int:
        """Number c of constraints among the coordinates themselves."""
        return 0

    @property
    def neutral(self) -> Array:
        """Coordinates ``(k,)`` to start from; zeros by default."""
        return np.zeros(self.num_coordinates)

    @property
    def twist_subalgebra(self) -> Array:
        """Orthonormal basis ``(6, d)`` of a Lie algebra that contains all allowed twists, at every q.

        If the poses form a group, as those of a hinge do, it is the algebra of that group. Otherwise it is
        the algebra of the smallest known group that contains the poses; by default all rigid motions.
        """
        return np.eye(6)

    @cached_property
    def num_dofs(self) -> int:
        """Number of independent relative motions, except at singular configurations."""
        result: int = min(
            self.num_coordinates - self.num_coordinate_constraints, self.twist_subalgebra.shape[1]
        )
        return result

    @property
    def changes_coordinates(self) -> bool:
        """True if :meth:`reparametrize` may return other coordinates, as for rotation vectors."""
        return type(self).compute_reparametrization is not JointType.compute_reparametrization

    def transform(self, q: ArrayLike) -> Array:
        """Return the pose Q ``(..., 4, 4)`` of the moving frame in the fixed one for ``q (..., k)``.

        Raises InvalidArgument if the last axis of ``q`` does not have length k.
        """
        return self.compute_transform(self._check_coordinates("q", q))

    def motion_subspace(self, q: ArrayLike) -> Array:
        """Return S ``(..., 6, k)``: the body twist of Q is ``S @ qdot`` (Sueda 2.1, eq. (2.10)).

        Raises InvalidArgument if the last axis of ``q`` does not have length k.
        """
        return self.compute_motion_subspace(self._check_coordinates("q", q))

    def motion_subspace_rate(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Return the rate ``(..., 6, k)`` of S at coordinate rates ``qdot (..., k)`` (Sueda 2.2).

        Raises InvalidArgument if the last axis of ``q`` or ``qdot`` does not have length k.
        """
        return self.compute_motion_subspace_rate(*self._check_coordinates_and_rates(q, qdot))

    def motion_subspace_derivative(self, q: ArrayLike) -> Array:
        """Return dS ``(..., 6, k, k)``: ``dS[..., i, j]`` is the derivative of column i along coordinate j.

        Raises InvalidArgument if the last axis of ``q`` does not have length k.
        """
        return self.compute_motion_subspace_derivative(self._check_coordinates("q", q))

    def bias_acceleration_derivative(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Return the derivative ``(..., 6, k)`` of ``Sdot @ qdot`` with respect to q, at constant rates.

        Only the second derivatives of S along the rates are needed.

        Raises
        ------
        InvalidArgument
            If the type has no formula for it and its dS does not accept complex coordinates.
        """
        return self.compute_bias_acceleration_derivative(*self._check_coordinates_and_rates(q, qdot))

    def reparametrize(self, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
        """Return coordinates and rates ``(..., k)`` of the same pose and twist, away from singularities.

        By default the coordinates are returned unchanged. The rates satisfy the coordinate constraints.

        Raises InvalidArgument if the last axis of ``q`` or ``qdot`` does not have length k.
        """
        return self.compute_reparametrization(*self._check_coordinates_and_rates(q, qdot))

    def distance_to_singularity(self, q: ArrayLike) -> Array:
        """Return a measure ``(...)`` that vanishes exactly at the singular configurations.

        It is the smallest singular value of S on rates that the coordinate constraints allow: the norm, in
        rad/s and m/s, of the smallest twist that rates of norm one produce. Infinite for a joint without
        coordinates.

        Raises InvalidArgument if the last axis of ``q`` does not have length k.
        """
        q = self._check_coordinates("q", q)
        independent = self.num_coordinates - self.num_coordinate_constraints
        if independent == 0:
            return np.full(q.shape[:-1], np.inf)
        if independent > 6:
            return np.zeros(q.shape[:-1])
        # S vanishes along the rows of the constraints: these singular values come last.
        return np.linalg.svd(self.compute_motion_subspace(q), compute_uv=False)[..., independent - 1]

    def nearest_coordinates(self, Q: ArrayLike) -> Array:
        """Return coordinates ``(..., k)`` of the allowed pose that is nearest to ``Q (..., 4, 4)``.

        The distance is the norm of :func:`rbnotes.joints.pose_error`, with equal weights of rad and m.
        Joints in series need a search, which may end at a local minimum.

        Raises InvalidArgument if ``Q`` is not a pose.
        """
        return self.compute_nearest_coordinates(arguments.frame("Q", Q))

    def coordinate_constraint(self, q: ArrayLike) -> Array:
        """Return the residuals ``(..., c)`` of the constraints among the coordinates (Sueda 2.8).

        Raises InvalidArgument if the shape of ``q`` does not fit.
        """
        return self.compute_coordinate_constraint(self._check_coordinates("q", q))

    def coordinate_constraint_jacobian(self, q: ArrayLike) -> Array:
        """Return the derivatives ``(..., c, k)`` of :meth:`coordinate_constraint` with respect to q.

        Raises InvalidArgument if the shape of ``q`` does not fit.
        """
        return self.compute_coordinate_constraint_jacobian(self._check_coordinates("q", q))

    def coordinate_constraint_jacobian_rate(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Return the rates ``(..., c, k)`` of :meth:`coordinate_constraint_jacobian`.

        Raises InvalidArgument if the shape of ``q`` or ``qdot`` does not fit.
        """
        return self.compute_coordinate_constraint_jacobian_rate(*self._check_coordinates_and_rates(q, qdot))

    def coordinate_constraint_bias_derivative(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Return the derivative ``(..., c, k)`` of the Jacobian's rate times qdot at constant rates.

        Raises
        ------
        InvalidArgument
            If the type has constraints but no formula for it.
        """
        return self.compute_coordinate_constraint_bias_derivative(*self._check_coordinates_and_rates(q, qdot))

    @abstractmethod
    def compute_transform(self, q: Array) -> Array:
        """Return Q ``(..., 4, 4)``; arguments are not checked."""

    @abstractmethod
    def compute_motion_subspace(self, q: Array) -> Array:
        """Return S ``(..., 6, k)``; arguments are not checked."""

    @abstractmethod
    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        """Return dS ``(..., 6, k, k)``; arguments are not checked."""

    def compute_motion_subspace_rate(self, q: Array, qdot: Array) -> Array:
        """Return ``dS @ qdot (..., 6, k)``; arguments are not checked."""
        result: Array = np.einsum("...ijk,...k->...ij", self.compute_motion_subspace_derivative(q), qdot)
        return result

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        """Return the derivative ``(..., 6, k)`` by a complex step; arguments are not checked."""
        shifted = q[..., None, :] + 1j * COMPLEX_STEP * np.eye(self.num_coordinates)
        dS = self.compute_motion_subspace_derivative(shifted)
        if not np.iscomplexobj(dS):
            expected = "a dS of complex coordinates, or its own compute_bias_acceleration_derivative"
            raise InvalidArgument("joint", f"{self!r:.60}, whose dS is real", expected)
        result: Array = np.einsum("...lijk,...j,...k->...il", dS.imag / COMPLEX_STEP, qdot, qdot)
        return result

    def compute_coordinate_constraint(self, q: Array) -> Array:
        """Return the residuals ``(..., c)``; arguments are not checked."""
        return np.zeros((*q.shape[:-1], 0))

    def compute_coordinate_constraint_jacobian(self, q: Array) -> Array:
        """Return their derivatives ``(..., c, k)``; arguments are not checked."""
        return np.zeros((*q.shape[:-1], 0, self.num_coordinates))

    def compute_coordinate_constraint_jacobian_rate(self, q: Array, qdot: Array) -> Array:
        """Return the rates ``(..., c, k)`` of the Jacobian; arguments are not checked."""
        return np.zeros((*q.shape[:-1], 0, self.num_coordinates))

    def compute_coordinate_constraint_bias_derivative(self, q: Array, qdot: Array) -> Array:
        """Return the derivative ``(..., c, k)`` of the bias; arguments are not checked."""
        if self.num_coordinate_constraints:
            expected = "a type with its own compute_coordinate_constraint_bias_derivative"
            raise InvalidArgument("joint", f"{self!r:.60}", expected)
        return np.zeros((*q.shape[:-1], 0, self.num_coordinates))

    def compute_reparametrization(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        """Return coordinates and rates of the same pose and twist; arguments are not checked."""
        return q, qdot

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        """Return the coordinates ``(..., k)`` of the nearest pose; arguments are not checked."""
        return refine_coordinates(self, Q, self._initial_coordinates(Q))

    def _initial_coordinates(self, Q: Array) -> Array:
        """Return the coordinates at which the search for the nearest pose starts."""
        return np.broadcast_to(self.neutral, (*Q.shape[:-2], self.num_coordinates))

    def _check_coordinates(self, name: str, q: ArrayLike) -> Array:
        checked = arguments.vector(name, q, self.num_coordinates)
        return arguments.require_within(name, checked, -MAX_COORDINATE, MAX_COORDINATE)

    def _check_coordinates_and_rates(self, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
        q, qdot = self._check_coordinates("q", q), self._check_coordinates("qdot", qdot)
        shape = (*arguments.common_shape(q=q.shape[:-1], qdot=qdot.shape[:-1]), self.num_coordinates)
        return np.broadcast_to(q, shape), np.broadcast_to(qdot, shape)


_HOOKS = frozenset(name for name in vars(JointType) if name.startswith("compute_"))


def _check_arguments_after_call(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Return a hook that raises an error if it writes into its arguments."""

    @wraps(hook)
    def call(self: JointType, *values: Any) -> Any:
        name = f"{type(self).__name__}.{hook.__name__}"
        return arguments.call_user_function(name, hook.__get__(self), *values)

    return call
