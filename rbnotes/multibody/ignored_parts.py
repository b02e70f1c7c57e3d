"""Parts of models that the schemes of :mod:`rbnotes.dynamics` do not support: they refuse such models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from rbnotes.contact import Collider
from rbnotes.contact.detection import collision_filter
from rbnotes.dynamics import WORLD
from rbnotes.dynamics.ignored_parts import ACTUATORS, EQUATIONS, IMPULSES, ignored_parts
from rbnotes.multibody.actuators import Motor
from rbnotes.multibody.maximal.model import MaximalModel
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.constraint_stacking import constraint_label

_, CONTACTS, LIMITS, BEARINGS, DRY_FRICTION = IMPULSES


@ignored_parts.register(Model)
@lru_cache(maxsize=16)
def parts_of_model(model: Model) -> Mapping[str, str]:
    """Return the constraints, limits, contacts, friction and actuators of a model, by kind."""
    result = _contacts(model.colliders, model.excluded_indices, [body.name for body in model.bodies])
    for kind, unilateral in ((EQUATIONS, False), (LIMITS, True)):
        labels = [constraint_label(each) for each in model.constraints if each.unilateral == unilateral]
        if labels:
            result[kind] = f"{kind} ({', '.join(labels)})"
    if model.bearings:
        result[BEARINGS] = f"bearings ({len(model.bearings)})"
    dry = [body.name for body in model.bodies if np.any(body.joint_friction)]
    if dry:
        result[DRY_FRICTION] = f"dry friction in joints ({', '.join(map(repr, dry))})"
    servos = [each.body for each in model.actuators if not isinstance(each, Motor)]
    if servos:
        result[ACTUATORS] = f"servos ({', '.join(map(repr, servos))})"
    return result


@ignored_parts.register(MaximalModel)
@lru_cache(maxsize=16)
def parts_of_maximal_model(model: MaximalModel) -> Mapping[str, str]:
    """Return the joints and contacts of a model in maximal coordinates, by kind."""
    names = model.body_names or [str(index) for index in range(len(model.inertias))]
    result = _contacts(model.colliders, model.excluded_pairs or (), names)
    if model.joints:
        result[EQUATIONS] = f"joints ({len(model.joints)})"
    return result


def _contacts(
    colliders: Sequence[Collider], excluded_pairs: Sequence[tuple[int, int]], names: Sequence[str]
) -> dict[str, str]:
    """Return the first pair of colliders that may touch, with a hint; nothing if there is none."""
    may_touch = collision_filter(excluded_pairs)
    for first, second in combinations(colliders, 2):
        if may_touch(first, second):
            pair = [
                "the ground" if each.body == WORLD else repr(names[each.body]) for each in (first, second)
            ]
            return {CONTACTS: f"contacts (such as {' and '.join(pair)}; `collision=()` excludes a body)"}
    return {}
