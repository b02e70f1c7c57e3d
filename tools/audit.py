"""Count the faults that random tests find in solvers, friction, the simulator, arguments and challenges.

    python tools/audit.py             a minute on one core
    python tools/audit.py --deep      less than half an hour; also writes the table that the book shows
    python tools/audit.py --only friction     one audit

The audits have oracles of their own: exact arithmetic for complementarity problems, laws of friction
recomputed for all models, the energy account and repeated runs of random scenes, invalid arguments of all
public functions, and mutants of the right forms of claims. The table has one line for each: trials, faults,
and trials that ended with an error that says so. Exit status 1 if there is a fault beyond the limit of its
audit.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "book" / "_data" / "audit.csv"
SEED = 2_000
MAX_VIOLATION = 1e-7
"""Largest accepted violation of a law of friction, as a velocity relative to those without impulses."""
MAX_APPROACH = 1e-9
"""Largest accepted approach velocity, relative in the same way."""
COULOMB_MODELS = ("newton", "gauss_seidel", "coulomb")
"""Friction models with Coulomb's law for a circular cone."""

for folder in ("complementarity", "friction", "fuzz", "multibody/maximal"):
    sys.path.insert(0, str(ROOT / "tests" / folder))


class Count(NamedTuple):
    """Outcome of an audit.

    Attributes
    ----------
    trials
        Number of trials.
    faults
        Wrong results that are not reported, hangs, and errors of other packages.
    reported
        Trials that end with a status or an error that says what failed.
    details
        Kinds of faults.
    limit
        Accepted share of faults.
    """

    trials: int
    faults: int
    reported: int
    details: str
    limit: float = 0.0

    @property
    def is_accepted(self) -> bool:
        """True if the share of faults is within the limit."""
        return self.faults <= self.limit * self.trials


def audit_complementarity(size: int) -> Count:
    """Compare statuses and solutions of random LCPs with exact arithmetic."""
    from test_battery import CLAIMS, OWN_METHODS, exact_solutions, largest_violation, random_lcps

    from rbnotes.complementarity import LCP, solve

    trials, reported, faults = 0, 0, Counter[str]()
    for _, M, q in random_lcps(SEED, 4 * size):
        problem = LCP(M, q)
        for method in OWN_METHODS:
            trials += 1
            solution = solve(problem, method, raise_on_failure=False)
            if solution.is_solved:
                faults["falsely solved"] += largest_violation(problem, solution.z) > 1e-8
            elif solution.status in CLAIMS:
                faults["falsely without solution"] += bool(exact_solutions(problem))
            else:
                reported += 1
    return Count(trials, faults.total(), reported, _details(faults))


def audit_friction(size: int) -> Count:
    """Recompute the laws of all friction models for random heaps with coefficients from 1e-6 to 1e12.

    The laws of the models with Coulomb's cone are recomputed with 50 digits. The others have laws of their
    own: another section, contacts that open as they slide, or a bound from an estimate.
    """
    from friction_scenes import heap
    from test_friction_limits import law_violations, with_mu
    from test_many_contacts import LAWS, violations

    from rbnotes.complementarity import NotSolved
    from rbnotes.friction import FRICTION_MODELS, FrictionNotConverged

    rng, trials, reported, faults = np.random.default_rng(SEED), 0, 0, Counter[str]()
    for _ in range(10 * size):
        problem = heap(
            rng, int(rng.integers(1, 5)), int(rng.integers(1, 9)), ratio=10.0 ** rng.uniform(-2, 2)
        )
        problem = with_mu(problem, 10.0 ** rng.uniform(-6, 12, problem.contacts.count))
        for name, model in FRICTION_MODELS.items():
            trials += 1
            # The residual of Gauss-Seidel weighs friction by its coefficient: a tolerance below the limit.
            options = {"tolerance": 1e-11} if name == "gauss_seidel" else {}
            try:
                solution = model.solve(problem, **options)
            except (FrictionNotConverged, NotSolved):
                reported += 1
                continue
            if name in COULOMB_MODELS:
                sizes = law_violations(problem, solution)
            else:
                sizes = violations(problem, solution.contact_impulses, LAWS[name])
            limits = dict.fromkeys(sizes, MAX_VIOLATION) | {"approach": MAX_APPROACH}
            worst = max(sizes, key=lambda law: sizes[law] / limits[law])
            faults[f"{name}: {worst}"] += bool(sizes[worst] > limits[worst])
    return Count(trials, faults.total(), reported, _details(faults))


def audit_scenes(size: int) -> Count:
    """Check the energy account of random scenes, and that runs repeat and resume to the last bit."""
    from energy_scenes import scene_results
    from random_scenes import limits, scene

    trials, faults = 4 * size, Counter[str]()
    for seed in range(trials):
        results = scene_results(seed)
        for name, limit in limits(scene(seed))._asdict().items():
            faults[name] += not float(results[name]) <= limit
        for name in ("repeated", "resumed"):
            faults[name] += not results[name]
    return Count(trials, faults.total(), 0, _details(faults))


def audit_arguments(size: int) -> Count:
    """Call all public functions with invalid arguments."""
    from fuzz import findings
    from table import SUBPACKAGES

    trials, reported, faults = 0, 0, Counter[str]()
    for subpackage in SUBPACKAGES:
        messages = findings(subpackage, 100 * size, SEED)
        trials += len(messages)
        for finding in messages:
            if finding.verdict in ("fine", "unhelpful"):
                reported += 1
            else:
                faults[finding.verdict] += 1
    return Count(trials, faults.total(), reported, _details(faults))


def audit_challenge(size: int) -> Count:
    """Submit mutants of right forms, and forms that are wrong close to special angles or beyond a size."""
    from challenge_trial import angle_trial, limit_trial, trial

    tallies = [
        trial(40 * size, seed=SEED)[0],
        angle_trial(size, seed=SEED)[0],
        limit_trial(17 * size, seed=SEED)[0],
    ]
    wrong, wrong_failed, right, right_failed = (
        sum(getattr(tally, name) for tally in tallies)
        for name in ("wrong", "wrong_failed", "right", "right_failed")
    )
    faults = Counter({"wrong, accepted": wrong - wrong_failed, "right, refused": right_failed})
    return Count(wrong + right, faults.total(), wrong_failed, _details(faults), limit=0.01)


AUDITS: dict[str, Callable[[int], Count]] = {
    "complementarity": audit_complementarity,
    "friction": audit_friction,
    "scenes": audit_scenes,
    "arguments": audit_arguments,
    "challenge": audit_challenge,
}


def _details(faults: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in faults.items() if count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=AUDITS, help="one audit")
    parser.add_argument("--deep", action="store_true", help="more trials; write book/_data/audit.csv")
    options = parser.parse_args()
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    rows, is_accepted = [], True
    print(f"{'audit':16}{'trials':>9}{'faults':>8}{'reported':>10}{'seconds':>9}")
    for name in (options.only,) if options.only else AUDITS:
        start = time.perf_counter()
        count = AUDITS[name](30 if options.deep else 3)
        seconds = time.perf_counter() - start
        line = f"{name:16}{count.trials:9}{count.faults:8}{count.reported:10}{seconds:9.0f}"
        print(f"{line}  {count.details}".rstrip(), flush=True)
        rows.append([name, count.trials, count.faults, count.reported, count.details])
        is_accepted &= count.is_accepted
    if options.deep and not options.only:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["audit", "trials", "faults", "reported", "details"])
            table.writerows(rows)
    return int(not is_accepted)


if __name__ == "__main__":
    raise SystemExit(main())
