"""Writer of MJCF, the files of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD, zero_forces
from rbnotes.joints import ExponentialSpherical, Fixed, Prismatic, Revolute
from rbnotes.multibody.actuators import Motor, PositionServo
from rbnotes.multibody.body import Body
from rbnotes.multibody.formats._joint_types import as_robot
from rbnotes.multibody.formats._mjcf_robot import geometry_attributes, pose_attributes, robot_document
from rbnotes.multibody.formats._xml import format_document, format_numbers
from rbnotes.multibody.formats.mjcf_model import MjcfActuator, MjcfModel
from rbnotes.multibody.formats.robot import Robot
from rbnotes.multibody.model import Model, check_no_particles
from rbnotes.multibody.reduced.constraints import Gear, JointLimit, LoopClosure, RotationLimit
from rbnotes.multibody.reduced.loop_joint import LoopJoint
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.shapes import ConvexMesh, Plane, Shape
from rbnotes.unchecked import quaternion, se3

CLOSURE_TOLERANCE = 1e-9
"""Largest gap of a loop closure at zero coordinates, m."""
PLANE_SIZE = "10 10 1"
"""Size of a plane in pictures; its contacts have no bounds."""


def to_mjcf(model: MjcfModel | Model | Robot | Tree) -> str:
    """Return the text of an MJCF file with the same motion.

    From that of a model, :func:`load_mjcf` makes the same model. Bodies without mass become joints of the
    body that follows. Joints have their names in the model or robot, or those of their bodies; a joint of a
    robot or tree with several coordinates becomes several joints with a number after the name, or a ball or
    free joint, whose coordinates in MuJoCo differ. Limits and couplings of joints are soft in MuJoCo.

    Parameters
    ----------
    model
        Model; model with names of joints, actuators, frames and keyframes; robot, with its visuals instead of
        collision geometry; or tree.

    Raises
    ------
    InvalidArgument
        If MuJoCo or :func:`load_mjcf` has no counterpart of a part of the model, such as a restitution, a
        bearing, a force, or a spring on a ball joint, if several bodies follow a moving one without mass, or
        if an inertia is singular; the message names it.
    """
    arguments.require_instance("model", model, MjcfModel, Model, Robot, Tree)
    if isinstance(model, MjcfModel | Model):
        return format_document(_Writer(model).document())
    return format_document(robot_document(as_robot(model)))


class _Writer:
    """Writer of one model; ``document`` returns the root element."""

    def __init__(self, model: MjcfModel | Model) -> None:
        self.mjcf = model if isinstance(model, MjcfModel) else None
        self.model = model.model if isinstance(model, MjcfModel) else model
        check_no_particles(self.model, "none; MJCF files have bodies only")
        self.joint_names = {body.name: body.name for body in self.model.bodies}
        if self.mjcf is not None:
            self.joint_names |= {joint.body: joint.name for joint in self.mjcf.joints}
        self.assets = ET.Element("asset")
        constraints = self.model.constraints
        self.limits = {each.link: each for each in constraints if isinstance(each, JointLimit)}
        self.rotation_limits = {
            each.link: each.upper for each in constraints if isinstance(each, RotationLimit)
        }

    def document(self) -> ET.Element:
        """Return the element ``<mujoco>`` of the whole model."""
        model = self.model
        if model.force_law is not zero_forces or model.bearings:
            raise InvalidArgument("model", "forces or bearings", "none: MJCF has no counterpart")
        root = ET.Element("mujoco", model="model" if self.mjcf is None else self.mjcf.name)
        ET.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
        ET.SubElement(root, "option", gravity=format_numbers(model.gravity))
        world = ET.SubElement(root, "worldbody")
        self._add_geometries(world, WORLD)
        self._add_frames(world, None)
        for i, parent in enumerate(model.tree.parents):
            if parent < 0:
                self._add_body(world, i, np.eye(4), [])
        if len(self.assets):
            root.append(self.assets)
        for add in (self._add_constraints, self._add_actuators, self._add_excluded, self._add_keyframes):
            add(root)
        return root

    def _add_body(self, parent: ET.Element, i: int, pose: Array, inherited: list[tuple[Body, Array]]) -> None:
        """Add a body and all that follow it; ``pose`` is the parent's joint frame in its body frame."""
        body, link = self.model.bodies[i], self.model.tree.links[i]
        children = self.model.tree.children[i]
        pose = pose @ (link.placement if body.initial_pose is None else body.initial_pose)
        joints = inherited
        if isinstance(link.joint, Fixed):
            pose = pose @ link.joint.pose
        elif not body.is_free:
            joints = [*inherited, (body, pose)]
        if joints and body.spatial_inertia is None:
            if len(children) != 1 or body.geometries:
                raise InvalidArgument(
                    f"body {body.name!r}", "no mass", "mass, or one body on it and no shape"
                )
            self._add_body(parent, children[0], pose, joints)
            return
        pose = pose @ (np.eye(4) if body.is_free else link.body_frame)
        element = ET.SubElement(parent, "body", {"name": body.name, **pose_attributes(pose)})
        if body.is_free:
            ET.SubElement(element, "freejoint", name=self.joint_names[body.name])
        for owner, frame in joints:
            self._add_joint(element, owner, se3.inverse(pose) @ frame)
        if body.spatial_inertia is not None:
            mass, J, com = inertia.from_spatial_inertia(body.spatial_inertia)
            numbers = [*np.diag(J), J[0, 1], J[0, 2], J[1, 2]]
            ET.SubElement(
                element,
                "inertial",
                pos=format_numbers(com),
                mass=format_numbers(mass),
                fullinertia=format_numbers(np.array(numbers)),
            )
        self._add_geometries(element, i)
        self._add_frames(element, body.name)
        for child in children:
            self._add_body(element, child, se3.inverse(link.body_frame), [])

    def _add_joint(self, element: ET.Element, body: Body, frame: Array) -> None:
        """Add the joint of a body; refuse types that MJCF lacks."""
        label = f"body {body.name!r}: joint"
        attributes = {"name": self.joint_names[body.name], "pos": format_numbers(frame[:3, 3])}
        match body.joint:
            case ExponentialSpherical():
                losses = (body.stiffness, body.damping, body.armature, body.joint_friction)
                if any(np.any(each) for each in losses) or body.name in self.limits:
                    raise InvalidArgument(label, "springs, losses or limits of coordinates on a ball", "none")
                if body.name in self.rotation_limits:
                    attributes["range"] = f"0 {format_numbers(self.rotation_limits[body.name])}"
                ET.SubElement(element, "joint", {**attributes, "type": "ball"})
                return
            case Revolute() | Prismatic():
                attributes["type"] = "hinge" if isinstance(body.joint, Revolute) else "slide"
                attributes["axis"] = format_numbers(frame[:3, :3] @ np.array(body.joint.axis))
            case other:
                expected = "a fixed, revolute, prismatic, or spherical joint by a rotation vector, or None"
                raise InvalidArgument(label, f"{other!r:.60}", expected)
        numbers = {
            "stiffness": body.link.stiffness,
            "springref": body.link.spring_reference,
            "damping": body.link.damping,
            "armature": body.armature,
            "frictionloss": body.joint_friction,
        }
        attributes |= {name: format_numbers(number) for name, number in numbers.items() if np.any(number)}
        if body.name in self.limits:
            limit = self.limits[body.name]
            if not np.isfinite([limit.lower, limit.upper]).all():
                raise InvalidArgument(label, "a single bound", "two or none")
            attributes["range"] = format_numbers(np.array([limit.lower, limit.upper]))
        ET.SubElement(element, "joint", attributes)

    def _add_geometries(self, element: ET.Element, owner: int) -> None:
        """Add the colliding shapes of a body or of the world."""
        for each in self.model.colliders:
            if each.body != owner:
                continue
            if each.restitution or not np.isfinite(each.mu):
                raise InvalidArgument(
                    "model", "a restitution, or infinite friction", "zero, and finite friction"
                )
            attributes = {**self._shape_attributes(each.shape), **pose_attributes(each.frame)}
            ET.SubElement(element, "geom", {**attributes, "friction": format_numbers(each.mu)})

    def _add_frames(self, element: ET.Element, body: str | None) -> None:
        frames = {} if self.mjcf is None else self.mjcf.frames
        for name, frame in frames.items():
            if frame.body == body and name not in (body, "world"):
                ET.SubElement(element, "body", {"name": name, **pose_attributes(frame.pose)})

    def _add_constraints(self, root: ET.Element) -> None:
        """Add welds, gears and loop closures; refuse other equations."""
        equality = ET.Element("equality")
        tree = self.model.tree
        poses = self.model.body_state(self.model.state()).E
        for each in self.model.constraints:
            match each:
                case JointLimit() | RotationLimit():
                    pass
                case LoopJoint(joint=Fixed()):
                    pose = each.E_a @ se3.inverse(each.E_b)
                    numbers = np.append(pose[:3, 3], quaternion.from_rotation(pose[:3, :3]))
                    names = {"body1": each.a, **({} if each.b is None else {"body2": each.b})}
                    ET.SubElement(equality, "weld", {**names, "relpose": format_numbers(numbers)})
                case Gear():
                    names = {"joint1": self.joint_names[each.b], "joint2": self.joint_names[each.a]}
                    coefficients = format_numbers(np.array([0.0, each.ratio]))
                    ET.SubElement(equality, "joint", {**names, "polycoef": coefficients})
                case LoopClosure(axis=None):
                    first = poses[tree.index(each.a)] @ np.append(each.x_a, 1.0)
                    other = np.eye(4) if each.b is None else poses[tree.index(each.b)]
                    gap = float(np.linalg.norm(first - other @ np.append(each.x_b, 1.0)))
                    if gap > CLOSURE_TOLERANCE:
                        got = f"a closure of {each.a!r} with a gap of {gap:g} m at zero coordinates"
                        raise InvalidArgument("model: constraints", got, "closed loops there, for MJCF")
                    names = {"body1": each.a, **({} if each.b is None else {"body2": each.b})}
                    ET.SubElement(equality, "connect", {**names, "anchor": format_numbers(each.x_a)})
                case other:
                    expected = "limits, gears, fixed loop joints, and closures without an axis"
                    raise InvalidArgument("model: constraints", f"{other!r:.60}", expected)
        if len(equality):
            root.append(equality)

    def _add_actuators(self, root: ET.Element) -> None:
        """Add the actuators, with the gears and ranges of the file if there is one."""
        if not self.model.actuators:
            return
        section = ET.SubElement(root, "actuator")
        file_actuators = {} if self.mjcf is None else {each.body: each for each in self.mjcf.actuators}
        for law in self.model.actuators:
            kind = {"Motor": "motor", "PositionServo": "position", "VelocityServo": "velocity"}[
                type(law).__name__
            ]
            default_actuator = MjcfActuator(f"{law.body} {kind}", kind, law.body, 1.0, -np.inf, np.inf)
            entry = file_actuators.get(law.body, default_actuator)
            attributes = {"name": entry.name, "joint": self.joint_names[law.body]}
            gains = {"gear": entry.gear}
            if isinstance(law, PositionServo):
                gains |= {"kp": law.kp / entry.gear**2, "kv": law.kd / entry.gear**2}
            elif not isinstance(law, Motor):
                gains["kv"] = law.kv / entry.gear**2
            default = float(np.clip(0.0, entry.lower, entry.upper))
            if np.any(getattr(law, "target", 0.0) != default / entry.gear):
                raise InvalidArgument(f"actuator of {law.body!r}", "a target", "a command in its place")
            attributes |= {name: format_numbers(number) for name, number in gains.items()}
            if np.isfinite(entry.upper):
                attributes["ctrlrange"] = format_numbers(np.array([entry.lower, entry.upper]))
            limit = float(np.max(law.force_limit)) / abs(entry.gear)
            if np.isfinite(limit):
                attributes["forcerange"] = format_numbers(np.array([-limit, limit]))
            ET.SubElement(section, kind, attributes)

    def _add_excluded(self, root: ET.Element) -> None:
        if self.model.excluded_pairs:
            section = ET.SubElement(root, "contact")
            for a, b in self.model.excluded_pairs:
                ET.SubElement(section, "exclude", body1=a, body2=b)

    def _add_keyframes(self, root: ET.Element) -> None:
        if self.mjcf is None or not self.mjcf.keyframes:
            return
        section = ET.SubElement(root, "keyframe")
        for name, key in self.mjcf.keyframes.items():
            qpos, qvel = self.mjcf.qpos_qvel(key.state)
            numbers = {"time": np.array(key.state.t), "qpos": qpos, "qvel": qvel, "ctrl": key.control}
            texts = {each: format_numbers(number) for each, number in numbers.items() if number.size}
            ET.SubElement(section, "key", {"name": name, **texts})

    def _shape_attributes(self, shape: Shape) -> dict[str, str]:
        """Return the attributes of a shape; the vertices of a mesh become an asset."""
        if isinstance(shape, Plane):
            return {"type": "plane", "size": PLANE_SIZE}
        if isinstance(shape, ConvexMesh):
            name = f"mesh{len(self.assets)}"
            vertices, faces = (
                " ".join(map(repr, array.ravel().tolist())) for array in (shape.vertices, shape.triangles)
            )
            ET.SubElement(self.assets, "mesh", name=name, vertex=vertices, face=faces)
            return {"type": "mesh", "mesh": name}
        return geometry_attributes(shape)
