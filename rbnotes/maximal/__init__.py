"""Bodies with six coordinates each: Newton and Euler on SE(3)."""

from rbnotes.maximal.body import (
    BodyState,
    acceleration,
    euler_step,
    fly,
    gravity_wrench,
    gyroscopic_wrench,
    kinetic_energy,
    runge_kutta_step,
    world_momentum,
)

__all__ = [
    "BodyState",
    "acceleration",
    "euler_step",
    "fly",
    "gravity_wrench",
    "gyroscopic_wrench",
    "kinetic_energy",
    "runge_kutta_step",
    "world_momentum",
]
