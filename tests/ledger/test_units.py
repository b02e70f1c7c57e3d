"""Units as a second oracle: what fits whatever the units, and what is found where something is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rbnotes import ledger
from rbnotes.ledger.checks.units import TEST_UNITS, declares_units, findings
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    ENERGY,
    FORCE,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    POSE,
    SPATIAL_INERTIA,
    STIFFNESS,
    TIME,
    TWIST,
    VELOCITY,
    WRENCH,
    ObjectQuantity,
    TupleQuantity,
    Units,
    matrix_quantity,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result, Verdict

STEP = ledger.find("sueda/s1.8/e1.28")
KILOMETERS = Units(length=1e-3, mass=1.0, time=1.0)


def test_every_checkable_claim_describes_its_arguments_and_its_result():
    silent = [each.id for each in ledger.load() if each.reference is not None and not declares_units(each)]
    assert silent == []


def test_names_of_units():
    assert FORCE.unit == "N"
    assert (FORCE * TIME).unit == "N s"
    assert ENERGY == FORCE * LENGTH
    assert (MASS**2 * LENGTH / TIME**3).unit == "kg² m/s³"
    assert (NUMBER / (MASS * TIME)).unit == "1/(kg s)"
    assert str(TWIST) == "3 x 1/s, 3 x m/s"
    assert str(stacked_quantity(STIFFNESS, FORCE)) == "N/m; N"


def test_blocks_of_mixed_units():
    """A spatial inertia turns twists into momenta: in kilometers its blocks shrink by different factors."""
    M = KILOMETERS.convert(np.ones((6, 6)), SPATIAL_INERTIA)
    np.testing.assert_allclose(M[:3, :3], 1e-6)
    np.testing.assert_allclose(M[:3, 3:], 1e-3)
    np.testing.assert_allclose(M[3:, 3:], 1.0)
    phi = np.arange(1.0, 13.0)
    np.testing.assert_allclose(
        np.tile(KILOMETERS.convert(np.arange(1.0, 7.0), TWIST), 2)[:6], KILOMETERS.convert(phi, TWIST)[:6]
    )
    momenta = KILOMETERS.convert(np.ones((6, 6)) @ phi[:6], WRENCH * TIME)
    np.testing.assert_allclose(M @ KILOMETERS.convert(phi[:6], TWIST), momenta)
    np.testing.assert_allclose(SPATIAL_INERTIA.inverse.exponents((6, 6)), -SPATIAL_INERTIA.exponents((6, 6)))
    np.testing.assert_allclose(SPATIAL_INERTIA.T.exponents((6, 6)), SPATIAL_INERTIA.exponents((6, 6)))


def test_poses_keep_their_last_row():
    E = np.eye(4)
    E[:3, 3] = 1.0, 2.0, 3.0
    np.testing.assert_allclose(KILOMETERS.convert(E, POSE)[:3, 3], [1e-3, 2e-3, 3e-3])
    np.testing.assert_allclose(KILOMETERS.convert(E, POSE)[3], E[3])


def test_tuples_objects_and_dimensionless_values_are_converted():
    assert KILOMETERS.convert((2.0, 1), TupleQuantity((LENGTH, NUMBER))) == (2e-3, 1)
    assert KILOMETERS.convert("name", NUMBER) == "name"
    converted = KILOMETERS.convert(STEP, ObjectQuantity({"tolerance": LENGTH}))
    assert converted.tolerance == pytest.approx(STEP.tolerance * 1e-3)
    with pytest.raises(ValueError, match="kg for a value of the type int"):
        KILOMETERS.convert(1, MASS)
    with pytest.raises(ValueError, match="6 dimensions for an axis of 5"):
        TWIST.exponents((5,))


def test_constants_stay_as_they_are():
    kept = TEST_UNITS.preserving_constants((LENGTH, FORCE))
    assert float(kept.factors(LENGTH, ())) == pytest.approx(1)
    assert float(kept.factors(FORCE, ())) == pytest.approx(1)
    assert abs(float(kept.factors(MASS, ())) - 1) > 0.1


def findings_with(form: str, function: object) -> str:
    return "; ".join(findings(replace(STEP, **{form: function})))


def test_a_missing_step_or_mass_shows():
    assert findings(STEP) == []
    right = STEP.library
    assert right is not None

    def without_step(m, c, J, phi, wrench, h):
        return phi + (right(m, c, J, phi, wrench, h) - phi) / h

    def without_mass(m, c, J, phi, wrench, h):
        return right(1.0, c, J, phi, wrench, h)

    assert "library's form are inconsistent" in findings_with("library", without_step)
    assert "library's form are inconsistent" in findings_with("library", without_mass)
    assert "oracle are inconsistent" in findings_with("reference", without_step)
    assert "printed form are inconsistent" in findings_with("printed", without_step)


def test_a_wrong_declaration_shows():
    assert "is not in N" in "; ".join(findings(replace(STEP, result=Result(WRENCH))))
    masses = {**STEP.arguments, "m": Argument(LENGTH)}
    assert "are inconsistent" in "; ".join(findings(replace(STEP, arguments=masses)))
    silent = {**STEP.arguments, "h": Argument()}
    assert findings(replace(STEP, arguments=silent)) == ["units: the quantity of `h` is not declared"]
    assert findings(replace(STEP, result=Result(vector_quantity((VELOCITY, 7))))) == [
        "units: 7 dimensions for an axis of 6 entries"
    ]


def test_inconsistent_units_are_accepted_only_in_printed_forms_that_declare_them():
    wrong = ledger.find("lloyd/s0.9.3/d4")
    assert wrong.verdict is Verdict.ERRATUM
    assert findings(wrong) == []
    assert "printed form are inconsistent" in "; ".join(findings(replace(wrong, units_mismatch="")))
    assert findings(replace(STEP, units_mismatch="a factor h")) == [
        "units: those of the printed form fit, though it says that they do not"
    ]


def test_units_of_a_matrix_and_its_parts():
    assert str(matrix_quantity(MOMENTUM, TWIST)) == "kg m, kg"
    assert matrix_quantity(ANGULAR_MOMENTUM, VELOCITY).exponents((2, 3)).shape == (2, 3, 3)
