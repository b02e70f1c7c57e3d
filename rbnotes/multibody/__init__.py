"""Systems of bodies: reduced and maximal coordinates, robot files, compiled models.

- :mod:`~rbnotes.multibody.reduced`: trees of bodies in joint coordinates, their kinematics and dynamics;
- :mod:`~rbnotes.multibody.maximal`: bodies with six coordinates each, joints as constraints, a simulator;
- :mod:`~rbnotes.multibody.formats`: URDF and MJCF files;
- :mod:`~rbnotes.multibody.packing`: models packed into arrays, for compiled dynamics and simulation.
"""
