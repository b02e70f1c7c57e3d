"""From one contact to two hundred: every friction model keeps its laws or reports that it failed.

The laws are recomputed from the impulses, without the results that the models return.
"""

from typing import NamedTuple

import numpy as np
import pytest
from friction_scenes import heap, stack
from hypothesis import settings

from rbnotes.complementarity import NotSolved
from rbnotes.friction import FRICTION_MODELS, FrictionNotConverged

TOLERANCE = 1e-6
"""Largest accepted violation as a velocity relative to the fastest contact without impulses, or of energy."""


class Laws(NamedTuple):
    """Laws of a model besides unilateral contact and dissipation.

    Attributes
    ----------
    complementarity
        True if contacts that open carry no impulse.
    cone
        Order of the norm that the normal impulse bounds; None if the bound is an estimate.
    """

    complementarity: bool
    cone: int | None


LAWS = {
    "newton": Laws(True, 2),
    "coulomb": Laws(True, 2),
    "gauss_seidel": Laws(True, 2),
    "staggered": Laws(True, np.inf),
    "box": Laws(True, None),
    "anitescu_stewart": Laws(False, 2),
    "single_qp": Laws(False, 2),
}
SLOW = {"coulomb", "gauss_seidel", "anitescu_stewart"}
"""Models that take seconds for 200 contacts; only the deep profile runs these."""


def cases():
    """Return models, numbers of contacts and scenes; those with many contacts are slow."""
    is_deep = settings.default.max_examples > 100
    return [
        pytest.param(name, count, scene, marks=() if count < 20 else pytest.mark.slow)
        for name in FRICTION_MODELS
        for count in (1, 4, 20, 200)
        for scene in (heaps, stacks)
        if count < 60 or name not in SLOW or is_deep
    ]


def heaps(count):
    return heap(np.random.default_rng(count), bodies=max(1, count // 3), contacts=count)


def stacks(count):
    return stack(max(1, count // 4), 1.0)


def dense_rows(problem):
    rows = problem.contacts.matrix
    rows = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    return rows.reshape(-1, problem.size)


def violations(problem, impulses, laws):
    """Return the violation of each law that applies to a model."""
    rows, mass = dense_rows(problem), np.asarray(problem.mass)
    free = np.linalg.solve(mass, problem.momentum)
    velocity = np.linalg.solve(mass, problem.momentum + rows.T @ impulses.ravel())
    contact = (rows @ velocity).reshape(-1, 3)
    fastest = np.max(np.abs(rows @ free))
    mobility = np.sum(rows * np.linalg.solve(mass, rows.T).T, axis=1).reshape(-1, 3).mean(axis=1)
    normal, friction, opening = impulses[:, 0], impulses[:, 1:], contact[:, 0]
    energy = free @ mass @ free
    violations_by_law = {
        "approach": np.max(-opening) / fastest,
        "tension": np.max(-normal * mobility) / fastest,
        "energy": (velocity @ mass @ velocity - energy) / energy,
    }
    if laws.complementarity:
        violations_by_law["complementarity"] = np.max(np.minimum(normal * mobility, opening)) / fastest
    if laws.cone is not None:
        size = np.linalg.norm(friction, ord=laws.cone, axis=1)
        violations_by_law["cone"] = np.max((size - problem.contacts.mu * normal) * mobility) / fastest
    return violations_by_law


@pytest.mark.parametrize(("name", "count", "scene"), cases())
def test_laws_hold_or_the_failure_is_reported(name, count, scene):
    problem = scene(count)
    try:
        solution = FRICTION_MODELS[name].solve(problem)
    except (FrictionNotConverged, NotSolved):
        assert count > 1
        return
    sizes = violations(problem, solution.contact_impulses, LAWS[name])
    assert {law: size for law, size in sizes.items() if not size <= TOLERANCE} == {}
