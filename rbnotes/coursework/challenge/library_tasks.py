"""Tasks outside the notes: functions of the library that a student should be able to write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm, expm_frechet

from rbnotes import ledger, se3
from rbnotes.arguments import Array
from rbnotes.ledger import lookup
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.record import Argument, Inputs, Record, Result, Verdict
from rbnotes.testing.strategies import numbers, unit_vectors, vectors

ANY_TWIST: Inputs = {"xi": st.builds(np.append, vectors(3, -4, 4), vectors())}
TWISTS_BELOW_HALF_TURN: Inputs = {
    "xi": st.builds(
        lambda axis, angle, v: np.append(angle * axis, v), unit_vectors(), numbers(0, 3), vectors()
    )
}
XI = Argument(meaning="in the frame of the body, which is the same at the start and at the end")


def left_jacobian(xi: Array) -> Array:
    """Return the left Jacobian: world twists of ``exp[xi]`` for unit rates of the entries of xi."""
    X = twist_matrix(xi)
    rates = [expm_frechet(X, twist_matrix(entry), compute_expm=False) for entry in np.eye(6)]
    return _twist_columns([rate @ expm(-X) for rate in rates])


def right_jacobian(xi: Array) -> Array:
    """Return the right Jacobian: body twists of ``exp[xi]`` for unit rates of the entries of xi."""
    X = twist_matrix(xi)
    rates = [expm_frechet(X, twist_matrix(entry), compute_expm=False) for entry in np.eye(6)]
    return _twist_columns([expm(-X) @ rate for rate in rates])


def _twist_columns(twists: list[Array]) -> Array:
    return np.array([[W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]] for W in twists]).T


def _record(
    number: int,
    title: str,
    formula: str,
    library: Callable[..., Array],
    reference: Callable[..., Array],
    inputs: Inputs,
    meaning: str,
) -> Record:
    """Return the record of a function of the library that is not a claim of notes."""
    return Record(
        id=f"rbnotes/sSE3/d{number}",
        title=title,
        verdict=Verdict.DEFINITION,
        chapter="frames-and-twists",
        implements=(library,),
        formula=formula,
        oracle="Compare with scipy's Frechet derivatives of the matrix exponential along each entry.",
        inputs=inputs,
        arguments={"xi": XI},
        result=Result(meaning=meaning),
        library=library,
        reference=reference,
    )


RECORDS = (
    _record(
        1,
        "Left Jacobian of the exponential map of rigid motions",
        r"\dot E E^{-1} = [J_l(\xi)\,\dot\xi],\quad E = \exp[\xi]",
        se3.left_jacobian,
        left_jacobian,
        ANY_TWIST,
        "takes rates of xi to twists in the frame at the start",
    ),
    _record(
        2,
        "Right Jacobian of the exponential map of rigid motions",
        r"E^{-1}\dot E = [J_r(\xi)\,\dot\xi],\quad E = \exp[\xi]",
        se3.right_jacobian,
        right_jacobian,
        ANY_TWIST,
        "takes rates of xi to twists in the moved frame",
    ),
    _record(
        3,
        "Inverse of the left Jacobian of the exponential map of rigid motions",
        r"\dot\xi = J_l^{-1}(\xi)\,\phi,\quad \dot E = [\phi] E",
        se3.left_jacobian_inverse,
        lambda xi: np.linalg.inv(left_jacobian(xi)),
        TWISTS_BELOW_HALF_TURN,
        "takes twists in the frame at the start to rates of xi",
    ),
    _record(
        4,
        "Inverse of the right Jacobian of the exponential map of rigid motions",
        r"\dot\xi = J_r^{-1}(\xi)\,\phi,\quad \dot E = E [\phi]",
        se3.right_jacobian_inverse,
        lambda xi: np.linalg.inv(right_jacobian(xi)),
        TWISTS_BELOW_HALF_TURN,
        "takes twists in the moved frame to rates of xi",
    ),
)


def load_all() -> tuple[Record, ...]:
    """Return the claims of the ledger and the tasks of this module."""
    return (*ledger.load(), *RECORDS)


def find_task(id: str) -> Record:
    """Return the claim or task of this name, see :func:`rbnotes.ledger.lookup.find_claim`."""
    return lookup.find_claim(id, load_all())
