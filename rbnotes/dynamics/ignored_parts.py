"""Parts of a system that are not among its forces, which the schemes of this package would leave out.

A scheme integrates ``M dv/dt = f``. Contacts, limits, joints and friction are impulses that the caller of a
scheme adds (``solve``). A model of bodies may have them, as well as actuators, which schemes do not support.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import singledispatch
from typing import Any

from rbnotes.arguments import InvalidArgument

EQUATIONS = "constraints"
"""Equations on positions or velocities, joints between bodies included."""
ACTUATORS = "actuators"
"""Actuators that exert forces without commands."""
IMPULSES = (EQUATIONS, "contacts", "limits", "bearings", "dry friction in joints")
"""Parts that impulses of a step account for."""


@singledispatch
def ignored_parts(system: Any) -> Mapping[str, str]:
    """Return the parts of a system besides its forces, by kind, with a description; none by default.

    Classes of systems register their own function.
    """
    return {}


def check_ignored_parts(system: Any, accounted: Collection[str] = ()) -> None:
    """Check that a system has no parts that a step would leave out.

    Parameters
    ----------
    accounted
        Kinds of the parts that the step accounts for.

    Raises
    ------
    InvalidArgument
        If it has; the message names them.
    """
    ignored = [text for kind, text in ignored_parts(system).items() if kind not in accounted]
    if ignored:
        expected = "a system without them; rbnotes.multibody.simulate accounts for them"
        raise InvalidArgument("system", f"one with {', '.join(ignored)}, which the step leaves out", expected)
