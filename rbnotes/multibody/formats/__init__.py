"""Robots and models from files and to files: URDF and MJCF.

>>> from rbnotes.multibody.formats import load_urdf
>>> pendulum = '''
... <robot name="pendulum">
...   <link name="ceiling"/>
...   <link name="rod">
...     <inertial>
...       <origin xyz="0 0 -0.5"/> <mass value="1.2"/>
...       <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.001"/>
...     </inertial>
...   </link>
...   <joint name="hinge" type="continuous">
...     <parent link="ceiling"/> <child link="rod"/> <axis xyz="1 0 0"/>
...   </joint>
... </robot>'''
>>> load_urdf(pendulum).tree.links[0].joint
Revolute(axis=(1.0, 0.0, 0.0))

The files are read and written with the standard library. URDF has about twelve elements of XML, while the
readers on PyPI are made for drawing: yourdfpy needs lxml and trimesh with its fifteen dependencies, urchin a
renderer. None of them names a link with a physically impossible inertia.
"""

from rbnotes.multibody.formats.examples import example
from rbnotes.multibody.formats.mjcf_model import (
    Keyframe,
    MjcfActuator,
    MjcfFrame,
    MjcfJoint,
    MjcfModel,
)
from rbnotes.multibody.formats.mjcf_reader import load_mjcf
from rbnotes.multibody.formats.mjcf_writer import to_mjcf
from rbnotes.multibody.formats.robot import Frame, LinkGeometry, Mimic, Robot, RobotJoint
from rbnotes.multibody.formats.urdf import load_urdf
from rbnotes.multibody.formats.urdf_writer import to_urdf

__all__ = [
    "Frame",
    "Keyframe",
    "LinkGeometry",
    "Mimic",
    "MjcfActuator",
    "MjcfFrame",
    "MjcfJoint",
    "MjcfModel",
    "Robot",
    "RobotJoint",
    "example",
    "load_mjcf",
    "load_urdf",
    "to_mjcf",
    "to_urdf",
]
