"""Friction models of several tests by name."""

import pytest

from rbnotes.friction import (
    anitescu_stewart,
    box_friction,
    gauss_seidel_friction,
    single_qp,
    socp_fixed_point_friction,
)

AXES = [[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]

MODELS = {
    "box": box_friction,
    "box, updated": lambda problem: box_friction(problem, max_updates=200),
    "pyramid": anitescu_stewart,
    "pyramid of 12": lambda problem: anitescu_stewart(problem, 12),
    "single QP": single_qp,
    "single QP, dual": lambda problem: single_qp(problem, form="dual"),
    "Gauss-Seidel": gauss_seidel_friction,
    "Gauss-Seidel, box": lambda problem: gauss_seidel_friction(problem, cone="box"),
    "Coulomb": socp_fixed_point_friction,
}
QP_MODELS = (MODELS["single QP"], MODELS["single QP, dual"])
every_model = pytest.mark.parametrize("solve", MODELS.values(), ids=MODELS)
