"""Friction models declare whether they accept an initial guess; the simulator gives it to those alone."""

from functools import partial

import numpy as np
import pytest

from rbnotes import Body, Model, simulate
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import (
    FRICTION_MODELS,
    FrictionModel,
    friction_model,
    gauss_seidel_friction,
    semismooth_newton_friction,
)
from rbnotes.shapes import Box, Plane

GROUND = Contacts([[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]], mu=0.5)
PARTICLE = StepProblem(mass=np.eye(3), momentum=[3.0, 4.0, -2.0], contacts=GROUND)


def slide(friction):
    """Simulate three steps of a block that slides on the floor."""
    block = Body("block", Box([0.4, 0.4, 0.1]), density=500.0, position=[0, 0, 0.05])
    model = Model([block], ground=Plane(), mu=0.3)
    start = model.state(twists={"block": [0, 0, 0, 1.0, 0.7, 0]})
    return simulate(model, start, h=0.01, steps=3, friction_model=friction)


@pytest.mark.parametrize("declared", [True, False])
def test_declared_models_start_from_the_last_impulses(declared):
    guesses, solutions = [], []

    def solve(problem, initial_guess=None):
        guesses.append(initial_guess)
        solutions.append(semismooth_newton_friction(problem, initial_guess=initial_guess))
        return solutions[-1]

    slide(FrictionModel(solve, accepts_initial_guess=True) if declared else solve)
    assert guesses[0] is None
    assert len(guesses) > 2
    for guess, last in zip(guesses[1:], solutions, strict=False):
        if declared:
            np.testing.assert_allclose(np.sum(guess[:, 0]), np.sum(last.contact_impulses[:, 0]))
        else:
            assert guess is None


def test_wrong_argument_name_is_an_error():
    def solve(problem, guess=None):
        return semismooth_newton_friction(problem, initial_guess=guess)

    with pytest.raises(TypeError, match="initial_guess"):
        slide(FrictionModel(solve, accepts_initial_guess=True))


@pytest.mark.parametrize("name", FRICTION_MODELS)
def test_declarations_match_the_signatures(name):
    model = FRICTION_MODELS[name]
    solution = model(PARTICLE, initial_guess=[[1.0, -0.3, 0.2]])
    assert solution.velocity[2] > -1e-6
    if not model.accepts_initial_guess:
        with pytest.raises(TypeError, match="initial_guess"):
            model.solve(PARTICLE, initial_guess=np.zeros((1, 3)))


def test_functions_of_the_table_keep_their_declaration():
    box = partial(gauss_seidel_friction, cone="box")
    assert friction_model("friction", semismooth_newton_friction) == FRICTION_MODELS["newton"]
    assert friction_model("friction", box) == FrictionModel(box, accepts_initial_guess=True)
    assert not friction_model(
        "friction", lambda problem: semismooth_newton_friction(problem)
    ).accepts_initial_guess


def test_names_are_keys_of_the_table():
    expected = "anitescu_stewart", "box", "coulomb", "gauss_seidel", "newton", "single_qp", "staggered"
    assert tuple(FRICTION_MODELS) == expected
    with pytest.raises(InvalidArgument, match="'newtons'"):
        friction_model("friction", "newtons")
    with pytest.raises(InvalidArgument, match="solve"):
        FrictionModel("newton")
