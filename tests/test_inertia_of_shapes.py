"""Inertias of shapes and composites, by quadrature and by MuJoCo."""

import itertools

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from rbnotes import inertia, se3

GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(6)
ANGLES = np.arange(8) * np.pi / 4


def slices(low, high, half_widths):
    """Return the quadrature points and weights of a solid whose sections across z are ellipses.

    Exact where the products of the half widths ``(a(z), b(z))`` are polynomials.
    """
    points, weights = [], []
    for z, along in zip((low + high) / 2 + (high - low) / 2 * GAUSS, WEIGHTS, strict=True):
        a, b = half_widths(z)
        for s, across in zip((1 + GAUSS) / 2, WEIGHTS, strict=True):
            circle = np.stack([a * s * np.cos(ANGLES), b * s * np.sin(ANGLES), np.full(8, z)], axis=-1)
            points.append(circle)
            weights.append(np.full(8, (high - low) / 2 * along * across / 2 * a * b * s * np.pi / 4))
    return np.concatenate(points), np.concatenate(weights)


def box(sides):
    points = np.array(list(itertools.product(GAUSS, repeat=3))) * sides / 2
    return points, np.prod(list(itertools.product(WEIGHTS, repeat=3)), axis=1) * np.prod(sides) / 8


def capsule_radii(z):
    radius = np.sqrt(0.25 - np.maximum(np.abs(z) - 0.6, 0) ** 2)
    return radius, radius


def tube(big, small):
    """Return a ring, by angles around it and around its tube, and distances from the middle of that."""
    rho, weights = np.polynomial.legendre.leggauss(8)
    rho, weights = small * (rho + 1) / 2, small * weights / 2
    angles = 2 * np.pi * np.arange(12) / 12
    u, v, r = (each.ravel() for each in np.meshgrid(angles, angles, rho, indexing="ij"))
    out = big + r * np.cos(v)
    points = np.stack([out * np.cos(u), out * np.sin(u), r * np.sin(v)], axis=1)
    return points, np.tile(weights, 144) * r * out * (2 * np.pi / 12) ** 2


@pytest.mark.parametrize(
    ("shape", "sizes", "pieces"),
    [
        (inertia.cuboid, ([0.4, 0.6, 1.0],), [box(np.array([0.4, 0.6, 1.0]))]),
        (
            inertia.ellipsoid,
            ([0.4, 0.6, 1.0],),
            [slices(-1.0, 1.0, lambda z: np.sqrt(1 - z**2) * np.array([0.4, 0.6]))],
        ),
        (inertia.sphere, (0.5,), [slices(-0.5, 0.5, lambda z: np.sqrt(0.25 - z**2) * np.ones(2))]),
        (inertia.cylinder, (0.5, 1.2), [slices(-0.6, 0.6, lambda z: (0.5, 0.5))]),
        (inertia.cone, (0.5, 1.2), [slices(-0.3, 0.9, lambda z: (0.5 * (0.9 - z) / 1.2,) * 2)]),
        (
            inertia.capsule,
            (0.5, 1.2),
            [
                slices(-1.1, -0.6, capsule_radii),
                slices(-0.6, 0.6, capsule_radii),
                slices(0.6, 1.1, capsule_radii),
            ],
        ),
        (inertia.torus, (0.5, 0.2), [tube(0.5, 0.2)]),
    ],
    ids=["cuboid", "ellipsoid", "sphere", "cylinder", "cone", "capsule", "torus"],
)
def test_shapes_by_quadrature(shape, sizes, pieces):
    body = shape(*sizes, 3.0)
    points, volumes = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    second = 3.0 * np.einsum("p,pi,pj->ij", volumes, points, points)
    np.testing.assert_allclose(body.mass, 3.0 * np.sum(volumes), rtol=1e-13)
    np.testing.assert_allclose(body.inertia, np.trace(second) * np.eye(3) - second, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(body.com, np.zeros(3))


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        (inertia.cuboid, ([1.0, 2.0, 3.0],)),
        (inertia.ellipsoid, ([1.0, 2.0, 3.0],)),
        (inertia.sphere, (0.5,)),
        (inertia.cylinder, (0.5, 1.2)),
        (inertia.cone, (0.5, 1.2)),
        (inertia.capsule, (0.5, 1.2)),
        (inertia.torus, (0.5, 0.2)),
    ],
)
def test_default_density_is_one(shape, sizes):
    for actual, expected in zip(shape(*sizes), shape(*sizes, 1.0), strict=True):
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(
    ("shape", "sizes", "geom"),
    [
        (inertia.cuboid, ([0.4, 0.6, 1.0],), '<geom type="box" size="0.2 0.3 0.5" density="3"/>'),
        (inertia.ellipsoid, ([0.4, 0.6, 1.0],), '<geom type="ellipsoid" size="0.4 0.6 1" density="3"/>'),
        (inertia.sphere, (0.5,), '<geom type="sphere" size="0.5" density="3"/>'),
        (inertia.cylinder, (0.5, 1.2), '<geom type="cylinder" size="0.5 0.6" density="3"/>'),
        (inertia.capsule, (0.5, 1.2), '<geom type="capsule" size="0.5 0.6" density="3"/>'),
    ],
    ids=["cuboid", "ellipsoid", "sphere", "cylinder", "capsule"],
)
def test_shapes_against_mujoco(shape, sizes, geom):
    body = shape(*sizes, 3.0)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body>{geom}</body></worldbody></mujoco>")
    np.testing.assert_allclose(body.mass, model.body_mass[1], rtol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(body.inertia), np.sort(model.body_inertia[1]), rtol=1e-12)
    np.testing.assert_allclose(np.diag(body.inertia)[2], model.body_inertia[1][2], rtol=1e-12)


def test_composite_against_mujoco():
    E = [se3.exp([0.3, -0.2, 0.5, 0.1, 0.2, -0.3]), se3.exp([-1.0, 0.4, 0.2, 0.5, -0.1, 0.2])]
    parts = [inertia.cuboid([0.4, 0.6, 1.0], 3.0), inertia.cylinder(0.3, 0.8, 5.0)]
    composite = inertia.composite(parts, np.stack(E))

    def frame_attributes(pose):
        quaternion = pin.Quaternion(pose[:3, :3]).coeffs()[[3, 0, 1, 2]]
        position = " ".join(map(str, pose[:3, 3]))
        return f'pos="{position}" quat="{" ".join(map(str, quaternion))}"'

    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body>"
        f'<geom type="box" size="0.2 0.3 0.5" density="3" {frame_attributes(E[0])}/>'
        f'<geom type="cylinder" size="0.3 0.4" density="5" {frame_attributes(E[1])}/>'
        "</body></worldbody></mujoco>"
    )
    np.testing.assert_allclose(composite.mass, model.body_mass[1], rtol=1e-10)
    np.testing.assert_allclose(composite.com, model.body_ipos[1], atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(composite.inertia), np.sort(model.body_inertia[1]), rtol=1e-8
    )
    E, moments = inertia.principal_frame(composite)
    axes = pin.Quaternion(*model.body_iquat[1]).toRotationMatrix()[:, np.argsort(model.body_inertia[1])]
    np.testing.assert_allclose(np.abs(axes.T @ E[:3, :3]), np.eye(3), atol=1e-6)
    np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, composite.inertia, atol=1e-6)
