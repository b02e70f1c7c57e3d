"""What a joint type is: a pose Q(q) and its derivatives, whatever moves in it (Sueda 2.1-2.4).

A joint type knows nothing of bodies. It gives the pose Q of its moving frame, the body's, in its resting one,
the parent's, as a function of k coordinates q, and

* the Jacobian S ``(6, k)``, the body twist of Q being ``S @ qdot``: ``Q^-1 dQ/dq_i`` is the matrix of S_i;
* its derivative dS ``(6, k, k)``, whose last axis counts the coordinates by which it is taken, and the rate
  Sdot ``(6, k)``, which is ``dS @ qdot``.

From these all else follows: the reduced coordinates of a tree, and the rows, drifts and reactions of maximal
coordinates (:mod:`rbnotes.joints.constraint_forces`). A new type says ``coordinates``, ``_transform``, ``_S`` and
``_dS``, for coordinates that are already checked; the rest has defaults, which it may better: ``_Sdot`` if
the whole of dS is dear, ``_coordinates_of`` where there is a closed form, ``_drift_slope`` where ``_dS`` does
not take complex coordinates. One whose coordinates are not independent says ``constraints``, ``_constraint``
and its derivatives.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.unchecked_nearest_pose import refine_coordinates

COMPLEX_STEP = 1e-40
"""Its square is lost beside anything; so is the error of the derivatives that it gives."""


MAX_COORDINATE = 1e30
"""Coordinates must not be larger: joints in a row multiply them."""


class JointType(ABC):
    """A joint, apart from the bodies and frames that it connects."""

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
        """Coordinates ``(k,)`` to start from; zeros, where these mean something."""
        return np.zeros(self.num_coordinates)

    @property
    def twist_subalgebra(self) -> Array:
        """Orthonormal basis ``(6, d)`` of a Lie algebra that holds all allowed twists, at every q.

        If the poses form a group, as those of a hinge do, nothing else. Otherwise the smallest group that
        the type knows them to lie in; all rigid motions, if it knows of none.
        """
        return np.eye(6)

    @cached_property
    def num_dofs(self) -> int:
        """Number of independent relative motions, except at singular states."""
        result: int = min(
            self.num_coordinates - self.num_coordinate_constraints, self.twist_subalgebra.shape[1]
        )
        return result

    def transform(self, q: ArrayLike) -> Array:
        """Pose Q ``(..., 4, 4)`` of the moving frame in the resting one, for coordinates ``(..., k)``.

        Raises InvalidArgument if ``q`` has not ``coordinates`` numbers.
        """
        return self.compute_transform(self._check_coordinates("q", q))

    def motion_subspace(self, q: ArrayLike) -> Array:
        """Jacobian ``(..., 6, k)``: the body twist of Q is ``S @ qdot`` (Sueda 2.1, eq. (2.10)).

        Raises InvalidArgument if ``q`` has not ``coordinates`` numbers.
        """
        return self.compute_motion_subspace(self._check_coordinates("q", q))

    def motion_subspace_rate(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Rate ``(..., 6, k)`` of S while the coordinates change at ``qdot (..., k)`` (Sueda 2.2).

        Raises InvalidArgument if ``q`` or ``qdot`` has not ``coordinates`` numbers.
        """
        return self.compute_motion_subspace_rate(*self._check_coordinates_and_rates(q, qdot))

    def motion_subspace_derivative(self, q: ArrayLike) -> Array:
        """Derivatives ``(..., 6, k, k)`` of S: ``dS[..., i, j]`` is that of column i by coordinate j.

        Raises InvalidArgument if ``q`` has not ``coordinates`` numbers.
        """
        return self.compute_motion_subspace_derivative(self._check_coordinates("q", q))

    def bias_acceleration_derivative(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Derivative ``(..., 6, k)`` of the drift ``Sdot @ qdot`` by the coordinates, the rates held.

        It takes the second derivatives of S, but only along the rates.

        Raises
        ------
        InvalidArgument
            If the type has no formula for it, and a dS that takes no complex coordinates.
        """
        return self.compute_bias_acceleration_derivative(*self._check_coordinates_and_rates(q, qdot))

    def reparametrize(self, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
        """Coordinates and rates, both ``(..., k)``, of the same pose and twist, away from singular states.

        The coordinates themselves if the type has nothing better. The rates satisfy the constraints.

        Raises InvalidArgument if ``q`` or ``qdot`` has not ``coordinates`` numbers.
        """
        return self.compute_reparametrization(*self._check_coordinates_and_rates(q, qdot))

    def distance_to_singularity(self, q: ArrayLike) -> Array:
        """How far ``(...)`` the coordinates are from a singular state, where it is 0 (and only there).

        It is the smallest singular value of S on rates that the constraints allow: the size, in rad/s and
        m/s, of the slowest twist that rates of size one make. Infinite for a joint without coordinates.

        Raises InvalidArgument if ``q`` has not ``coordinates`` numbers.
        """
        q = self._check_coordinates("q", q)
        independent = self.num_coordinates - self.num_coordinate_constraints
        if independent == 0:
            return np.full(q.shape[:-1], np.inf)
        if independent > 6:
            return np.zeros(q.shape[:-1])
        # S is zero along the rows of the constraints: these singular values come last.
        return np.linalg.svd(self.compute_motion_subspace(q), compute_uv=False)[..., independent - 1]

    def nearest_coordinates(self, Q: ArrayLike) -> Array:
        """Coordinates ``(..., k)`` of the allowed pose that is nearest to ``Q (..., 4, 4)``.

        Nearest by :func:`rbnotes.joints.pose_error`, rad and m weighed alike. Where several joints in a row have
        to be untangled, it is searched for, and an odd arm may yield a local minimum.

        Raises InvalidArgument if ``Q`` is no pose.
        """
        return self.compute_nearest_coordinates(arguments.frame("Q", Q))

    def coordinate_constraint(self, q: ArrayLike) -> Array:
        """Values ``(..., c)``, zero where the coordinates satisfy their constraints (Sueda 2.8).

        Raises InvalidArgument if the shape of ``q`` does not fit.
        """
        return self.compute_coordinate_constraint(self._check_coordinates("q", q))

    def coordinate_constraint_jacobian(self, q: ArrayLike) -> Array:
        """Derivatives ``(..., c, k)`` of :meth:`coordinate_constraint` by the coordinates.

        Raises InvalidArgument if the shape of ``q`` does not fit.
        """
        return self.compute_coordinate_constraint_jacobian(self._check_coordinates("q", q))

    def coordinate_constraint_jacobian_rate(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Rates ``(..., c, k)`` of :meth:`coordinate_constraint_jacobian`.

        Raises InvalidArgument if the shape of ``q`` or ``qdot`` does not fit.
        """
        return self.compute_coordinate_constraint_jacobian_rate(*self._check_coordinates_and_rates(q, qdot))

    def coordinate_constraint_bias_derivative(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Derivative ``(..., c, k)`` of ``constraint_rows_dot @ qdot`` by the coordinates, the rates held.

        Raises
        ------
        InvalidArgument
            If the type has constraints, but no formula for it.
        """
        return self.compute_coordinate_constraint_bias_derivative(*self._check_coordinates_and_rates(q, qdot))

    @abstractmethod
    def compute_transform(self, q: Array) -> Array: ...

    @abstractmethod
    def compute_motion_subspace(self, q: Array) -> Array: ...

    @abstractmethod
    def compute_motion_subspace_derivative(self, q: Array) -> Array: ...

    def compute_motion_subspace_rate(self, q: Array, qdot: Array) -> Array:
        result: Array = np.einsum("...ijk,...k->...ij", self.compute_motion_subspace_derivative(q), qdot)
        return result

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        """By the complex step of dS: to rounding."""
        shifted = q[..., None, :] + 1j * COMPLEX_STEP * np.eye(self.num_coordinates)
        dS = self.compute_motion_subspace_derivative(shifted)
        if not np.iscomplexobj(dS):
            expected = "a dS that takes complex coordinates, or its own _drift_slope"
            raise InvalidArgument("joint", f"{self!r:.60}, whose dS is real", expected)
        result: Array = np.einsum("...lijk,...j,...k->...il", dS.imag / COMPLEX_STEP, qdot, qdot)
        return result

    def compute_coordinate_constraint(self, q: Array) -> Array:
        return np.zeros((*q.shape[:-1], 0))

    def compute_coordinate_constraint_jacobian(self, q: Array) -> Array:
        return np.zeros((*q.shape[:-1], 0, self.num_coordinates))

    def compute_coordinate_constraint_jacobian_rate(self, q: Array, qdot: Array) -> Array:
        return np.zeros((*q.shape[:-1], 0, self.num_coordinates))

    def compute_coordinate_constraint_bias_derivative(self, q: Array, qdot: Array) -> Array:
        if self.num_coordinate_constraints:
            raise InvalidArgument("joint", f"{self!r:.60}", "a type with its own _constraint_drift_slope")
        return np.zeros((*q.shape[:-1], 0, self.num_coordinates))

    def compute_reparametrization(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        return q, qdot

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return refine_coordinates(self, Q, self._initial_coordinates(Q))

    def _initial_coordinates(self, Q: Array) -> Array:
        """Where to start the search for the nearest pose."""
        return np.broadcast_to(self.neutral, (*Q.shape[:-2], self.num_coordinates))

    def _check_coordinates(self, name: str, q: ArrayLike) -> Array:
        checked = arguments.vector(name, q, self.num_coordinates)
        return arguments.require_within(name, checked, -MAX_COORDINATE, MAX_COORDINATE)

    def _check_coordinates_and_rates(self, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
        q, qdot = self._check_coordinates("q", q), self._check_coordinates("qdot", qdot)
        shape = (*arguments.common_shape(q=q.shape[:-1], qdot=qdot.shape[:-1]), self.num_coordinates)
        return np.broadcast_to(q, shape), np.broadcast_to(qdot, shape)
