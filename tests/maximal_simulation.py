"""Steps of models in maximal coordinates, with the options of ``rbnotes.simulate`` and its defaults."""

import inspect
from dataclasses import fields

import rbnotes
from rbnotes.dynamics import State
from rbnotes.friction import friction_model as select_friction_model
from rbnotes.multibody import step_records
from rbnotes.multibody.maximal.rattle_integrator import rattle
from rbnotes.multibody.maximal.simulation import simulate_maximal
from rbnotes.multibody.simulation_options import SimulationOptions

PARAMETERS = inspect.signature(rbnotes.simulate).parameters
DEFAULTS = {each.name: PARAMETERS[each.name].default for each in fields(SimulationOptions)}


def simulate(model, state, h, steps, *, integrator=rattle, joint_space=None, **options):
    """Return the trajectory of a ``MaximalModel`` from a state, or from the end of a trajectory."""
    options = {**DEFAULTS, "h": h, "steps": steps, **options}
    options["friction_model"] = select_friction_model("friction_model", options["friction_model"])
    restart = None
    if not isinstance(state, State):
        state, restart = state.states[-1], state.restart
    return simulate_maximal(model, state, SimulationOptions(**options), integrator, joint_space, restart)


def contact_events(path):
    """Return the contact events of a trajectory."""
    return step_records.contact_events(path.contacts, path.states.t[1:].tolist())
