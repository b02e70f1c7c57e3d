"""The audits of `tools/audit.py` count planted faults, and none in the package."""

from dataclasses import replace

import audit
import pytest

from rbnotes import complementarity, friction


def test_solvers_have_no_faults():
    count = audit.audit_complementarity(1)
    assert count.faults == 0
    assert count.trials > 200
    assert count.is_accepted


@pytest.mark.slow
def test_wrong_solutions_and_claims_are_counted(monkeypatch):
    solve = complementarity.solve

    def solve_inaccurately(problem, method, **options):
        solution = solve(problem, method, **options)
        return replace(solution, z=1.001 * solution.z) if solution.is_solved else solution

    def claim_infeasible(problem, method, **options):
        return replace(solve(problem, method, **options), status=complementarity.Status.NO_SOLUTION)

    for planted, kind in ((solve_inaccurately, "falsely solved"), (claim_infeasible, "falsely without")):
        monkeypatch.setattr(complementarity, "solve", planted)
        count = audit.audit_complementarity(1)
        assert count.faults > 50
        assert kind in count.details
        assert not count.is_accepted


@pytest.mark.slow
def test_wrong_friction_is_counted(monkeypatch):
    assert audit.audit_friction(1).faults == 0
    for name, model in friction.FRICTION_MODELS.items():
        solve = model.solve

        def rough(problem, solve=solve, **options):
            solution = solve(problem, **options)
            return replace(solution, normal=-0.01 - solution.normal)

        with monkeypatch.context() as patch:
            patch.setattr(friction, "FRICTION_MODELS", {name: friction.FrictionModel(rough)})
            assert f"{name}: " in audit.audit_friction(1).details
