"""rbnotes: the formulas of three sets of rigid-body dynamics notes, each one checked.

Conventions, everywhere in the package
--------------------------------------
* Numbers are float64, angles radians, units SI unless a data set says otherwise.
* Functions broadcast over leading axes: vectors are ``(..., 3)``, frames ``(..., 4, 4)``.
* ``R_ab`` and ``E_ab`` are the orientation and the pose of frame *b* seen from frame *a*:
  they take coordinates in *b* to coordinates in *a*.
* A twist is ``(omega, v)`` and a wrench ``(torque, force)``: six numbers, angular part first,
  written in the body frame, so that ``dE/dt = E [twist]``.
* Quaternions are ``(scalar, vector)``.
* Stiffness and damping are plain derivatives of the force: ``K = +df/dq``, ``D = +df/dv``.
  On SE(3) a derivative is taken along body-frame increments, ``E exp([xi])``.
* If ``J`` maps velocities, ``J.T`` maps forces back.
* Contact normals push: ``N v >= 0`` separates, and an impulse that pushes is positive.
"""

from rbnotes.ledger.challenge import challenge

__all__ = ["__version__", "challenge"]
__version__ = "0.1.0"
