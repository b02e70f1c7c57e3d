"""Twins of the live figures: the numbers that a page shows first, computed by the library.

A module ``spring_damper`` is the twin of ``book/_js/figures/spring-damper.js``. Its ``evaluate`` of a
state and a mode returns what the function of that name in JavaScript returns. It computes the poster of the
page, and the tests compare both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from rbnotes import ledger, se3, so3
from rbnotes.arguments import Array
from rbnotes_book.node import SCRIPTS

FIGURES = SCRIPTS / "figures"
PARTS = ("drawing", "handles")
"""Modules of that folder that are not figures."""


def names() -> list[str]:
    """Return the names of all live figures."""
    return sorted(path.stem for path in FIGURES.glob("*.js") if path.stem not in PARTS)


def evaluate(name: str, state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the numbers of a figure in a state, as the library computes them."""
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    result: dict[str, Any] = module.evaluate(state, mode)
    return result


@cache
def printed_form(claim: str) -> Callable[..., Any]:
    """Return the printed form of a claim, which the ledger has and the library does not."""
    form: Callable[..., Any] | None = ledger.find(claim).printed
    assert form is not None, claim
    return form


def planar_pose(pose: Sequence[float]) -> Array:
    """Return the pose ``(4, 4)`` of a body in the plane of x and y: position and angle."""
    x, y, angle = pose
    return se3.frame(so3.exp([0, 0, angle]), [x, y, 0])


def path(name: str) -> Path:
    """Return the script of a figure."""
    return FIGURES / f"{name}.js"
