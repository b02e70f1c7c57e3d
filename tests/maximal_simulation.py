"""Steps of models in maximal coordinates, which ``simulate`` of a model uses, with the same options."""

from rbnotes.dynamics import State
from rbnotes.friction import friction_model as select_friction_model
from rbnotes.multibody import step_records
from rbnotes.multibody.maximal.rattle_integrator import rattle
from rbnotes.multibody.maximal.simulation import simulate_maximal
from rbnotes.multibody.simulation_options import SimulationOptions
from rbnotes.multibody.step_settings import PROJECTION, SIMULTANEOUS


def simulate(
    model,
    state,
    h,
    steps,
    *,
    friction_model="newton",
    max_friction_residual=None,
    integrator=rattle,
    impacts=SIMULTANEOUS,
    stabilization=PROJECTION,
    gamma=None,
    slop=1e-5,
    joint_space=None,
    compiled=False,
    progress=None,
):
    """Return the trajectory of a ``MaximalModel`` from a state, or from the end of a trajectory."""
    options = SimulationOptions(
        h=h,
        steps=steps,
        friction_model=select_friction_model("friction_model", friction_model),
        max_friction_residual=max_friction_residual,
        impacts=impacts,
        compiled=compiled,
        stabilization=stabilization,
        gamma=gamma,
        slop=slop,
        progress=progress,
    )
    restart = None
    if not isinstance(state, State):
        state, restart = state.states[-1], state.restart
    return simulate_maximal(model, state, options, integrator, joint_space, restart)


def contact_events(path):
    """Return the contact events of a trajectory."""
    return step_records.contact_events(path.contacts, path.states.t[1:].tolist())
