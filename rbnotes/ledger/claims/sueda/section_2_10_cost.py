"""Sueda 2.10: what products without the Jacobian cost, and what they are for."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.ledger.claims.sueda.section_2_1_jacobian import FILLED, serial_chains
from rbnotes.ledger.claims.sueda.section_2_10 import (
    ALL_PRODUCTS,
    PRODUCTS,
    RATE_PRODUCT,
    THREE_MOVING,
)
from rbnotes.ledger.claims.sueda.section_2_trees import tree_of
from rbnotes.ledger.joint_quantities import velocities
from rbnotes.ledger.oracles import body_trees, jacobian_recursions
from rbnotes.ledger.oracles.recursive_dynamics import counted_array
from rbnotes.ledger.quantities import (
    ACCELERATION,
    LENGTH,
    NUMBER,
    RATE,
    TIME,
    TORQUE,
    TWIST,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

DYNAMICS = "recursive-dynamics"
COUNTED = {"assembly": serial_chains(4, 2), "states": arrays(3, 5), "wrenches": arrays(5, 6)}
THREE_ACCELERATED = {**THREE_MOVING, "qddot": arrays(6)}


def counted_links(assembly, q, qdot, tally):
    """Hinges whose numbers count their products."""
    return [
        tuple(counted_array(part, tally) for part in link)
        for link in jacobian_recursions.hinge_links(assembly, q, qdot)
    ]


def floats(values):
    """The numbers behind those that count."""
    return np.concatenate([np.atleast_1d(each) for each in values]).astype(float)


@claim("sueda/s2.10/t1314#a", "Forming the Jacobian is O(n^2)")
class t1314_a:
    formula = r"O(n^2):\ 18n(n - 1) \text{ products for a chain of hinges, once all adjoints are known}"
    inputs = {"assembly": serial_chains(4, 2), "angles": arrays(5)}

    def result(values):
        n = values["assembly"].num_coordinates
        return vector_quantity((NUMBER, 1), *n * ((NUMBER, 3 * n), (LENGTH, 3 * n)))

    def printed(assembly, angles):
        n = len(assembly.parents)
        J = reduced.jacobian(tree_of(assembly), angles[:n])
        return [18 * n * (n - 1), *J.ravel()]

    oracle = "Algorithm 1 with numbers that count their products"

    def reference(assembly, angles):
        n, tally = assembly.num_coordinates, [0]
        links = counted_links(assembly, angles[:n], np.zeros(n), tally)
        J = np.zeros((n, 6, n))
        for i, row in enumerate(jacobian_recursions.jacobian_blocks(assembly.parents, links)):
            for a in range(i + 1):
                J[i, :, a] = floats(row[a])
        return [tally[0], *J.ravel()]

    verdict = Verdict.HOLDS
    remark = "For a chain, as (2.108) is. In a tree it is 36 for each pair of a body and an ancestor of it."
    implemented_by = FILLED
    chapter = PRODUCTS


@claim("sueda/s2.10/t1314#b", "The products with J, its rate and its transpose are O(n)")
class t1314_b:
    formula = (
        r"O(n):\ 42n - 36 \text{ products for } J\mathbf x,\quad 120n - 108 \text{ for } J\mathbf x \text{ and } "
        r"\dot J\mathbf x,\quad 42n - 36 \text{ for } J^\top\mathbf y \text{ of a chain of hinges}"
    )
    inputs = COUNTED
    quantities = {"states": stacked_quantity(NUMBER, RATE, RATE)}

    def result(values):
        n = values["assembly"].num_coordinates
        moving = n * ((RATE, 3), (VELOCITY, 3)), n * ((RATE / TIME, 3), (ACCELERATION, 3))
        return vector_quantity((NUMBER, 3), *moving[0], *moving[1], (TORQUE, n))

    def printed(assembly, states, wrenches):
        n = len(assembly.parents)
        q, qdot, x = states[:, :n]
        known, y = tree_of(assembly), wrenches[:n]
        found = [
            reduced.jacobian_product(known, q, x),
            reduced.jacobian_rate_product(known, q, qdot, x),
            reduced.jacobian_transpose_product(known, q, y),
        ]
        return [42 * n - 36, 120 * n - 108, 42 * n - 36, *np.concatenate([each.ravel() for each in found])]

    oracle = "recursions from body to body, with numbers that count their products"

    def reference(assembly, states, wrenches):
        n = assembly.num_coordinates
        q, qdot, x = states[:, :n]
        counts, found = [], []
        for form, given in (
            (jacobian_recursions.jacobian_product, x),
            (jacobian_recursions.jacobian_rate_product, x),
            (jacobian_recursions.jacobian_transpose_product, wrenches[:n]),
        ):
            tally = [0]
            links = counted_links(assembly, q, qdot, tally)
            found.append(floats(form(assembly.parents, links, counted_array(given, tally))))
            counts.append(tally[0])
        return [*counts, *np.concatenate(found)]

    verdict = Verdict.HOLDS
    remark = (
        "Once the adjoints are known, of which there is one for each body. What matters is that each body adds "
        "the same."
    )
    implemented_by = ALL_PRODUCTS
    chapter = PRODUCTS


@claim("sueda/s2.10/t1314#c", "The second product is that with the rate of J")
class t1314_c:
    formula = r"\mathbf z = J\mathbf x"
    inputs = {**THREE_MOVING, "x": arrays(6)}
    quantities = {"x": velocities}
    result = TWIST / TIME

    def printed(assembly, q, qdot, x):
        return body_trees.jacobian(assembly, q) @ x

    def library(assembly, q, qdot, x):
        return reduced.jacobian_rate_product(tree_of(assembly), q, qdot, x).ravel()

    oracle = "what Algorithm 5 is titled with: differences of J along the motion, times x"

    def reference(assembly, q, qdot, x):
        return body_trees.jacobian_rate(assembly, q, qdot) @ x

    tolerance = 1e-8
    primitives = ("rbnotes.ledger.oracles.body_trees.jacobian",)
    verdict = Verdict.MISPRINT
    scan = True
    correction = r"$\mathbf z = \dot J\mathbf x$, as in the title of Algorithm 5: the dot is lost."
    units_mismatch = r"velocities stand where accelerations belong"
    implemented_by = RATE_PRODUCT
    chapter = PRODUCTS


@claim("sueda/s2.10/t1314#d", "The products make recursive dynamics")
class t1314_d:
    formula = (
        r"\tau = J^\top\big(M(J\ddot{\mathbf q} + \dot J\dot{\mathbf q}) - \mathbf f\big) "
        r"\text{ by three products}"
    )
    inputs = THREE_ACCELERATED
    result = TORQUE

    def printed(assembly, q, qdot, qddot):
        known = tree_of(assembly)
        rates = reduced.jacobian_product(known, q, qddot) + reduced.jacobian_rate_product(
            known, q, qdot, qdot
        )
        needed = np.einsum("nij,nj->ni", known.inertias, rates) - reduced.gyroscopic_and_gravity_wrenches(
            known, q, qdot
        )
        return reduced.jacobian_transpose_product(known, q, needed)

    def library(assembly, q, qdot, qddot):
        return reduced.inverse_dynamics(tree_of(assembly), q, qdot, qddot)

    oracle = "d'Alembert's principle for the point masses of all bodies"

    def reference(assembly, q, qdot, qddot):
        return body_trees.inertial_forces(assembly, q, qdot, qddot) - body_trees.gravity_forces(assembly, q)

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = "Inverse dynamics. Forward and hybrid dynamics take articulated inertias besides."
    implemented_by = ("rbnotes.multibody.reduced.inverse_dynamics",)
    chapter = DYNAMICS


@claim("sueda/s2.10/t1314#e", "Hybrid dynamics without forming J or the mass matrix")
class t1314_e:
    formula = (
        r"\text{linear time recursive hybrid dynamics: the solution of (2.106), prescribed joints without "
        r"multipliers}"
    )
    inputs = {**THREE_ACCELERATED, "driven": st.sampled_from(((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)))}
    result = vector_quantity((RATE / TIME, 6), (TORQUE, 6))

    def printed(assembly, q, qdot, qddot, driven):
        """(2.106), as it is solved with matrices; its multipliers are on the side of the inertia."""
        known, own = tree_of(assembly), body_trees.coordinate_slices(assembly)
        told = np.concatenate([np.arange(6)[own[i]] for i in driven])
        G, M = np.eye(6)[told], reduced.mass_matrix(known, q)
        system = np.block([[M, G.T], [G, np.zeros((len(told), len(told)))]])
        right = np.append(reduced.net_generalized_force(known, q, qdot), qddot[told])
        accelerations, multipliers = np.split(np.linalg.solve(system, right), [6])
        return np.append(accelerations, -G.T @ multipliers)

    def library(assembly, q, qdot, qddot, driven):
        own = body_trees.coordinate_slices(assembly)
        found = reduced.hybrid_dynamics(tree_of(assembly), q, qdot, {str(i): qddot[own[i]] for i in driven})
        return np.append(found.qddot, found.tau)

    oracle = "Gauss's principle for the point masses of all bodies, over the joints that are not driven"

    def reference(assembly, q, qdot, qddot, driven):
        own, rates = body_trees.coordinate_slices(assembly), np.zeros(6)
        told = np.concatenate([np.arange(6)[own[i]] for i in driven])
        free = np.setdiff1d(np.arange(6), told)
        rates[told] = qddot[told]
        moves, weight = (
            body_trees.mass_weighted_jacobian(assembly, q)[:, free],
            body_trees.gravity_forces(assembly, q),
        )
        needed = body_trees.inertial_forces(assembly, q, qdot, rates) - weight
        triangle = np.linalg.qr(moves, mode="r")
        rates[free] = -np.linalg.solve(triangle, np.linalg.solve(triangle.T, needed[free]))
        return np.append(rates, body_trees.inertial_forces(assembly, q, qdot, rates) - weight)

    tolerance = 1e-8
    primitives = ("rbnotes.ledger.oracles.body_trees.coordinate_slices",)
    verdict = Verdict.HOLDS
    remark = (
        r"Other constraints than prescribed joints are the subject of 2.12. That the cost is linear is counted "
        "in the chapter and in the tests."
    )
    implemented_by = ("rbnotes.multibody.reduced.hybrid_dynamics",)
    chapter = DYNAMICS
