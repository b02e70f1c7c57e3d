"""The data: what is accepted, what it stands for."""

import numpy as np
import pytest
from friction_scenes import heap, particle
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.friction import (
    ContactProblem,
    Contacts,
    anitescu_stewart,
    box_friction,
    coulomb,
    facet_directions,
    gauss_seidel_friction,
    single_qp,
    tangent_directions,
)


def test_tangents_are_orthonormal_and_right_handed(rng):
    normals = rng.normal(size=(50, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    first, second = np.moveaxis(tangent_directions(normals), 1, 0)
    frames = np.stack([first, second, normals], axis=1)
    assert np.allclose(frames @ np.swapaxes(frames, 1, 2), np.eye(3))
    assert np.allclose(np.linalg.det(frames), 1)
    assert np.allclose(np.abs(tangent_directions([0, 0, 1])), [[0, 1, 0], [1, 0, 0]])


def test_facets_come_in_opposite_pairs():
    for facets in (4, 6, 8, 20):
        directions = facet_directions(facets)
        assert np.allclose(np.linalg.norm(directions, axis=1), 1)
        assert np.allclose(directions[: facets // 2], -directions[facets // 2 :])
    for facets in (3, 5, 2, 0):
        with pytest.raises(InvalidArgument, match="facets"):
            facet_directions(facets)


def test_delassus_is_the_answer_to_unit_impulses(rng):
    problem = heap(rng, equations=3)
    free = problem.contact_velocity(problem.free_velocity)
    for i in (0, 4, 11, 20):
        unit = np.zeros(21)
        unit[i] = 1.0
        v, reactions = problem.moved_by(unit.reshape(7, 3))
        assert np.allclose(problem.bilateral @ v, 0, atol=1e-10)
        balance = problem.momentum + problem.contacts.rows[i] + problem.bilateral.T @ reactions
        assert np.allclose(problem.mass @ v, balance)
        assert np.allclose(problem.contact_velocity(v) - free, problem.delassus[:, i].reshape(7, 3))
    assert np.allclose(problem.delassus, problem.delassus.T)


def test_sparse_data_are_the_same_problem(rng):
    dense = heap(rng, equations=2)
    contacts = Contacts(
        sparse.csr_array(dense.contacts.normals), dense.contacts.tangents, dense.contacts.mu, 0.1
    )
    like = ContactProblem(
        sparse.csr_array(dense.mass), dense.momentum, contacts, sparse.csr_array(dense.bilateral)
    )
    assert np.allclose(like.delassus, dense.delassus)
    assert np.allclose(like.free_contact_velocity[:, 0], dense.free_contact_velocity[:, 0] - 0.1)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("normals", {"normals": [[0, 0, np.nan]]}),
        ("normals", {"normals": [0, 0, 1.0]}),
        ("tangents", {"tangents": [[[1.0, 0, 0]]]}),
        ("tangents", {"tangents": [[[1.0, 0], [0, 1.0]]]}),
        ("mu", {"mu": [-0.1]}),
        ("normal_target", {"normal_target": np.inf}),
    ],
)
def test_bad_contacts_are_named(name, change):
    good = {"normals": [[0, 0, 1.0]], "tangents": [[[1.0, 0, 0], [0, 1.0, 0]]], "mu": [0.5]}
    with pytest.raises(InvalidArgument, match=name):
        Contacts(**{**good, **change})


def test_bad_problems_are_named():
    contacts = particle([0, 0, -1.0]).contacts
    for name, arguments in {
        "mass": (np.eye(2), [0, 0, 1.0], contacts),
        "momentum": (np.eye(3), [0, 1.0], contacts),
        "bilateral": (np.eye(3), [0, 0, 1.0], contacts, [[1.0, 0]]),
        "bilateral_target": (np.eye(3), [0, 0, 1.0], contacts, [[1.0, 0, 0]], [1.0, 2.0]),
    }.items():
        with pytest.raises(InvalidArgument, match=name):
            ContactProblem(*arguments)
    with pytest.raises(InvalidArgument, match="M"):
        _ = ContactProblem(-np.eye(3), [0, 0, 1.0], contacts).delassus


@pytest.mark.parametrize("name", ["mu", "normal_target"])
def test_one_number_or_one_for_each_contact(name):
    one = {"normals": [[0, 0, 1.0]], "tangents": [[[1.0, 0, 0], [0, 1.0, 0]]], "mu": 0.5}
    with pytest.raises(InvalidArgument, match=name):
        Contacts(**(one | {name: [0.1, 0.2]}))


def test_contacts_that_equations_hold_fast_are_no_trouble():
    tilted = tangent_directions(np.array([0.6, 0.0, 0.8]))
    contacts = Contacts([[0.6, 0.0, 0.8]], [tilted], 0.5)
    held = ContactProblem(
        np.diag([1.0, 2.0, 3.0]),
        [1.0, 2.0, -30.0],
        contacts,
        bilateral=[[0.3, 0.0, 0.4], tilted[0], tilted[1]],
    )
    assert np.all(held.delassus == 0)
    for model in (box_friction, anitescu_stewart, single_qp, gauss_seidel_friction, coulomb):
        np.testing.assert_allclose(model(held).velocity, 0, atol=1e-12)
