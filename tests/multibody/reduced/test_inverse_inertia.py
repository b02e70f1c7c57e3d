"""Recursive products with the inverse mass matrix against dense inverses and Pinocchio, with additions."""

import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import ALL, body, frame, pinocchio_model, random_tree

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import (
    Link,
    Tree,
    factor_mass_matrix,
    inverse_mass_matrix,
    inverse_mass_product,
)
from rbnotes.multibody.reduced.dynamics import regularized_mass_matrix

close = relative_comparison(1e-10)


def any_tree(seed, links=9):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, links, tuple(ALL), ALL)
    return tree, tree.neutral + 0.5 * rng.normal(size=tree.num_coordinates), rng


def along_the_tree(tree, rng):
    """Return blocks that couple bodies only with themselves and their parents, and the same as one matrix."""
    n = len(tree.links)
    own, parents, whole = rng.normal(size=(n, 6, 6)), np.zeros((n, 2, 6, 6)), np.zeros((6 * n, 6 * n))
    for i, parent in enumerate(tree.parents):
        here = slice(6 * i, 6 * i + 6)
        whole[here, here] = own[i]
        if parent >= 0:
            there = slice(6 * parent, 6 * parent + 6)
            parents[i] = rng.normal(size=(2, 6, 6))
            whole[here, there], whole[there, here] = parents[i]
    return own, parents, whole


class TestInverse:
    @pytest.mark.parametrize("seed", range(4))
    def test_every_type_of_joint(self, seed):
        tree, q, rng = any_tree(seed)
        x = rng.normal(size=tree.num_coordinates)
        M = regularized_mass_matrix(tree, q)
        close(inverse_mass_product(tree, q, x), np.linalg.solve(M, x))
        close(inverse_mass_matrix(tree, q), np.linalg.inv(M))

    def test_some_joints_locked(self):
        tree, q, rng = any_tree(3)
        x = rng.normal(size=tree.num_coordinates)
        names = [link.name for link in tree.links[1::2]]
        free = np.ones(tree.num_coordinates, dtype=bool)
        for name in names:
            free[tree.coordinate_slices[tree.index(name)]] = False
        expected = np.zeros(tree.num_coordinates)
        expected[free] = np.linalg.solve(regularized_mass_matrix(tree, q)[np.ix_(free, free)], x[free])
        close(factor_mass_matrix(tree, q, locked=names).solve(x), expected)
        with pytest.raises(InvalidArgument, match="expected one of 'link 0'"):
            factor_mass_matrix(tree, q, locked=["elbow"])

    @pytest.mark.parametrize("seed", range(4))
    def test_against_pinocchio(self, seed):
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, 10)
        q = rng.normal(size=tree.num_coordinates)
        model = pinocchio_model(tree)
        upper = np.triu(pinocchio.computeMinverse(model, model.createData(), q))
        close(inverse_mass_matrix(tree, q), upper + np.triu(upper, 1).T)

    def test_leading_axes(self):
        tree, q, rng = any_tree(1)
        q, x = (
            q + 0.2 * rng.normal(size=(2, 1, tree.num_coordinates)),
            rng.normal(size=(3, tree.num_coordinates)),
        )
        result = inverse_mass_product(tree, q, x)
        assert result.shape == (2, 3, tree.num_coordinates)
        inverse = inverse_mass_matrix(tree, q)
        assert inverse.shape == (2, 1, tree.num_coordinates, tree.num_coordinates)
        for i in range(2):
            for j in range(3):
                close(result[i, j], inverse_mass_product(tree, q[i, 0], x[j]))
            close(inverse[i, 0], inverse_mass_matrix(tree, q[i, 0]))

    def test_further_right_sides_do_not_evaluate_joints(self):
        """The first sweep runs once; solving does not use the coordinates."""
        asked = []

        class WatchedUniversal(joints.Universal):
            def compute_motion_subspace(self, q):
                asked.append(q)
                return super().compute_motion_subspace(q)

        rng = np.random.default_rng(0)
        links = [
            Link("a", WatchedUniversal(), body(rng)),
            Link("b", WatchedUniversal(), body(rng), "a", frame(rng)),
        ]
        tree, q = Tree(links), rng.normal(size=4)
        inverse = factor_mass_matrix(tree, q)
        assert len(asked) == 2
        x = rng.normal(size=(5, 4))
        close(inverse.solve(x) @ regularized_mass_matrix(tree, q), x)
        assert len(asked) == 4  # both for the mass matrix

    def test_links_without_mass_in_between(self):
        rng = np.random.default_rng(4)
        links = [
            Link("yoke", joints.Revolute(), None, None, frame(rng), frame(rng)),
            Link("arm", joints.Universal(), body(rng), "yoke", frame(rng), frame(rng)),
        ]
        tree, q = Tree(links), rng.normal(size=3)
        close(inverse_mass_matrix(tree, q), np.linalg.inv(reduced.mass_matrix(tree, q)))


class TestAdditions:
    @pytest.mark.parametrize("seed", range(4))
    def test_additions_to_joints_bodies_and_neighbors(self, seed):
        """None of them is symmetric."""
        tree, q, rng = any_tree(seed)
        own, parents, whole = (0.2 * part for part in along_the_tree(tree, rng))
        P = np.zeros((tree.num_coordinates, tree.num_coordinates))
        for part in tree.coordinate_slices:
            P[part, part] = 0.3 * rng.normal(size=P[part, part].shape)
        J, x = reduced.jacobian(tree, q), rng.normal(size=tree.num_coordinates)
        matrix = regularized_mass_matrix(tree, q) + J.T @ whole @ J + P
        inverse = factor_mass_matrix(tree, q, joint_terms=P, body_terms=own, parent_terms=parents)
        close(inverse.solve(x), np.linalg.solve(matrix, x))
        close(inverse.matrix(), np.linalg.inv(matrix))

    def test_diagonals_and_numbers(self):
        tree, q, _ = any_tree(2)
        M = regularized_mass_matrix(tree, q)
        each = np.linspace(0.1, 2.0, tree.num_coordinates)
        close(factor_mass_matrix(tree, q, joint_terms=each).matrix(), np.linalg.inv(M + np.diag(each)))
        close(
            factor_mass_matrix(tree, q, joint_terms=0.7).matrix(),
            np.linalg.inv(M + 0.7 * np.eye(tree.num_coordinates)),
        )

    @pytest.mark.parametrize("taken", [0.0, 1e3])
    def test_definiteness_agrees_with_eigenvalues(self, taken):
        tree, q, _ = any_tree(3)
        each = np.where(np.arange(tree.num_coordinates) == tree.num_coordinates // 2, -taken, 0.0)
        smallest = np.linalg.eigvalsh(regularized_mass_matrix(tree, q) + np.diag(each))[0]
        assert factor_mass_matrix(tree, q, joint_terms=each).is_positive_definite == (smallest > 0)
        assert (smallest > 0) == (taken == 0)


class TestRefusals:
    def test_joints_that_are_coupled_are_named(self):
        tree, q, _ = any_tree(0)
        P = np.zeros((tree.num_coordinates, tree.num_coordinates))
        first, second = (i for i, own in enumerate(tree.coordinate_slices) if i in (2, 4))
        P[tree.coordinate_slices[second].start, tree.coordinate_slices[first].stop - 1] = 1.0
        with pytest.raises(InvalidArgument, match="'link 4' coupled with 'link 2'"):
            factor_mass_matrix(tree, q, joint_terms=P)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("joint_terms", np.ones(3)),
            ("body_terms", np.ones((3, 6, 6))),
            ("parent_terms", np.ones((9, 6, 6))),
        ],
    )
    def test_shapes(self, name, value):
        tree, q, _ = any_tree(0)
        with pytest.raises(InvalidArgument, match=name):
            factor_mass_matrix(tree, q, **{name: value})

    def test_a_singular_joint_is_named(self):
        rng = np.random.default_rng(0)
        links = [
            Link("trunk", joints.Revolute(), body(rng)),
            Link("ball", joints.EulerSpherical("ZXY"), body(rng), "trunk", frame(rng)),
        ]
        with pytest.raises(SingularConfiguration, match="'ball'"):
            inverse_mass_product(Tree(links), [0.3, 0.1, np.pi / 2, 0.4], np.ones(4))

    def test_collinear_hinges_without_mass_are_singular(self):
        """The remaining inertia is rounding of either sign."""
        rng = np.random.default_rng(0)
        axis = np.array([0.48, 0.6, 0.64])
        along = se3.exp(np.append(0.7 * axis, 0.3 * axis))
        links = [
            Link("yoke", joints.Revolute(axis), None, None, frame(rng), frame(rng)),
            Link("arm", joints.Revolute(axis), body(rng), "yoke", along, frame(rng)),
        ]
        with pytest.raises(SingularConfiguration, match="'yoke'"):
            inverse_mass_matrix(Tree(links), [0.3, 0.4])

    def test_negative_additions_are_rejected(self):
        tree, q, _ = any_tree(0)
        last = tree.coordinate_slices[-1]
        assert not tree.children[-1]  # so that its block of the mass matrix is what its joint feels
        P = np.zeros((tree.num_coordinates, tree.num_coordinates))
        P[last, last] = -regularized_mass_matrix(tree, q)[last, last]
        with pytest.raises(SingularConfiguration, match=repr(tree.links[-1].name)):
            factor_mass_matrix(tree, q, joint_terms=P)
