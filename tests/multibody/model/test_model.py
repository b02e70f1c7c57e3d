"""Models: bodies by name, states, and the conversion to maximal coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from model_parts import shift
from random_trees import ALL, body, frame, unit
from scipy.linalg import null_space

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, on_particle, on_world, path_through
from rbnotes.multibody import (
    Body,
    Geometry,
    Model,
    forward_dynamics,
    joint_wrench,
    maximal_coordinates,
    simulate,
)
from rbnotes.multibody.formats import example, load_urdf
from rbnotes.multibody.maximal import accelerations, constraint_jacobian
from rbnotes.multibody.reduced import (
    JointLimit,
    Link,
    LoopClosure,
    Tree,
    constrained_acceleration,
    constraint_rows,
)
from rbnotes.shapes import Box, Capsule, Plane, Sphere

REVOLUTE = joints.Revolute([0.0, 1.0, 0.0])
BALL = Body("ball", Sphere(0.1), mass=1.0)
HINGED = Model([Body("a", Sphere(0.1), mass=1.0, joint=REVOLUTE)])


KINDS = {
    **ALL,
    "function": lambda rng: joints.FunctionJoint(
        lambda q: [joints.rotation(unit(rng), q[0]), joints.translation(0.2 * q[0] ** 2, 0.0, 0.1 * q[0])], 1
    ),
}


@pytest.fixture(params=KINDS)
def model(request):
    """Return a joint of each type between a revolute base and a prismatic link, beside two free bodies."""
    rng = np.random.default_rng(sorted(KINDS).index(request.param))

    def on_joint(name, joint, parent=None):
        return Body(
            name, inertia=body(rng), joint=joint, parent=parent, joint_frame=frame(rng), body_frame=frame(rng)
        )

    return Model(
        [
            Body("first", inertia=body(rng), pose=frame(rng)),
            on_joint("tip", joints.Prismatic(unit(rng)), "middle"),
            on_joint("base", joints.Revolute(unit(rng))),
            on_joint("middle", KINDS[request.param](rng), "base"),
            on_joint("carried", joints.Revolute(unit(rng)), "second"),
            Body("second", inertia=body(rng), pose=frame(rng)),
        ],
        gravity=3 * rng.normal(size=3),
    )


@pytest.fixture
def state(model):
    rng = np.random.default_rng(1)
    return model.state(
        q={
            b.name: b.joint.neutral + rng.uniform(0.2, 0.7, b.joint.num_coordinates)
            for b in model.bodies
            if not b.is_free
        },
        twists={"first": rng.normal(size=6), "second": rng.normal(size=6)},
    )


def moving_state(model, state):
    """Return the state with random joint velocities that the coordinates of the joints allow."""
    rng = np.random.default_rng(2)
    tree_state = model.tree_state(state)
    qdot = tree_state.qdot + np.where(tree_state.qdot == 0, 0.5 * rng.normal(size=tree_state.qdot.size), 0)
    tree_state = tree_state.with_velocity(qdot)
    return model.state_from_tree(model.tree.reparametrize(tree_state))


def test_states_pass_through_the_tree_unchanged(model, state):
    back = model.state_from_tree(model.tree_state(state))
    for name in ("E", "phi", "q", "qdot"):
        np.testing.assert_allclose(getattr(back, name), getattr(state, name), rtol=0, atol=1e-12)


def test_free_bodies_have_their_pose_and_twist(model, state):
    bodies = model.body_state(state)
    for number, name in enumerate(("first", "second")):
        np.testing.assert_allclose(bodies.E[model.index(name)], state.E[number], rtol=0, atol=1e-12)
        np.testing.assert_allclose(bodies.phi[model.index(name)], state.phi[number], rtol=0, atol=1e-12)


def test_accelerations_and_wrenches_are_those_of_maximal_coordinates(model, state):
    """A joint transmits the same wrench in both coordinates, whatever rows express it."""
    state = moving_state(model, state)
    expected = body_accelerations(model, state)
    converted = maximal_coordinates(model)
    bodies = converted.maximal_state(state)
    maximal_joints = converted.maximal_model.joints
    actual = accelerations(converted.maximal_model, bodies)
    np.testing.assert_allclose(actual.phidot.ravel(), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    rows = constraint_jacobian(maximal_joints, bodies.E).toarray()
    starts = np.cumsum([0, *(joint.num_constraints for joint in maximal_joints)])
    assert len(maximal_joints) == 4
    for joint, start, end in zip(maximal_joints, starts[:-1], starts[1:], strict=True):
        columns = slice(6 * joint.body, 6 * joint.body + 6)
        on_body = rows[start:end, columns].T @ actual.multipliers[start:end]
        wrench = joint_wrench(model, state, model.bodies[joint.body].name)
        np.testing.assert_allclose(se3.Ad(joint.frame).T @ on_body, wrench, rtol=0, atol=1e-10)


@pytest.mark.parametrize("axis", [None, [0.48, 0.6, 0.64]])
@pytest.mark.parametrize("second", ["b", None])
def test_loops_have_the_same_accelerations_in_maximal_coordinates(axis, second):
    rng = np.random.default_rng(5)
    kinds = {
        "a": joints.Universal(),
        "tip": joints.ExponentialSpherical(),
        "b": joints.ExponentialSpherical(),
    }
    parents = {"tip": "a"}
    bodies = [
        Body(
            name,
            inertia=body(rng),
            joint=joint,
            parent=parents.get(name),
            joint_frame=frame(rng),
            body_frame=frame(rng),
        )
        for name, joint in kinds.items()
    ]
    open_model = Model(bodies)
    start = open_model.state(q={name: rng.uniform(0.2, 0.7, j.num_coordinates) for name, j in kinds.items()})
    poses = open_model.body_state(start).E
    x_a, tip = rng.normal(size=3), poses[open_model.index("tip")]
    other = np.eye(4) if second is None else poses[open_model.index(second)]
    x_b = se3.transform_points(se3.inverse(other) @ tip, x_a)
    closed = Model(bodies, constraints=[LoopClosure("tip", x_a, second, x_b, axis)])
    tree_state = closed.tree_state(start)
    G = constraint_rows(closed.tree, closed.constraints[0], tree_state, 0.0).G
    velocity = null_space(G) @ rng.normal(size=G.shape[1] - len(G))
    state = closed.state_from_tree(tree_state.with_velocity(velocity))
    expected = body_accelerations(closed, state)
    converted = maximal_coordinates(closed)
    actual = accelerations(converted.maximal_model, converted.maximal_state(state)).phidot.ravel()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert np.abs(expected - body_accelerations(open_model, state)).max() > 0.01 * np.abs(expected).max()


def body_accelerations(model, state):
    """Return the rates of the twists of all bodies in the tree of a model."""
    tree_state = model.tree_state(state)
    acceleration = constrained_acceleration(model.tree, model.constraints, tree_state)[0]
    return model.tree.acceleration_reduction(tree_state).expand_velocities(acceleration)


def test_states_return_from_maximal_coordinates(model, state):
    state = moving_state(model, state)
    converted = maximal_coordinates(model)
    bodies = converted.maximal_state(state)
    back = converted.maximal_state(converted.model_state(bodies))
    np.testing.assert_allclose(back.E, bodies.E, rtol=0, atol=1e-8)
    np.testing.assert_allclose(back.phi, bodies.phi, rtol=0, atol=1e-7)


def test_coordinates_continue_those_of_a_state_nearby(model, state):
    """Joint angles are several turns away from those of the nearest pose."""
    state = moving_state(model, state)
    tree_state = model.tree_state(state)
    is_angle = np.zeros(model.tree.num_coordinates, dtype=bool)
    for link, own in zip(model.tree.links, model.tree.coordinate_slices, strict=True):
        is_angle[own] = isinstance(link.joint, joints.Revolute)
    q = tree_state.q + 6 * np.pi * is_angle
    state_after_turns = model.state_from_tree(State(q=q, qdot=tree_state.qdot))
    converted = maximal_coordinates(model)
    bodies = converted.maximal_state(state_after_turns)
    result = model.tree_state(converted.model_state(bodies, near=state_after_turns))
    np.testing.assert_allclose(result.q[is_angle], q[is_angle], rtol=0, atol=1e-8)
    np.testing.assert_allclose(result.qdot[is_angle], tree_state.qdot[is_angle], rtol=0, atol=1e-6)
    back = converted.maximal_state(model.state_from_tree(result))
    np.testing.assert_allclose(back.E, bodies.E, rtol=0, atol=1e-8)
    np.testing.assert_allclose(back.phi, bodies.phi, rtol=0, atol=1e-6)
    with pytest.raises(InvalidArgument, match="near: got another number of coordinates"):
        converted.model_state(bodies, near=State(q=np.zeros(99), qdot=np.zeros(99)))


def test_poses_that_violate_a_joint_are_refused(model, state):
    converted = maximal_coordinates(model)
    bodies = converted.maximal_state(state)
    poses = bodies.E.copy()
    poses[model.index("base")] = poses[model.index("base")] @ se3.exp([0.2, 0.1, 0.3, 0.1, 0.0, 0.2])
    with pytest.raises(InvalidArgument, match="state: got joint errors"):
        converted.model_state(type(bodies)(E=poses, phi=bodies.phi))


def test_parents_come_before_children():
    upper = Body("upper", Sphere(0.1), mass=1.0, joint=REVOLUTE)
    lower = Body("lower", Sphere(0.1), mass=1.0, joint=REVOLUTE, parent="upper")
    assert [each.name for each in Model([lower, BALL, upper]).bodies] == ["ball", "upper", "lower"]


def test_coefficients_come_from_geometry_then_body_then_model():
    shapes = [Geometry(Sphere(0.1), mu=0.9), Geometry(Box([0.1, 0.1, 0.1]), restitution=0.3)]
    rough = Body("rough", Sphere(0.1), mass=1.0, collision=shapes, mu=0.7)
    model = Model([rough, BALL], ground=[Geometry(Plane(), restitution=0.6)], mu=0.2, restitution=0.1)
    coefficients = [(each.body, each.mu, each.restitution) for each in model.colliders]
    assert coefficients == [(WORLD, 0.2, 0.6), (0, 0.9, 0.1), (0, 0.7, 0.3), (1, 0.2, 0.1)]


def test_parents_and_named_pairs_do_not_touch():
    upper = Body("upper", Sphere(0.1), mass=1.0, joint=REVOLUTE)
    lower = Body("lower", Sphere(0.1), mass=1.0, joint=REVOLUTE, parent="upper")
    model = Model([upper, lower, BALL], excluded_pairs=[("ball", "world"), ("lower", "ball")])
    assert {frozenset(pair) for pair in model.excluded_indices} == {
        frozenset((2, WORLD)),
        frozenset((1, 2)),
        frozenset((0, 1)),
    }


def string(name):
    """Return a spring from the world to a body."""
    return PathForces(LinearSpring(1.0), path_through(on_world([0, 0, 1.0]), on_body(name, [0, 0, 0])))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Body("world", Sphere(0.1), mass=1.0), "name: got 'world'"),
        (lambda: Body("a", Sphere(0.1), mass=1.0, density=2.0), "body 'a': mass, density: got all of these"),
        (lambda: Body("a", mass=1.0), "body 'a': shape: got None, expected a solid"),
        (lambda: Body("a", density=1.0, joint=REVOLUTE), "body 'a': shape: got None, expected a solid"),
        (lambda: Body("a", Sphere(0.1), mass=-1.0), "body 'a': mass: got -1"),
        (lambda: Body("a", inertia=-np.eye(6)), "body 'a': inertia"),
        (lambda: Body("a", Sphere(0.1), mass=1.0, collision=Plane()), "body 'a': collision: got a Plane"),
        (lambda: Body("a", Sphere(0.1), mass=1.0, parent="b"), "body 'a': parent: got a value"),
        (lambda: Body("a", Sphere(0.1), mass=1.0, stiffness=1.0), "body 'a': stiffness, damping"),
        (
            lambda: Body("a", Sphere(0.1), mass=1.0, position=[0, 0], pose=np.eye(4)),
            "position, pose: got both",
        ),
        (lambda: Body("a", Sphere(0.1), mass=1.0, position=[0, 0]), "body 'a': position"),
        (lambda: Body("a", Sphere(0.1), mass=1.0, joint=REVOLUTE, position=[0, 0, 1]), "body 'a': position"),
        (
            lambda: Body("a", Sphere(0.1), mass=1.0, joint=REVOLUTE, joint_frame=np.ones((4, 4))),
            "body 'a': joint_frame",
        ),
        (lambda: Model([]), "bodies: got none"),
        (lambda: Model([BALL, BALL]), "bodies: got two bodies named 'ball'"),
        (lambda: Model([Body("a", Sphere(0.1))]), "body 'a'.*no mass"),
        (
            lambda: Model([Body("a", Sphere(0.1), mass=1.0, joint=REVOLUTE, parent="b")]),
            "body 'a': parent: got 'b'",
        ),
        (lambda: Model([BALL], excluded_pairs=[("ball", "wall")]), "excluded_pairs: got .*'wall'"),
        (lambda: Model([BALL], restitution=1.5), "restitution"),
        (
            lambda: Model([BALL], constraints=[LoopClosure("ball", [0, 0, 0], "bat", [0, 0, 0])]),
            r"constraints\[0\]: LoopClosure: b: got 'bat', expected one of 'ball'",
        ),
        (
            lambda: Model([BALL], constraints=[JointLimit("elbow", 0.0, 1.0)]),
            r"constraints\[0\]: JointLimit: link: got 'elbow'",
        ),
        (lambda: Model([BALL], forces=string("bat")), "forces: name: got 'bat', expected one of 'ball'"),
        (lambda: HINGED.state(q={"a": [1.0, 2.0]}), r"q\['a'\]: got shape \(2,\), expected shape \(1,\)"),
        (lambda: HINGED.state(qdot={"a": [[1.0]]}), r"qdot\['a'\]: got shape \(1, 1\)"),
        (lambda: HINGED.command_vector("control", {"a": [1.0, 2.0]}), r"control\['a'\]: got shape"),
        (lambda: Model([BALL]).state(q={"ball": 1.0}), "q: got 'ball'"),
        (lambda: Model([BALL]).state(poses={"bat": np.eye(4)}), "poses: got 'bat'"),
        (lambda: Model([BALL]).state(twists={"ball": np.zeros(3)}), r"twists\['ball'\]"),
    ],
)
def test_errors_name_the_body_and_the_argument(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_a_particle_oscillates_on_a_spring_and_a_bob_on_a_string():
    """Closed forms: a harmonic oscillation, and the period of a mathematical pendulum to small angles."""
    bead = Body("bead", mass=0.5, joint=joints.Translational())
    bob = Body("bob", mass=2.0, joint=REVOLUTE, body_frame=shift(0, 0, -0.7))
    spring = PathForces(LinearSpring(8.0), path_through(on_world([0, 0, 0]), on_body("bead", [0, 0, 0])))
    model = Model([bead, bob], forces=spring, gravity=[0, 0, -10.0])
    start = model.state(q={"bead": [0.3, 0.0, -0.625], "bob": 1e-4})
    motion = simulate(model, start, h=0.005, steps=20)
    np.testing.assert_allclose(motion.q("bead")[:, 0], 0.3 * np.cos(4.0 * motion.t), atol=1e-4)
    np.testing.assert_allclose(motion.q("bead")[:, 2], -0.625, atol=1e-12)
    expected = 1e-4 * np.cos(np.sqrt(10 / 0.7) * motion.t)
    np.testing.assert_allclose(motion.q("bob")[:, 0], expected, atol=1e-8)


def test_a_particle_is_attached_to_a_body():
    """Together they are a compound pendulum with the moment of inertia of both."""
    rod = Body("rod", Box([0.1, 0.1, 0.4]), mass=2.0, joint=REVOLUTE, body_frame=shift(0, 0, -0.2))
    bead = Body("bead", mass=0.5, joint=joints.Translational(), joint_frame=shift(0, 0, -0.4))
    attached = LoopClosure("bead", [0, 0, 0], "rod", [0, 0, -0.2])
    model = Model([rod, bead], constraints=[attached], gravity=[-10.0, 0, 0])
    moment = rod.shape.spatial_inertia(mass=2.0)[1, 1] + 2.0 * 0.2**2 + 0.5 * 0.4**2
    acceleration = forward_dynamics(model, model.state())
    np.testing.assert_allclose(acceleration[0], 10.0 * (2.0 * 0.2 + 0.5 * 0.4) / moment, rtol=1e-12)
    with pytest.raises(InvalidArgument, match="body 'bead': inertia in maximal coordinates: got smallest"):
        maximal_coordinates(model)


def test_massless_bodies_are_refused_in_maximal_coordinates():
    carrier = Body("carrier", joint=REVOLUTE)
    tip = Body("tip", Capsule(0.1, 0.2), mass=1.0, joint=REVOLUTE, parent="carrier")
    with pytest.raises(InvalidArgument, match="body 'carrier': got no mass"):
        maximal_coordinates(Model([carrier, tip]))


def test_representations_of_models_and_trajectories_are_one_line():
    falling = Model([BALL])
    assert repr(falling) == "<Model: 1 body (ball)>"
    motion = simulate(falling, h=0.25, steps=2)
    assert repr(motion) == "<Trajectory: 3 states, 0 s to 0.5 s, of <Model: 1 body (ball)>>"
    many = Model([Body(f"b{k}", Sphere(0.1), mass=1.0) for k in range(7)])
    assert repr(many) == "<Model: 7 bodies (b0, b1, b2, b3, b4, b5, ...)>"
    assert repr(load_urdf(example("arm"))) == "<Robot 'arm': 6 links, 6 coordinates>"


def test_model_from_tree_moves_as_the_tree():
    """The accelerations are those of the tree with springs, dampers, rotors, particles and forces."""
    rng = np.random.default_rng(3)
    links = [
        Link("tip", joints.Prismatic(unit(rng)), body(rng), "base", frame(rng), frame(rng), stiffness=3.0),
        Link("base", joints.Universal(), body(rng), None, frame(rng), frame(rng), damping=0.3),
        Link("arm", joints.Revolute(unit(rng)), body(rng), "base", spring_reference=[0.2], stiffness=2.0),
    ]
    forces = ForceGroups(
        [
            PathForces(LinearSpring(8.0, 0.0, 0.3), path_through(on_body(0, [0, 0, 0]), on_particle(0))),
            PathForces(
                LinearSpring(5.0, 0.0, 0.2), path_through(on_body(1, [0.1, 0, 0]), on_body(2, [0, 0, 1]))
            ),
        ]
    )
    tree = Tree(links, [1.0, -2.0, 3.0], masses=[0.7], applied_forces=forces, armature=np.arange(4.0))
    q, qdot, x, v = rng.normal(size=4), rng.normal(size=4), rng.normal(size=(1, 3)), rng.normal(size=(1, 3))
    state = State(q=q, qdot=qdot, x=x, v=v)
    model = Model.from_tree(tree)
    assert model.tree_state(state).q.tolist() == q.tolist()
    expected = tree.acceleration(state)
    assert np.all(np.abs(expected) > 1e-3)
    np.testing.assert_allclose(model.acceleration(state), expected, rtol=1e-12, atol=1e-12)
    driven = replace(tree, applied_joint_forces=lambda each: None)
    with pytest.raises(InvalidArgument, match=r"applied_joint_forces: got a function, .* pass `control`"):
        Model.from_tree(driven)
