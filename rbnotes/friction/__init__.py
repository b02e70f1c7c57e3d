"""Friction models: different problems posed on the same contact data.

Lloyd 0.10, 0.16; Sueda 1.13, 2.11.

>>> import numpy as np
>>> from rbnotes.contact import Contacts
>>> from rbnotes.dynamics import StepProblem
>>> from rbnotes.friction import socp_fixed_point_friction
>>> ground = Contacts([[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]], mu=0.5)
>>> momentum = [3.0, 4.0, -2.0]
>>> particle = StepProblem(mass=np.eye(3), momentum=momentum, contacts=ground)
>>> socp_fixed_point_friction(particle).velocity.round(6).tolist()
[2.4, 3.2, 0.0]
"""

from rbnotes.friction.anitescu_stewart import FrictionLCP, anitescu_stewart, friction_lcp
from rbnotes.friction.bearings import Bearing, journal_bearing, prismatic_guide, spherical_bearing
from rbnotes.friction.box_friction import box_friction
from rbnotes.friction.contact_problem import (
    FrictionContactProblem,
    FrictionNotConverged,
    friction_contact_problem,
)
from rbnotes.friction.facets import facet_directions
from rbnotes.friction.gauss_seidel_friction import gauss_seidel_friction
from rbnotes.friction.models import FRICTION_MODELS, FrictionModel, friction_model
from rbnotes.friction.residuals import (
    CoulombResiduals,
    coulomb_residuals,
    natural_residual,
    project_on_cone,
)
from rbnotes.friction.semismooth_newton import semismooth_newton_friction
from rbnotes.friction.single_qp import dual_qp, primal_qp, single_qp
from rbnotes.friction.socp_fixed_point import socp_fixed_point_friction
from rbnotes.friction.staggered_projections import StaggeredSolution, staggered_projections

__all__ = [
    "FRICTION_MODELS",
    "Bearing",
    "CoulombResiduals",
    "FrictionContactProblem",
    "FrictionLCP",
    "FrictionModel",
    "FrictionNotConverged",
    "StaggeredSolution",
    "anitescu_stewart",
    "box_friction",
    "coulomb_residuals",
    "dual_qp",
    "facet_directions",
    "friction_contact_problem",
    "friction_lcp",
    "friction_model",
    "gauss_seidel_friction",
    "journal_bearing",
    "natural_residual",
    "primal_qp",
    "prismatic_guide",
    "project_on_cone",
    "semismooth_newton_friction",
    "single_qp",
    "socp_fixed_point_friction",
    "spherical_bearing",
    "staggered_projections",
]
