"""Friction models by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rbnotes import arguments
from rbnotes.friction.anitescu_stewart import anitescu_stewart
from rbnotes.friction.box import box_friction
from rbnotes.friction.coulomb import coulomb
from rbnotes.friction.gauss_seidel import gauss_seidel_friction
from rbnotes.friction.newton import newton_friction
from rbnotes.friction.single_qp import single_qp
from rbnotes.friction.staggered import staggered

MODELS: dict[str, Callable[..., Any]] = {
    model.__name__.removesuffix("_friction"): model
    for model in (
        anitescu_stewart,
        box_friction,
        coulomb,
        gauss_seidel_friction,
        newton_friction,
        single_qp,
        staggered,
    )
}


def model(name: str, value: Any) -> Callable[..., Any]:
    """A friction model given as a function, or by its name such as ``"coulomb"`` or ``"box"``.

    Raises
    ------
    InvalidArgument
        If there is none of that name; it calls the argument ``name``.
    """
    if isinstance(value, str):
        return MODELS[arguments.choice(name, value.removesuffix("_friction"), tuple(MODELS))]
    arguments.function(name, value, hint=f", or one of the names {', '.join(map(repr, MODELS))}")
    found: Callable[..., Any] = value
    return found
