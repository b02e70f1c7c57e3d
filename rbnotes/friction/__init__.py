"""Friction models: different problems posed on the same contact data.

Lloyd 0.10, 0.16; Sueda 1.13, 2.11.

============================== ======================== ==================================== =================
model                          law                      when exact, when not                 cost of a step
============================== ======================== ==================================== =================
``box_friction``               each component of        along the tangents; diagonally up to two box LCPs
                               friction within mu times sqrt(2) too large; wrong with the
                               an estimate of the       estimate
                               normal impulse
``anitescu_stewart``           pyramid inside Coulomb's along an edge; up to cos(pi /        an LCP, by
                               cone                     facets) too small between two        Lemke's method
``single_qp``                  convex program in the    sticking; sliding contacts separate  a quadratic
                               pyramid                  with mu times their speed, so that a program
                                                        body set down sliding keeps only 1 /
                                                        (1 + mu^2) of it
``staggered_projections``      box, pyramid, or disc    wherever it converges, which is not  two programs an
                               (Coulomb's law), with    guaranteed, in particular for large  iteration
                               consistent bounds        mu
``gauss_seidel_friction``      Coulomb's law, or box    to the tolerance; slow for high      many cheap sweeps
                                                        stacks
``semismooth_newton_friction`` Coulomb's law            to rounding; also for redundant      few dense systems
                                                        contacts and large mu
``socp_fixed_point_friction``  Coulomb's law, impulses  to 1e-9; the reference for the       many cone
                               of least norm            others                               programs
============================== ======================== ==================================== =================

Models that are convex programs take ``solver``: ``"own"``, the default wherever the package has a solver of
its own, or ``"cvxpy"``. They are ``box_friction``, ``single_qp``, ``staggered_projections``,
:func:`rbnotes.multibody.reduced.bisp_step`, and ``socp_fixed_point_friction``, which has ``"cvxpy"`` only.

Whether a solution exists, and whether its velocities are unique:

============================= ==================================================== ===================
model                         a solution exists                                    unique velocities
============================= ==================================================== ===================
``box_friction``              if some velocity satisfies the contacts              yes, for an estimate
``anitescu_stewart``          always, if no contact has to separate                no
``single_qp``                 if some velocity opens each contact by at least mu   yes: it is a strictly
                              times its sliding                                    convex program
``staggered_projections``     not guaranteed                                       no
the others (Coulomb's law)    if some velocity opens each contact by more than mu  no
                              times its sliding (Acary et al. 2011)
============================= ==================================================== ===================

Tests recompute Coulomb's law with 50 digits for mu from 0 to 1e12 and for stacks with a body 1e9 times as
heavy below another. With a body 1e10 times as heavy above, ``semismooth_newton_friction`` solves contacts
that stick; a light body that slides under a heavy one ends in ``FrictionNotConverged``, with a residual of
1e-5.

With their default options all models return contacts that approach by at most 1e-9 of the largest contact
velocity without contact impulses, or end in one of the errors below.

With coefficients from 1e9 to 1e99 each model satisfies the law of its own section, or ends in
``FrictionNotConverged``.

Contacts with ``mu = inf`` stick while they push, in all models but ``single_qp``, which refuses them: its
sliding contacts open with mu times their speed. In ``box_friction`` those that push in the estimate stick. In
the others, a result in which such a contact slides, or has friction without a normal impulse, is
``FrictionNotConverged``. Compiled runs leave these scenes to the reference.

Results of a model, and the response of :func:`rbnotes.multibody.simulate`:

=================================== ================================= ================================
end                                 meaning                           the simulation
=================================== ================================= ================================
a solution                          its residual meets the tolerance  continues
``FrictionNotConverged`` with a     the best iterate, which misses    continues, records the
finite residual                     the tolerance                     residual, warns once above 1e-3
``FrictionNotConverged`` otherwise  no finite iterate                 stops
``NotSolved``                       no velocity satisfies all         solves the update without
                                    contacts and constraints, by a    bounces, and warns if overlaps
                                    certificate that is exact         remain; without bounces, stops
                                    ("infeasible") or holds to
                                    rounding ("nearly infeasible");
                                    or friction jams the contacts
``InconsistentConstraints``         equations contradict each other   stops
``NotConverged``                    constraints, or dry friction and  halves the step up to five times
                                    limits of joints, do not settle   for constraints, stops otherwise
=================================== ================================= ================================

An error that stops a simulation names the time and the bodies in contact.

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
