"""Models of trees: order, frames, names, and argument errors."""

import numpy as np
import pytest
from random_trees import body, frame, random_tree

from rbnotes import inertia, joints
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Link, Tree

M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])
HINGE = joints.Revolute()


def test_parents_are_sorted_first_stably():
    links = [Link("c", HINGE, M, "b"), Link("a", HINGE, M), Link("d", HINGE, M), Link("b", HINGE, M, "a")]
    tree = Tree(links)
    assert [link.name for link in tree.links] == ["a", "d", "b", "c"]
    assert tree.parents == (-1, -1, 0, 2)
    assert tree.children == ((2,), (), (3,), ())
    assert [own.start for own in tree.coordinate_slices] == [0, 1, 2, 3]


def test_results_do_not_depend_on_the_link_order():
    rng = np.random.default_rng(3)
    tree = random_tree(rng, 8)
    shuffled = Tree([tree.links[i] for i in rng.permutation(8)], gravity=tree.gravity)
    values = {link.name: rng.normal(size=link.joint.num_coordinates) for link in tree.links}
    for function in (reduced.kinetic_energy, reduced.spatial_momentum):
        first, second = (
            function(each, each.coordinates(values), each.coordinates(values)) for each in (tree, shuffled)
        )
        np.testing.assert_allclose(first, second, rtol=1e-11, atol=1e-11)


def test_coordinates_by_name():
    tree = Tree([Link("a", joints.Universal(), M), Link("b", joints.QuaternionSpherical(), M, "a")])
    np.testing.assert_array_equal(tree.coordinates({"a": [1, 2]}), [1, 2, 1, 0, 0, 0])
    np.testing.assert_array_equal(tree.coordinates({"a": [1, 2]}, default=0), [1, 2, 0, 0, 0, 0])
    with pytest.raises(InvalidArgument, match=r"values\['a'\]: got shape \(3,\), expected shape \(2,\)"):
        tree.coordinates({"a": [1, 2, 3]})
    with pytest.raises(InvalidArgument, match="'nose', expected one of 'a', 'b'"):
        tree.coordinates({"nose": 1})


def test_weights_act_at_the_centers_of_mass():
    rng = np.random.default_rng(0)
    M = body(rng)
    mass, _, com = inertia.from_spatial_inertia(M)
    tree = Tree([Link("a", joints.Free3D(), M, None, frame(rng), frame(rng))], gravity=[1.0, -2.0, 3.0])
    weights, centers = tree.weights_and_centers
    np.testing.assert_allclose(weights[0], mass * tree.gravity, rtol=1e-12)
    np.testing.assert_allclose(centers[0], com, rtol=1e-12)


REFUSED = {
    "circle": (
        [Link("a", HINGE, M, "c"), Link("b", HINGE, M, "a"), Link("c", HINGE, M, "b")],
        "links in a cycle, 'a'|links in a cycle, 'b'|links in a cycle, 'c'",
    ),
    "own parent": ([Link("a", HINGE, M, "a")], "cycle, 'a' -> 'a'"),
    "no such parent": ([Link("a", HINGE, M), Link("b", HINGE, M, "x")], "link 'b': parent: got 'x'"),
    "one name twice": ([Link("a", HINGE, M), Link("a", HINGE, M)], "two links named 'a'"),
    "no mass": ([Link("a", HINGE, M), Link("b", HINGE, None, "a")], "link 'b': inertia: got no mass"),
    "chain without mass": (
        [Link("a", HINGE, M), Link("b", HINGE, None, "a"), Link("c", HINGE, None, "b")],
        "link 'b': inertia: got no mass",
    ),
    "no link": (["a"], r"links\[0\]: got str"),
}


@pytest.mark.parametrize(("links", "message"), REFUSED.values(), ids=REFUSED)
def test_invalid_trees_are_rejected(links, message):
    with pytest.raises(InvalidArgument, match=message):
        Tree(links)


def test_massless_intermediate_frame():
    Tree([Link("a", HINGE), Link("b", HINGE, M, "a")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inertia": -M}, "link 'a': inertia"),
        ({"inertia": np.diag([1.0, 1.0, 5.0, 1.0, 1.0, 1.0])}, "link 'a': inertia"),
        ({"inertia": np.diag([1.0, 1.0, 1.0, 1.0, 2.0, 1.0])}, "link 'a': inertia"),
        ({"inertia": np.eye(3)}, "link 'a': inertia"),
        ({"parent": 0}, "link 'a': parent: got 0"),
        ({"placement": np.eye(3)}, "link 'a': placement"),
        ({"placement": 2 * np.eye(4)}, "link 'a': placement"),
        ({"body_frame": np.zeros((4, 4))}, "link 'a': body_frame"),
        ({"stiffness": -1.0}, "link 'a': stiffness"),
        ({"damping": [1.0, 2.0]}, r"link 'a': damping: got shape \(2,\), .* of its revolute joint"),
        ({"spring_reference": [1.0, 2.0]}, "link 'a': spring_reference"),
        ({"spring_reference": np.nan}, "link 'a': spring_reference"),
    ],
)
def test_invalid_links_are_rejected(arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        Link("a", HINGE, **{"inertia": M, **arguments})


def test_invalid_joints_names_and_gravity_are_rejected():
    with pytest.raises(InvalidArgument, match="link 'a': joint: got str"):
        Link("a", "hinge", M)
    with pytest.raises(InvalidArgument, match="name: got ''"):
        Link("", HINGE, M)
    with pytest.raises(InvalidArgument, match="gravity"):
        Tree([Link("a", HINGE, M)], gravity=9.81)


@pytest.mark.parametrize(
    "function", [reduced.mass_matrix, reduced.jacobian, reduced.poses, reduced.potential_energy]
)
def test_wrong_number_of_coordinates(function):
    tree = Tree([Link("a", HINGE, M), Link("b", joints.Universal(), M, "a")])
    with pytest.raises(InvalidArgument, match=r"q: got shape \(2,\), .*: 1 of 'a', 2 of 'b'"):
        function(tree, np.zeros(2))
    with pytest.raises(InvalidArgument, match="q: got NaN"):
        function(tree, [np.nan, 0.0, 0.0])


def test_wrong_shapes_of_velocities_and_forces():
    tree = Tree([Link("a", HINGE, M), Link("b", joints.Universal(), M, "a")])
    q = np.zeros(3)
    with pytest.raises(InvalidArgument, match="qdot"):
        reduced.twists(tree, q, np.zeros(2))
    with pytest.raises(InvalidArgument, match="tau"):
        reduced.forward_dynamics_dense(tree, q, q, tau=np.zeros(2))
    with pytest.raises(InvalidArgument, match="wrenches"):
        reduced.forward_dynamics_dense(tree, q, q, wrenches=np.zeros((3, 6)))
    with pytest.raises(InvalidArgument, match="qddot"):
        reduced.inverse_dynamics_dense(tree, q, q, np.zeros(4))
