"""The cone projection against its closed form and cvxpy; every residual detects its violation."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
from friction_scenes import heap, particle
from hypothesis import given
from hypothesis import strategies as st

from rbnotes.friction import (
    coulomb_residuals,
    friction_contact_problem,
    gauss_seidel_friction,
    natural_residual,
    project_on_cone,
    socp_fixed_point_friction,
)
from rbnotes.testing.strategies import vectors


def test_projection_at_apex_axis_surface_and_polar_cone():
    mu = 0.75  # the half angle has tangent 3/4, sine 3/5, cosine 4/5
    assert np.allclose(project_on_cone([0, 0, 0], mu), 0)
    assert np.allclose(project_on_cone([2.0, 0, 0], mu), [2, 0, 0])
    assert np.allclose(project_on_cone([4.0, 3.0, 0], mu), [4, 3, 0])
    # The outward normal of the surface at (4, 3, 0) is (-3, 4, 0) / 5: along it all points come back.
    for distance in (0.1, 1.0, 100.0):
        assert np.allclose(project_on_cone([4 - 0.6 * distance, 3 + 0.8 * distance, 0], mu), [4, 3, 0])
    assert np.allclose(project_on_cone([-3.0, 0, 4.0], mu), 0)  # on the polar cone's surface
    assert np.allclose(project_on_cone([-5.0, 1.0, 1.0], mu), 0)
    assert np.allclose(project_on_cone([-1.0, 0, 0], 0.0), 0)
    assert np.allclose(project_on_cone([2.0, 3.0, 4.0], 0.0), [2, 0, 0])


@given(vectors(3), vectors(3), st.floats(0, 3))
def test_projection_is_the_nearest_point(point, other, mu):
    """No point of the cone is nearer: the angle at the nearest point is obtuse (Kolmogorov's criterion)."""
    nearest = project_on_cone(point, mu)
    scale = 1 + np.abs(point).max() + np.abs(other).max()
    assert np.linalg.norm(nearest[1:]) <= mu * nearest[0] + 1e-12 * scale
    inside = np.array([np.linalg.norm(other[1:]) / max(mu, 1e-9) + abs(other[0]), *other[1:]])
    if mu < 1e-6:
        inside = np.array([abs(other[0]), 0.0, 0.0])
    for member in (inside, nearest / 2, 2 * nearest):
        size = (1 + np.abs(point).max()) * (1 + np.abs(member).max())
        assert (point - nearest) @ (member - nearest) <= 1e-10 * size


def test_projection_against_a_cone_program(rng):
    for _ in range(5):
        point, mu = rng.normal(size=3), rng.uniform(0.1, 2)
        x = cp.Variable(3)
        cp.Problem(cp.Minimize(cp.sum_squares(x - point)), [cp.SOC(mu * x[0], x[1:])]).solve(
            solver="CLARABEL"
        )
        assert np.allclose(project_on_cone(point, mu), x.value, atol=1e-5)


SLIDING = particle([3.0, 4.0, -2.0])
EXACT = socp_fixed_point_friction(SLIDING, tolerance=1e-9)


def test_residuals_are_zero_at_the_solution():
    assert np.allclose(EXACT.velocity, [2.4, 3.2, 0], atol=1e-7)
    assert max(map(abs, coulomb_residuals(SLIDING, EXACT))) < 1e-6


@pytest.mark.parametrize(
    ("law", "impulse", "size"),
    [
        ("approach_velocity", [1.5, -0.6, -0.8], 0.5),  # the particle still approaches with 2 - 1.5
        ("tensile_impulse", [-0.5, 0, 0], 0.5),
        ("complementarity", [2.5, -0.6, -0.8], 0.5),  # it leaves with 0.5 under an impulse of 2.5
        ("cone_violation", [2.0, -0.9, -1.2], 0.5),  # |b| = 1.5 where 1 is allowed
        ("dissipation_deficit", [2.0, -0.3, -0.4], 0.5 * 4.5),  # half the friction, at 4.5 m/s
        (
            "dissipation_deficit",
            [2.0, 0.8, -0.6],
            np.hypot(3.8, 3.4) + 0.8 * 3.8 - 0.6 * 3.4,
        ),  # the wrong direction
    ],
)
def test_each_residual_detects_its_violation(law, impulse, size):
    impulse = np.array(impulse)
    wrong = replace(
        EXACT,
        velocity=np.array([3.0, 4.0, -2.0]) + impulse[[1, 2, 0]],
        normal=impulse[:1],
        tangential=impulse[None, 1:],
    )
    laws = coulomb_residuals(SLIDING, wrong)
    assert np.isclose(getattr(laws, law), size)
    assert laws.natural_residual > 0.03


def test_natural_residual_is_zero_only_at_solutions(rng):
    problem = heap(rng)
    space = friction_contact_problem(problem)
    solution = socp_fixed_point_friction(problem)
    velocities = space.velocities_from_solution(solution)
    assert natural_residual(problem, solution.contact_impulses, velocities) < 1e-6
    for size in (1e-3, 1e-1):
        impulses = solution.contact_impulses + size * rng.normal(size=solution.contact_impulses.shape)
        velocities = space.velocities_from_impulses(impulses)
        assert natural_residual(problem, impulses, velocities) > size / 100


def test_no_contacts_give_zero_residuals(rng):
    problem = heap(rng, 1, 0)
    assert coulomb_residuals(problem, socp_fixed_point_friction(problem)) == (0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("cone", "corner", "side"),
    [("box", [1.0, 1.0], [1.0, 0.3]), ("pyramid", [1.0, 0.0], [0.5, 0.5]), ("disc", [0.6, 0.8], [0.0, 1.0])],
)
def test_section_bounds_at_corners_and_sides(cone, corner, side):
    """A unit section scaled by mu a: the residual is zero at its boundary and 1% at 1% beyond it."""
    for direction in (corner, side):
        for sign in (1, -1):
            friction = sign * np.array(direction)  # mu a = 0.5 * 2
            at_edge = replace(EXACT, normal=np.array([2.0]), tangential=friction[None])
            beyond = replace(at_edge, tangential=1.01 * friction[None])
            assert abs(coulomb_residuals(SLIDING, at_edge, cone=cone).cone_violation) < 1e-12
            assert np.isclose(coulomb_residuals(SLIDING, beyond, cone=cone).cone_violation, 0.01)


def test_dissipation_is_maximal_within_the_section(rng):
    """The dissipation is compared with the largest of many impulses in the section."""
    angles = np.linspace(0, 2 * np.pi, 20_001)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    corners = {
        "disc": circle,
        "box": np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]),
        "pyramid": circle[::2500],
    }
    for cone, section in corners.items():
        velocity = np.append(rng.normal(size=2), 0.0)
        friction = 0.3 * rng.normal(size=2)
        solution = replace(EXACT, velocity=velocity, normal=np.array([2.0]), tangential=friction[None])
        most = -min(section @ velocity[:2])
        laws = coulomb_residuals(SLIDING, solution, cone=cone, facets=8)
        assert np.isclose(laws.dissipation_deficit, most + friction @ velocity[:2], atol=1e-6)


def test_box_residual_is_zero_only_at_solutions(rng):
    problem = heap(rng)
    space = friction_contact_problem(problem)
    solution = gauss_seidel_friction(problem, cone="box", tolerance=1e-12)
    velocities = space.velocities_from_solution(solution)
    assert natural_residual(problem, solution.contact_impulses, velocities, cone="box") < 1e-10
    for component in range(3):
        impulses = solution.contact_impulses.copy()
        impulses[:, component] += 0.01
        velocities = space.velocities_from_impulses(impulses)
        assert natural_residual(problem, impulses, velocities, cone="box") > 1e-4
