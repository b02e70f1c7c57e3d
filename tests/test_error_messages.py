"""Common errors name the argument, its value and the expected value."""

from dataclasses import replace

import numpy as np
import pytest

from rbnotes import Body, Model, simulate
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import LCP, QP, BoxLCP, solve
from rbnotes.contact import Contacts
from rbnotes.dynamics import State, StepProblem
from rbnotes.forces import LinearSpring, PathForces, on_particle, path_through, stress
from rbnotes.friction import FRICTION_MODELS, friction_model, socp_fixed_point_friction
from rbnotes.joints import Revolute
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.shapes import Box
from rbnotes.testing import derivative

BOX = Box([1, 2, 3])
BODY = BOX.spatial_inertia(density=1.0)[None]
ONE_BOX = Model([Body("box", BOX, density=1.0)])
RUN = simulate(ONE_BOX, h=0.1, steps=2)
TREE = Tree([Link("rod", Revolute(), inertia=BODY[0])])
M = 2 * np.eye(3)
q = -np.ones(3)


def pair_of_springs(law):
    return PathForces(law, path_through(on_particle([0, 1]), on_particle([1, 2])))


@pytest.mark.parametrize(
    ("call", "name", "words"),
    [
        (lambda: State(np.zeros(6)), "E", r"shape \(6,\).*State\(q=..., qdot=...\)"),
        (lambda: State([np.eye(4)] * 2, np.zeros((3, 6))), "phi", r"\(3, 6\).*\(2, 6\)"),
        (lambda: solve(M, q), "problem", r"array of shape \(3, 3\).*LCP\(M, q\)"),
        (lambda: solve((M, q)), "problem", "tuple"),
        (lambda: LCP(M, q[:2]), "q", r"shape \(2,\).*shape \(3,\), as M has shape \(3, 3\)"),
        (lambda: LCP(M[:2], q), "M", r"shape \(2, 3\).*square"),
        (lambda: BoxLCP(M, q[:2], 0, 1), "q", r"shape \(2,\).*shape \(3,\)"),
        (lambda: QP(M, q[:2]), "c", r"shape \(2,\).*as Q has"),
        (lambda: simulate(TREE, h=0.1, steps=1), "model", "Tree.*Model"),
        (
            lambda: simulate(ONE_BOX, h=0.1, steps=1, compiled="yes"),
            "compiled",
            "'yes'.*False, \"auto\" or True",
        ),
        (
            lambda: MaximalModel(BODY, applied_forces=lambda t, state: None),
            "applied_forces",
            "of t, state.*of state,.*state.t",
        ),
        (
            lambda: MaximalModel(BODY, applied_forces=np.zeros(6)),
            "applied_forces",
            "of state, whose time is state.t",
        ),
        (lambda: Model(particles=[1.0], forces=lambda: None), "forces", "of nothing.*state.t"),
        (
            lambda: replace(TREE, applied_forces=lambda t, state: None),
            "applied_forces",
            "of t, state.*state.t",
        ),
        (
            lambda: replace(TREE, applied_joint_forces=lambda state, h, *more: None),
            "applied_joint_forces",
            "of state, h, .*state.t",
        ),
        (lambda: simulate(ONE_BOX, h=0.1, steps=1, progress=True), "progress", "bool.*of done, steps"),
        (lambda: simulate(ONE_BOX, h=0.1, steps=1, progress=lambda done: 0), "progress", "of done, exp"),
        (lambda: stress(lambda L: L, 1.0), "law", "of L, expected a function of L, Ldot"),
        (lambda: derivative(lambda: 1.0), "function", "of nothing, expected a function of t"),
        (lambda: RUN.scene(colors=[]), "colors", "none, expected the names"),
        (lambda: RUN.scene(colors="blue"), "colors", "str"),
        (lambda: RUN.scene(colors=["blu"]), "color", "'blu'.*'blue'"),
        (lambda: RUN.scene(view=(0, 0, 1)), "view", r"\(3,\)"),
        (lambda: RUN.energy_figure(lambda t, state: 0.0), "stored_energy", "of t, state.*state.t"),
        (lambda: friction_model("friction", "columb"), "friction", "'columb'.*'coulomb'"),
        (lambda: friction_model("friction", 3), "friction", "int.*a function, or one of .*'coulomb'"),
        (
            lambda: pair_of_springs(LinearSpring(np.ones(3), 1.0)),
            "law.stiffness",
            r"shape \(3,\).*one for each path: shape \(2,\)",
        ),
    ],
)
def test_the_argument_is_named(call, name, words):
    with pytest.raises(InvalidArgument, match=words) as error:
        call()
    assert error.value.name == name


def test_valid_arrays_are_accepted():
    assert State(np.eye(4), np.zeros(6)).phi.shape == (1, 6)
    for k in (2.0, np.array([1.0, 2.0])):
        state = State(x=np.array([[0, 0, 0], [1.0, 0, 0], [3.0, 0, 0]]))
        energy = pair_of_springs(LinearSpring(k, rest_length=0.5)).energy(state)
        assert energy == pytest.approx(np.sum(k * np.array([0.25, 2.25])) / 2)


def test_unknown_friction_model_is_named():
    assert friction_model("friction", "coulomb") is FRICTION_MODELS["coulomb"]
    assert FRICTION_MODELS["coulomb"].solve is socp_fixed_point_friction
    assert friction_model("friction", "box_friction") is friction_model("friction", "box")
    ground = Contacts([[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]], mu=0.5)
    particle = StepProblem(mass=np.eye(3), momentum=[3.0, 4.0, -2.0], contacts=ground)
    for name in FRICTION_MODELS:
        assert friction_model("friction", name)(particle).velocity[2] > -1e-6
