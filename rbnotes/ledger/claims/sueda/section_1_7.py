"""Sueda 1.7: maximal inertia."""

from __future__ import annotations

import itertools

import numpy as np

from rbnotes import se3
from rbnotes.inertia import cuboid, principal_frame, spatial_inertia, transform_inertia, triangle_mesh
from rbnotes.ledger.oracles.bodies import kinetic_energy_matrix, point_masses
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import DENSITY, ENERGY, INERTIA, LENGTH, MASS, POSE, SPATIAL_INERTIA, TWIST
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import frames, inertias, masses, matrices, positive_numbers, twists, vectors

section = Section(
    "sueda/s1.7",
    chapter="spatial-inertia",
    page_2019=Page(7),
    page_2021=Page(10),
    arguments={
        "m": Argument(MASS),
        "c": Argument(LENGTH, "center of mass, in the frame of the body"),
        "J": Argument(INERTIA, "about the center of mass, along the axes of the body"),
        "E": Argument(POSE, "of the body in the world"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "vertices": Argument(LENGTH, "in the frame of the body"),
        "rho": Argument(DENSITY),
        "dx": Argument(LENGTH),
        "dy": Argument(LENGTH),
        "dz": Argument(LENGTH),
    },
)


BOX = {
    "dx": positive_numbers(),
    "dy": positive_numbers(),
    "dz": positive_numbers(),
    "rho": positive_numbers(),
}
BODY = {"m": masses(), "c": vectors(), "J": inertias()}
PRINCIPAL_FRAME = {"m": masses(), "c": vectors(3, 0, 0), "J": inertias().map(lambda J: np.diag(np.diag(J)))}


TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
SOLID = {
    "vertices": matrices(4, 3).filter(lambda corners: np.linalg.det(corners[1:] - corners[0]) > 0.5),
    "rho": positive_numbers(),
}


@section.conditional("t320#a", "In body coordinates the mass matrix is diagonal")
class t320_a:
    page_2019 = Page(7)
    page_2021 = Page(10)
    formula = r"M = \mathrm{diag}(I_1, I_2, I_3, m, m, m)"
    inputs = BODY
    result = Result(SPATIAL_INERTIA, "about the center of mass, along the axes of the body")

    def printed(m, c, J):
        """Return the diagonal part of the spatial inertia."""
        return np.diag(np.diag(kinetic_energy_matrix(m, J, c)))

    def library(m, c, J):
        return spatial_inertia(m, J, c)

    def reference(m, c, J):
        """Compare with the kinetic energy of six point masses with this mass, center and inertia."""
        return kinetic_energy_matrix(m, J, c)

    condition_inputs = PRINCIPAL_FRAME

    def holds_when(m, c, J):
        return not np.any(c) and np.array_equal(J, np.diag(np.diag(J)))

    condition = "the body frame lies at the center of mass, along the principal axes"
    remark = "The matrix is constant in any body frame; 1.7.1 says which frame makes it diagonal."
    implements = spatial_inertia


@section.holds("t320#b", "In body coordinates the mass matrix can be computed beforehand")
class t320_b:
    formula = r"T = \tfrac12\,\phi^T M\,\phi\ \text{with the same}\ M\ \text{wherever the body is}"
    inputs = {**BODY, "E": frames(), "phi": twists()}
    result = Result(ENERGY)

    def printed(m, c, J, E, phi):
        """Use one constant matrix for all poses."""
        return 0.5 * phi @ kinetic_energy_matrix(m, J, c) @ phi

    def library(m, c, J, E, phi):
        return 0.5 * phi @ spatial_inertia(m, J, c) @ phi

    def reference(m, c, J, E, phi):
        """Compare with the kinetic energy of six point masses from their velocities in the world."""
        each, points = point_masses(m, J, c)
        angular_velocity, origin_velocity = E[:3, :3] @ phi[:3], E[:3, :3] @ phi[3:]
        return each / 2 * np.sum((origin_velocity + np.cross(angular_velocity, points @ E[:3, :3].T)) ** 2)

    implements = spatial_inertia


@section.holds("t320#c", "Body-centered frame and mass matrix of a triangle mesh, by volume integration")
class t320_c:
    formula = r"M = \int \Gamma(\mathbf x)^T\,\Gamma(\mathbf x)\,\rho\,dV"
    inputs = SOLID
    result = Result(SPATIAL_INERTIA, "about the center of mass, along the principal axes")

    def printed(vertices, rho):
        """Integrate 1, x and x x^T over the tetrahedron in closed form, about its center."""
        mass = rho / 6 * np.linalg.det(vertices[1:] - vertices[0])
        arms = vertices - np.mean(vertices, axis=0)
        squares = mass / 20 * arms.T @ arms
        inertia = np.trace(squares) * np.eye(3) - squares
        return np.diag([*np.linalg.eigvalsh(inertia), mass, mass, mass])

    def library(vertices, rho):
        solid = triangle_mesh(vertices, TETRAHEDRON, rho)
        E, _ = principal_frame(solid)
        return transform_inertia(se3.inverse(E), spatial_inertia(*solid))

    def reference(vertices, rho):
        """Compare with four Gauss points of the tetrahedron, by singular values of their arms from the center.

        The rule is exact for squares of coordinates.
        """
        near, far = (5 - np.sqrt(5)) / 20, (5 + 3 * np.sqrt(5)) / 20
        points = (near + (far - near) * np.eye(4)) @ vertices
        mass = rho / 6 * np.linalg.det(vertices[1:] - vertices[0])
        squares = np.linalg.svd(points - np.mean(points, axis=0), compute_uv=False) ** 2 * mass / 4
        return np.diag(
            [squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1], mass, mass, mass]
        )

    implements = (triangle_mesh, transform_inertia, principal_frame)


@section.holds("e1.24", "Spatial inertia of a cuboid")
class e1_24:
    formula = r"M = \mathrm{diag}\bigl(\tfrac m{12}(\Delta y^2+\Delta z^2),\ \tfrac m{12}(\Delta z^2+\Delta x^2),\ \tfrac m{12}(\Delta x^2+\Delta y^2),\ m,\ m,\ m\bigr),\quad m = \rho\,\Delta x\,\Delta y\,\Delta z"
    inputs = BOX
    result = Result(SPATIAL_INERTIA, "about the center of mass, along the axes of the body")

    def printed(dx, dy, dz, rho):
        m = rho * dx * dy * dz
        return np.diag(
            [m / 12 * (dy**2 + dz**2), m / 12 * (dz**2 + dx**2), m / 12 * (dx**2 + dy**2), m, m, m]
        )

    def library(dx, dy, dz, rho):
        return spatial_inertia(*cuboid([dx, dy, dz], rho))

    def reference(dx, dy, dz, rho):
        """Compare with the kinetic energy at the eight Gauss points of the box, exact for squares of coordinates."""
        M = np.zeros((6, 6))
        for signs in itertools.product((-1, 1), repeat=3):
            point = np.array([dx, dy, dz]) / 2 * np.array(signs) / np.sqrt(3)
            velocities = np.concatenate([np.cross(np.eye(3), point), np.eye(3)])
            M += rho * dx * dy * dz / 8 * velocities @ velocities.T
        return M

    implements = cuboid
