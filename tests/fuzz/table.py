"""The table of valid calls, one module a room, and the names that need none."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache
from typing import Any

import calls
from engine import Call, name_of

import rbnotes

ROOMS = tuple(sorted(info.name for info in pkgutil.iter_modules(calls.__path__)))
ELSEWHERE = ("arguments", "cards", "challenge", "commands", "errors", "grading", "ledger")
"""Rooms with tests of their own: what checks arguments, what runs records, and what is built on them."""


@cache
def table(room: str) -> tuple[Call, ...]:
    """The valid calls of a room."""
    return tuple(importlib.import_module(f"calls.{room}").CALLS)


@cache
def public() -> dict[str, Any]:
    """Public functions, classes and methods of the package, by name."""
    found: dict[str, Any] = {}
    for info in pkgutil.walk_packages(rbnotes.__path__, "rbnotes."):
        parts = info.name.split(".")[1:]
        if any(part.startswith("_") for part in parts) or parts[0] in ELSEWHERE:
            continue
        module = importlib.import_module(info.name)
        for name, item in vars(module).items():
            if name.startswith("_") or getattr(item, "__module__", None) != info.name:
                continue
            if inspect.isfunction(item):
                found[name_of(item)] = item
            elif inspect.isclass(item):
                found |= of_class(item)
    return found


def of_class(cls: type) -> dict[str, Any]:
    """A class that is called with arguments to check, and its methods."""
    if getattr(cls, "_is_protocol", False) or issubclass(cls, Exception):
        return {}
    methods = {
        name_of(method): method
        for name, attribute in vars(cls).items()
        for method in [getattr(attribute, "__func__", attribute)]
        if (not name.startswith("_") or name == "__call__") and inspect.isfunction(method)
    }
    return {name_of(cls): cls, **methods}


@cache
def covered() -> frozenset[str]:
    """Names that have a valid call."""
    return frozenset(call.name for room in ROOMS for call in table(room))


def within(name: str) -> bool:
    """Whether a name is known to take, or to be, data that has been checked; results are named tuples."""
    item = public().get(name)
    if inspect.isclass(item) and issubclass(item, tuple):
        return True
    return any(re.fullmatch(pattern, name) for pattern in WITHIN)


WITHIN = (
    r"checking\.interrupts\.interruptible",
    # What shares data within a room that is known to be right; the public way in checks it.
    r"complementarity\.(certificate|scaling|second_opinion)\..*",
    r"complementarity\.basis\.(Basis|Columns)\..*",
    r"complementarity\.residuals\.(?!box_residuals).*",
    r"complementarity\.elimination\.(Elimination|Elimination\.residuals_of|is_held|squares)",
    r"complementarity\.(active_set\.principal_solver|pivoting\.proves_infeasible|problems\.dense)",
    r"complementarity\.(solution\..*|solve\.(accepted|default_tolerance))",
    r"constraints\.(kkt\.(KKT|factored)|matrices\.(regular_lu|symmetric_to_rounding)|redundancy\..*)",
    r"contact\.(distance|manifold)\..*",
    r"contact\.pair_rows\.(PairRows\.groups|TransposedPairRows|velocities_along)",
    r"contact\.detection\.(found_points|may_touch|mixed)",
    r"contact\.nearby\.(allowed_speeds|reach|resting_speed)",
    r"dynamics\.(free_rotation\.turn_freely|motion\.without_inertia|schemes\.less)",
    r"dynamics\.step_problem\.without_conditions",
    r"forces\.carriers\..*",
    r"forces\.(attachment\.Attachments|body_forces\.known_path_wrenches|path\.active_flags)",
    r"inertia\.spatial\.of_symmetric",
    r"friction\.(best|bounded|central_path|endings|mixing|models|programs)\..*",
    r"friction\.newton\.(by_newton|friction_by)",
    r"friction\.contact_space\.(ContactSpace\.(move|solution)|raise_not_converged)",
    r"friction\.(facets\.facet_rows|laws\.residual_in)",
    r"friction\.staggered\.(friction_impulses|normal_impulses|relative_change)",
    r"joints\.(subspaces\..*|protocol\.JointType)",
    r"joints\.general\.(differentiate|symbols)\..*",
    r"joints\.general\.straight_line\.[Ii]nstructions?(\..*)?",
    r"joints\.general\.surfaces\.(about_z|bernstein|triangles|unit)",
    r"kernels\.(answering|bending|general|mechanisms|packing|running|world)\..*",
    r"maximal\.(placement\.(?!Joint).*|mechanism\.projected)",
    r"maximal\.(stepping|remembering|first_order|impacts)\..*",
    r"maximal\.(rattle\.Rattle\..*|trajectory\.(both|events_of|record_contacts))",
    r"solids\.Solid",
    r"tree\.(bearing_step|bearings)\..*",
    r"viewer\.(camera|sketch)\..*",
    r"tree\.(constrained\.acceleration_parts|parts\..*)",
    r"tree\.(constraints\.\w+\.body_rows|rows\..*)",
    r"tree\.dual\.(Sweep\..*|sparse_rows)",
    r"tree\.dynamics\.(accelerations|coordinate_constraints|driving_force|\w+_energy_of)",
    r"tree\.dynamics\.(regular_mass_matrix|solve_mass)",
    r"tree\.inverse_inertia\.forbidden_accelerations",
    r"tree\.(inverse_inertia\.joint_blocks|reactions\.impulse_balance|reduced\.ReducedSystem)",
    r"tree\.(kinematics\.(alike|placed)|products\.(handed_on|moved|passed_on))",
    r"tree\.tangent\.(own_wrenches|turned_wrench)",
    r"tree\.(adaptive\.Event\.happens|model\.Tree\.checked|formats\.robot\.new_name)",
    # Checks that the modules of a room share.
    r".*\.checked_\w+",
    # Results, which the functions of the package make.
    r"attachments\.reduction\.NullSpace",
    r"contact\.detection\.ContactPoints",
    r"dynamics\.(constrained\.ConstrainedStep|state\.States|step_problem\.StepSolution)",
    r"friction\.(contact_space\.(ContactSpace|Responses.*)|staggered\.StaggeredSolution)",
    r"maximal\.trajectory\.(ContactRecord|Trajectory)",
    r"tree\.(adaptive\.Observed|contact\.ContactStep|dual\.DualProblem|examples\.Example)",
    r"tree\.(inverse_inertia\.InverseInertia|preconditioning\.StepPreconditioner|joint_loads\..*)",
    r"tree\.formats\.robot\.(Robot|RobotJoint)",
    # What makes test data, pictures, and calls of others hands its options on.
    r"kernels\.sweeps\..*",
    r"checking\.(draws|strategies)\..*",
    r"checking\.counting\.multiplications",
    r"viewer\.(figures\..*|shapes\.Shape|scene\.framed)",
)
"""Names without a valid call, as patterns, and why."""
