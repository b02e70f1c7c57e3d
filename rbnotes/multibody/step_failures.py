"""Errors of a step of a simulation, with its time and the bodies in contact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.complementarity import NotSolved
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import WORLD
from rbnotes.errors import NotConverged

MAX_NAMED_PAIRS = 5
"""Largest number of pairs of bodies that a message names."""


@contextmanager
def name_step_failures(t: float, points: ContactPoints, names: Sequence[str] | None) -> Iterator[None]:
    """Put the time of a step and its contacts before the message of an error that ends it.

    ``names`` are those of the bodies; without them the message has their indices.
    """
    try:
        yield
    except NotConverged as error:
        contacts = describe_contacts(points, names)
        if isinstance(error, NotSolved):
            cause = f"{contacts} and the constraints allow no velocities"
            advice = "separate the bodies, remove a contact or constraint, or increase `slop`"
        else:
            cause = f"the step with {contacts} failed"
            advice = "reduce the step size, or use another friction model"
        error.args = (f"simulate: at t = {t:g} s {cause} ({error}); {advice}",)
        raise
    except SingularConfiguration as error:
        cause = f"the step with {describe_contacts(points, names)} failed"
        advice = "reduce the step size, or use a joint that is not singular there"
        error.args = (f"simulate: at t = {t:g} s {cause} ({error}); {advice}",)
        raise
    except InvalidArgument as error:
        # Results of the caller's functions: forces, commands, friction models.
        step = f"in the step from t = {t:g} s with {describe_contacts(points, names)}"
        error.args = (f"simulate: {step}: {error}",)
        raise


def describe_contacts(points: ContactPoints, names: Sequence[str] | None) -> str:
    """Return the pairs of bodies in contact, such as "contacts ball-world, box-world (4)"."""

    def name(body: int) -> str:
        if body == WORLD:
            return "world"
        return f"body {body}" if names is None else names[body]

    # The world, the least index, comes last.
    pairs = Counter(
        (max(int(a), int(b)), min(int(a), int(b))) for a, b in zip(points.a, points.b, strict=True)
    )
    if not pairs:
        return "no contacts"
    parts = [
        f"{name(a)}-{name(b)}" + (f" ({count})" if count > 1 else "")
        for (a, b), count in list(pairs.items())[:MAX_NAMED_PAIRS]
    ]
    if len(pairs) > MAX_NAMED_PAIRS:
        parts.append(f"and {len(pairs) - MAX_NAMED_PAIRS} other pairs")
    return "contacts " + ", ".join(parts)
