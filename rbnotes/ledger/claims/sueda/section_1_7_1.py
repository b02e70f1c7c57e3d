"""Sueda 1.7.1: composite rigid bodies. Each body's own frame lies at its center of mass."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import block_diag

from rbnotes import inertia, se3, so3
from rbnotes.ledger.oracles.bodies import bracket, point_masses
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import INERTIA, LENGTH, MASS, NUMBER, POSE, SPATIAL_INERTIA, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import frames, inertias, masses, rotations

section = Section(
    "sueda/s1.7.1",
    chapter="spatial-inertia",
    page_2019=Page(7, last=8),
    page_2021=Page(10, last=11),
    arguments={
        "m1": Argument(MASS),
        "J1": Argument(INERTIA, "of the first body, about its center of mass and along its own axes"),
        "E1": Argument(POSE, "of the first body in the common frame"),
        "m2": Argument(MASS),
        "J2": Argument(INERTIA, "of the second body, about its center of mass and along its own axes"),
        "E2": Argument(POSE, "of the second body in the common frame"),
        "V": Argument(NUMBER, "columns in the frame of the composite body"),
    },
)


PAIR = {"m1": masses(), "J1": inertias(), "E1": frames(), "m2": masses(), "J2": inertias(), "E2": frames()}


def point_masses_of_pair(m1, J1, E1, m2, J2, E2):
    """Return both bodies as point masses in the common frame: masses ``(12,)`` and positions ``(12, 3)``."""
    masses_and_points = []
    for m, J, E in ((m1, J1, E1), (m2, J2, E2)):
        each, points = point_masses(m, J, np.zeros(3))
        masses_and_points.append((np.full(6, each), points @ E[:3, :3].T + E[:3, 3]))
    weights, positions = zip(*masses_and_points, strict=True)
    return np.concatenate(weights), np.concatenate(positions)


def center_printed(m1, E1, m2, E2):
    mc = m1 + m2
    return m1 / mc * E1[:3, 3] + m2 / mc * E2[:3, 3]


def central_inertia(m1, J1, E1, m2, J2, E2):
    """Return the top left block of (1.26): the rotated inertias of both bodies with Steiner's terms."""
    center = center_printed(m1, E1, m2, E2)
    J = np.zeros((3, 3))
    for m, J_k, E in ((m1, J1, E1), (m2, J2, E2)):
        R, arm = E[:3, :3], E[:3, 3] - center
        J = J + R @ J_k @ R.T + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return J


def centered_frame(m1, E1, m2, E2):
    E = np.eye(4)
    E[:3, 3] = center_printed(m1, E1, m2, E2)
    return E


def sum_library(m1, J1, E1, m2, J2, E2):
    bodies = [inertia.mass_properties(m1, J1), inertia.mass_properties(m2, J2)]
    center = (m1 * E1[:3, 3] + m2 * E2[:3, 3]) / (m1 + m2)
    Ec = se3.frame(np.eye(3), center)
    return inertia.spatial_inertia(*inertia.composite(bodies, np.linalg.inv(Ec) @ np.stack([E1, E2])))


def sum_reference(m1, J1, E1, m2, J2, E2):
    weights, positions = point_masses_of_pair(m1, J1, E1, m2, J2, E2)
    arms = positions - np.average(positions, axis=0, weights=weights)
    rotational = np.stack([np.cross(axis, arms) for axis in np.eye(3)], axis=-1)
    velocities = np.concatenate([rotational, np.broadcast_to(np.eye(3), rotational.shape)], axis=-1)
    return np.einsum("p,pic,pid->cd", weights, velocities, velocities)


@section.holds("t328", "A composite inertia is diagonal only about the center of mass")
class t328:
    formula = r"M_c\ \text{diagonal} \;\Rightarrow\; \text{origin at}\ \mathbf p_c"
    inputs = PAIR
    result = Result(MASS * LENGTH, "about the common origin")

    def printed(m1, J1, E1, m2, J2, E2):
        """Return the coupling block, which is zero only if the center of mass is at the origin."""
        return (m1 + m2) * bracket(center_printed(m1, E1, m2, E2))

    def library(m1, J1, E1, m2, J2, E2):
        bodies = [inertia.mass_properties(m1, J1), inertia.mass_properties(m2, J2)]
        return inertia.spatial_inertia(*inertia.composite(bodies, np.stack([E1, E2])))[:3, 3:]

    def reference(m1, J1, E1, m2, J2, E2):
        """Compare with the coupling of rotation and translation in the kinetic energy of twelve point masses."""
        weights, positions = point_masses_of_pair(m1, J1, E1, m2, J2, E2)
        rotational = np.stack([np.cross(axis, positions) for axis in np.eye(3)], axis=-1)
        return np.einsum("p,pic->ci", weights, rotational)

    remark = (
        r"About another origin, with the center of mass at $\mathbf p_c$, the coupling block is "
        r"$m_c[\mathbf p_c]$."
    )
    implements = (inertia.composite, inertia.spatial_inertia)


@section.holds("e1.25", "Mass and center of mass of a composite body")
class e1_25:
    formula = r"m_c = \sum_k m_k,\quad \mathbf p_c = \sum_k \frac{m_k}{m_c}\mathbf p_k"
    inputs = PAIR
    result = Result(vector_quantity((MASS, 1), (LENGTH, 3)), "the mass, then the center in the common frame")

    def printed(m1, J1, E1, m2, J2, E2):
        return np.append(m1 + m2, center_printed(m1, E1, m2, E2))

    def library(m1, J1, E1, m2, J2, E2):
        bodies = [inertia.mass_properties(m1, J1), inertia.mass_properties(m2, J2)]
        composite = inertia.composite(bodies, np.stack([E1, E2]))
        return np.append(composite.mass, composite.com)

    def reference(m1, J1, E1, m2, J2, E2):
        """Compare with the average position of twelve point masses that make up two bodies."""
        weights, positions = point_masses_of_pair(m1, J1, E1, m2, J2, E2)
        return np.append(np.sum(weights), np.average(positions, axis=0, weights=weights))

    implements = inertia.composite


@section.holds("e1.26", "Spatial inertia of a composite body about its center")
class e1_26:
    formula = r"M_c = \sum_k {}^k_c\mathrm{Ad}^T M_k\,{}^k_c\mathrm{Ad}"
    inputs = PAIR
    result = Result(SPATIAL_INERTIA, "about the center of both, along the common axes")

    def printed(m1, J1, E1, m2, J2, E2):
        Ec = centered_frame(m1, E1, m2, E2)
        # {}^k_c E takes coordinates in c to coordinates in k, as {}^0_i E takes those in i to the world.
        A1 = adjoint_by_conjugation(np.linalg.inv(E1) @ Ec)
        A2 = adjoint_by_conjugation(np.linalg.inv(E2) @ Ec)
        M1, M2 = block_diag(J1, m1 * np.eye(3)), block_diag(J2, m2 * np.eye(3))
        return A1.T @ M1 @ A1 + A2.T @ M2 @ A2

    library = sum_library
    oracle = (
        "Compare with the kinetic energy of twelve point masses that make up two bodies, about their "
        "common center."
    )
    reference = sum_reference
    remark = r"${}^k_c\mathrm{Ad}$ takes twists in $c$ to twists in $k$, by the notation of (1.1)."
    implements = inertia.composite


@section.holds("t338#a", "About the center, only the rotational block of a composite inertia is dense")
class t338_a:
    formula = r"M_c = \begin{pmatrix} J & 0 \\ 0 & m_c I \end{pmatrix}"
    inputs = PAIR
    result = Result(SPATIAL_INERTIA, "about the center of both, along the common axes")

    def printed(m1, J1, E1, m2, J2, E2):
        """Return a block-diagonal inertia: a dense rotational block and the total mass."""
        return block_diag(central_inertia(m1, J1, E1, m2, J2, E2), (m1 + m2) * np.eye(3))

    library = sum_library
    oracle = "Compare with the kinetic energy of twelve point masses about their common center."
    reference = sum_reference
    remark = (
        "Dense means without zeros by structure. The block is diagonal if the bodies are symmetric about the planes of $E_c$, like two boxes "
        "side by side."
    )
    implements = inertia.composite


@section.holds(
    "t338#b", "The right-handed eigenvectors rotate the central frame so that the inertia is diagonal"
)
class t338_b:
    formula = r"[V, D] = \mathrm{eig}(J),\ \det V = +1,\ E_c = \begin{pmatrix} V & \mathbf p_c \\ 0 & 1 \end{pmatrix}:\quad M_c = \mathrm{diag}(D, m_c, m_c, m_c)"
    inputs = PAIR
    result = Result(
        vector_quantity((INERTIA, 21), (MASS, 15), (NUMBER, 1)),
        "about the center of both, along the principal axes, by rows; then their determinant",
    )

    def printed(m1, J1, E1, m2, J2, E2):
        """Return the inertia about the center, in the frame whose axes are the eigenvectors."""
        J = central_inertia(m1, J1, E1, m2, J2, E2)
        _, V = np.linalg.eigh(J)
        R = V * np.array([1.0, 1.0, np.linalg.det(V)])
        M = block_diag(R.T @ J @ R, (m1 + m2) * np.eye(3))
        return np.append(M, np.linalg.det(R))

    def library(m1, J1, E1, m2, J2, E2):
        bodies = [inertia.mass_properties(m1, J1), inertia.mass_properties(m2, J2)]
        composite = inertia.composite(bodies, np.stack([E1, E2]))
        E, _ = inertia.principal_frame(composite)
        M = inertia.transform_inertia(se3.inverse(E), inertia.spatial_inertia(*composite))
        return np.append(M, np.linalg.det(E[:3, :3]))

    def reference(m1, J1, E1, m2, J2, E2):
        """Compare with singular values of the mass-weighted arms of twelve point masses about their common center."""
        weights, positions = point_masses_of_pair(m1, J1, E1, m2, J2, E2)
        arms = positions - np.average(positions, axis=0, weights=weights)
        squares = np.linalg.svd(np.sqrt(weights)[:, None] * arms, compute_uv=False) ** 2
        M = np.diag([*(np.sum(squares) - squares), *[np.sum(weights)] * 3])
        return np.append(M, 1.0)

    implements = inertia.principal_frame


@section.holds("t338#c", "Handedness of the eigenvectors from their triple product")
class t338_c:
    formula = r"\mathbf v_3\cdot(\mathbf v_1\times\mathbf v_2) = \det V"
    inputs = {"V": st.builds(lambda R, side: R * side, rotations(), st.sampled_from((1.0, -1.0)))}
    result = Result(NUMBER)

    def printed(V):
        return V[:, 2] @ np.cross(V[:, 0], V[:, 1])

    def library(V):
        return V[:, 2] @ so3.hat(V[:, 0]) @ V[:, 1]

    def reference(V):
        """Compare with the determinant, by elimination, of right- and left-handed frames."""
        return np.linalg.det(V)

    implements = so3.hat
