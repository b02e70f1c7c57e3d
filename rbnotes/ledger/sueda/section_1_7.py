"""Sueda 1.7: maximal inertia."""

from __future__ import annotations

import itertools

import numpy as np

from rbnotes.checking.strategies import inertias, masses, positive_numbers, vectors
from rbnotes.inertia import cuboid, spatial_inertia
from rbnotes.ledger.oracles import kinetic_energy_matrix
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "spatial-inertia"
BOX = {
    "dx": positive_numbers(),
    "dy": positive_numbers(),
    "dz": positive_numbers(),
    "rho": positive_numbers(),
}
BODY = {"m": masses(), "c": vectors(), "J": inertias()}


CENTRED = {"m": masses(), "c": vectors(3, 0, 0), "J": inertias().map(lambda J: np.diag(np.diag(J)))}


def cuboid_printed(dx, dy, dz, rho):
    m = rho * dx * dy * dz
    return np.diag([m / 12 * (dy**2 + dz**2), m / 12 * (dz**2 + dx**2), m / 12 * (dx**2 + dy**2), m, m, m])


def cuboid_library(dx, dy, dz, rho):
    return spatial_inertia(*cuboid([dx, dy, dz], rho))


def cuboid_reference(dx, dy, dz, rho):
    """Kinetic energy of the mass at the eight Gauss points of the box: exact for squares of coordinates."""
    M = np.zeros((6, 6))
    for signs in itertools.product((-1, 1), repeat=3):
        point = np.array([dx, dy, dz]) / 2 * np.array(signs) / np.sqrt(3)
        velocities = np.concatenate([np.cross(np.eye(3), point), np.eye(3)])
        M += rho * dx * dy * dz / 8 * velocities @ velocities.T
    return M


def diagonal_printed(m, c, J):
    """What a diagonal matrix keeps of the spatial inertia."""
    return np.diag(np.diag(kinetic_energy_matrix(m, J, c)))


def matrix_library(m, c, J):
    return spatial_inertia(m, J, c)


def matrix_reference(m, c, J):
    return kinetic_energy_matrix(m, J, c)


RECORDS = [
    Record(
        id="sueda/s1.7/t320",
        title="In body coordinates the mass matrix is diagonal",
        verdict=Verdict.CONDITIONAL,
        chapter=CHAPTER,
        formula=r"M = \mathrm{diag}(I_1, I_2, I_3, m, m, m)",
        condition="the body frame lies at the centre of mass, along the principal axes",
        remark="In any body frame the matrix is constant; 1.7.1 says what makes it diagonal.",
        oracle="the kinetic energy of six point masses with this mass, centre and inertia",
        implemented_by=("rbnotes.inertia.spatial_inertia", "rbnotes.inertia.principal_frame"),
        inputs=BODY,
        given=CENTRED,
        printed=diagonal_printed,
        library=matrix_library,
        reference=matrix_reference,
    ),
    Record(
        id="sueda/s1.7/e1.24",
        title="Spatial inertia of a cuboid",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"M = \mathrm{diag}\bigl(\tfrac m{12}(\Delta y^2+\Delta z^2),\ \tfrac m{12}(\Delta z^2+\Delta x^2),\ "
        r"\tfrac m{12}(\Delta x^2+\Delta y^2),\ m,\ m,\ m\bigr),\quad m = \rho\,\Delta x\,\Delta y\,\Delta z",
        oracle="kinetic energy by Gauss quadrature over the box, exact for its polynomials",
        implemented_by=("rbnotes.inertia.cuboid",),
        inputs=BOX,
        printed=cuboid_printed,
        library=cuboid_library,
        reference=cuboid_reference,
    ),
]
