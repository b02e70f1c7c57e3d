"""SRDF: pairs of links that do not touch, named configurations, and errors in files."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from rbnotes.arguments import InvalidArgument
from rbnotes.contact import contact_points
from rbnotes.joints import Fixed, Free3D
from rbnotes.multibody.formats import example, load_urdf
from rbnotes.shapes import Plane

PENDULUMS = """
<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  {links}
</robot>"""
LINK = """
  <link name="{name}">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><sphere radius="0.5"/></geometry></collision>
  </link>
  <joint name="{name}_joint" type="{kind}">
    <parent link="{parent}"/> <child link="{name}"/> <axis xyz="0 0 1"/>
  </joint>"""
KINDS = {"a": "continuous", "b": "continuous", "c": "continuous", "d": "continuous"}
PARENTS = {"a": "base", "b": "a", "c": "b", "d": "c"}


def arm(kinds=KINDS):
    """Return a chain base - a - b - c - d, all of whose shapes overlap."""
    links = [LINK.format(name=name, kind=kind, parent=PARENTS[name]) for name, kind in kinds.items()]
    return PENDULUMS.format(links="".join(links))


def srdf(*lines, name="arm"):
    return "\n".join([f'<robot name="{name}">', *lines, "</robot>"])


def disable(a, b, reason="Never"):
    return f'<disable_collisions link1="{a}" link2="{b}" reason="{reason}"/>'


def touching(robot):
    """Return the pairs of bodies of the robot's model that touch at neutral coordinates."""
    model = robot.model()
    poses = model.body_state(model.state()).E
    points = contact_points(model.colliders, poses, 0.0, excluded_pairs=model.excluded_indices)
    names = [*(body.name for body in model.bodies), "world"]
    short = {"base": "0", "world": "w"}
    names = [short.get(name, name) for name in names]
    return {"".join(sorted((names[a], names[b]))) for a, b in zip(points.a, points.b, strict=True)}


ALL = {"aw", "bw", "cw", "dw", "ac", "ad", "bd"}


def test_pairs_without_srdf():
    assert touching(load_urdf(arm())) == ALL


@pytest.mark.parametrize("reason", ["Adjacent", "Never", "User", "Default", "any other word"])
def test_disabled_pairs_do_not_touch(reason):
    robot = load_urdf(arm(), srdf=srdf(disable("a", "c", reason), disable("base", "b", reason)))
    assert robot.excluded_pairs == (("a", "c"), ("b", "world"))
    assert touching(robot) == ALL - {"ac", "bw"}


def test_a_pair_that_is_given_twice_is_excluded_once():
    robot = load_urdf(arm(), srdf=srdf(disable("a", "c"), disable("c", "a"), disable("a", "b")))
    assert robot.excluded_pairs == (("a", "b"), ("a", "c"))


def test_pairs_that_are_disabled_by_default():
    lines = '<disable_default_collisions link="d"/>', '<enable_collisions link1="a" link2="d"/>'
    assert touching(load_urdf(arm(), srdf=srdf(*lines))) == ALL - {"bd", "dw"}
    # As in MoveIt, a disabled pair stays so.
    assert touching(load_urdf(arm(), srdf=srdf(*lines, disable("a", "d")))) == ALL - {"bd", "dw", "ad"}


def test_files_and_other_elements(tmp_path):
    others = (
        '<virtual_joint name="world_joint" type="fixed" parent_frame="world" child_link="base"/>',
        '<group name="all"><chain base_link="base" tip_link="d"/></group>',
        '<end_effector name="hand" parent_link="d" group="all"/>',
        '<passive_joint name="d_joint"/>',
        disable("b", "d"),
    )
    path = tmp_path / "arm.srdf"
    path.write_text('<?xml version="1.0"?>\n' + srdf(*others))
    for source in (path, str(path)):
        assert load_urdf(arm(), srdf=source).excluded_pairs == (("b", "d"),)
    with pytest.raises(FileNotFoundError):
        load_urdf(arm(), srdf=tmp_path / "none.srdf")
    with pytest.raises(InvalidArgument, match="srdf: got a file that cannot be read"):
        load_urdf(arm(), srdf=tmp_path)


def test_pairs_of_a_robot_without_collisions():
    pair = srdf(disable("trunk", "front_left_shank"), name="quadruped")
    robot = load_urdf(example("quadruped"), base=Free3D(), srdf=pair)
    assert robot.model(ground=Plane()).excluded_pairs == (("front_left_shank", "trunk"),)
    assert robot.model(collisions=False).excluded_pairs == ()


def test_first_link_and_ground():
    """A first link that is the world cannot be told from the ground; on a fixed joint it can."""
    pair = srdf(disable("base", "b"))
    match = r"ground: got a shape that the excluded pair \('b', 'world'\) does not touch"
    with pytest.raises(InvalidArgument, match=match):
        load_urdf(arm(), srdf=pair).model(ground=Plane())
    robot = load_urdf(arm(), srdf=pair, base=Fixed())
    assert touching(robot) == {"0c", "0d", "ac", "ad", "bd"}
    model = robot.model(ground=Plane())
    assert model.excluded_pairs == (("b", "base"),)


class TestWeldedLinks:
    def test_all_or_none_of_welded_links(self):
        kinds = KINDS | {"b": "fixed"}  # b belongs to a
        both = srdf(disable("a", "d"), disable("b", "d"))
        robot = load_urdf(arm(kinds), srdf=both)
        assert robot.excluded_pairs == (("a", "d"),)
        match = "srdf: disable_collisions: got 'a' and 'd' excluded, 'b' and 'd' not"
        with pytest.raises(InvalidArgument, match=match):
            load_urdf(arm(kinds), srdf=srdf(disable("a", "d")))
        apart = load_urdf(arm(kinds), srdf=srdf(disable("a", "d")), weld=False)
        assert apart.excluded_pairs == (("a", "d"),)
        assert touching(apart) == ALL - {"ad"}

    def test_a_pair_of_one_welded_link_is_dropped(self):
        assert load_urdf(arm(KINDS | {"b": "fixed"}), srdf=srdf(disable("a", "b"))).excluded_pairs == ()

    def test_links_without_shapes_need_not_be_named(self):
        text = arm(KINDS | {"b": "fixed"})
        shape = '<collision><geometry><sphere radius="0.5"/></geometry></collision>'
        before, after = text.split('<link name="b">')
        text = before + '<link name="b">' + after.replace(shape, "", 1)
        assert load_urdf(text, srdf=srdf(disable("a", "d"))).excluded_pairs == (("a", "d"),)


class TestGroupStates:
    def test_states_are_coordinates_by_links(self):
        home = '<group_state name="home" group="g"><joint name="b_joint" value="0.5"/></group_state>'
        more = '<group_state name="home" group="h"><joint name="d_joint" value="-1.5"/></group_state>'
        root = '<joint name="root_joint" value="0 0 0.5 0 0 0 1"/>'
        rest = f'<group_state name="rest" group="g">{root}<joint name="a_joint" value="1"/></group_state>'
        robot = load_urdf(arm(), srdf=srdf(home, more, rest))
        assert robot.group_states == {"home": {"b": 0.5, "d": -1.5}, "rest": {"a": 1.0}}
        state = robot.model().state(q=robot.group_states["home"])
        np.testing.assert_array_equal(state.q, [0, 0.5, 0, -1.5])

    def test_values_of_fixed_joints_are_refused(self):
        text = '<group_state name="home" group="g"><joint name="b_joint" value="0.5"/></group_state>'
        with pytest.raises(
            InvalidArgument, match="<joint> 'b_joint', line 2: got a joint with 0 coordinates"
        ):
            load_urdf(arm(KINDS | {"b": "fixed"}), srdf=srdf(text))

    def test_states_of_two_groups_must_agree(self):
        text = '<group_state name="home" group="{}"><joint name="b_joint" value="{}"/></group_state>'
        same = srdf(text.format("g", 0.5), text.format("h", 0.5))
        assert load_urdf(arm(), srdf=same).group_states == {"home": {"b": 0.5}}
        with pytest.raises(InvalidArgument, match=r"line 3: value: got 0\.7 after 0\.5 in another group"):
            load_urdf(arm(), srdf=srdf(text.format("g", 0.5), text.format("h", 0.7)))


def test_pickled_robots_keep_pairs_and_states():
    home = '<group_state name="home" group="g"><joint name="b_joint" value="0.5"/></group_state>'
    robot = load_urdf(arm(), srdf=srdf(disable("a", "c"), home))
    again = pickle.loads(pickle.dumps(robot))
    assert again.excluded_pairs == robot.excluded_pairs == (("a", "c"),)
    assert again.group_states == robot.group_states


@pytest.mark.parametrize(
    ("line", "match"),
    [
        (disable("a", "e"), "<disable_collisions>, line 2: link2: got 'e', expected a link of the URDF file"),
        ('<disable_collisions link1="a"/>', "<disable_collisions>, line 2: got no 'link2'"),
        (disable("a", "a"), "line 2: got 'a' twice, expected two links"),
        ('\n<disable_default_collisions link="x"/>', "<disable_default_collisions>, line 3: link: got 'x'"),
        ('<enable_collisions link1="a" link2=""/>', "<enable_collisions>, line 2: got no 'link2'"),
        (
            "<disable_colisions/>",
            "<disable_colisions>, line 2: got this element, expected an element of SRDF",
        ),
        ("<group_state/>", "<group_state>, line 2: got no 'name'"),
        ("<virtual_joint/>", "<virtual_joint>, line 2: got no 'name'"),
        ('<group_state name="s"><link name="a"/></group_state>', "<link> 'a', line 2: got <link>"),
        (
            '<group_state name="s"><joint name="e" value="1"/></group_state>',
            "<joint> 'e', line 2: name: got 'e', expected a joint of the URDF file",
        ),
        ('<group_state name="s"><joint name="a_joint"/></group_state>', "'a_joint', line 2: got no 'value'"),
        *(
            (
                f'<group_state name="s"><joint name="a_joint" value="{value}"/></group_state>',
                f"<joint> 'a_joint', line 2: value: got '{value}', expected one number",
            )
            for value in ("one", "nan", "inf", "1 2")
        ),
    ],
)
def test_invalid_elements_are_named_with_their_lines(line, match):
    with pytest.raises(InvalidArgument, match=f"srdf: .*{match}"):
        load_urdf(arm(), srdf=srdf(line))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("<mujoco/>", "srdf: got <mujoco>, expected an SRDF file"),
        ("<robot name='arm'>", r"srdf: got XML with an error \(no element found"),
        ("<!DOCTYPE robot><robot name='arm'/>", "srdf, line 1: got a DOCTYPE"),
        ("\n\n<!DOCTYPE robot><robot name='arm'/>", "srdf, line 3: got a DOCTYPE"),
        ("<robot name='leg'/>", "srdf: <robot> 'leg', line 1: got 'leg', expected 'arm'"),
        ("<robot/>", "srdf: <robot>, line 1: got '', expected 'arm'"),
    ],
)
def test_invalid_files(text, match):
    with pytest.raises(InvalidArgument, match=match):
        load_urdf(arm(), srdf=text)


def test_robots_refuse_pairs_and_states_of_other_trees():
    robot = load_urdf(arm())
    with pytest.raises(InvalidArgument, match="excluded_pairs: got \\('a', 'x'\\), expected pairs of 'a'"):
        replace(robot, excluded_pairs=[("a", "x")])
    with pytest.raises(InvalidArgument, match="excluded_pairs: got \\('a',\\), expected pairs of"):
        replace(robot, excluded_pairs=[("a",)])
    with pytest.raises(InvalidArgument, match=r"group_states\['home'\]: .*'x'"):
        replace(robot, group_states={"home": {"x": 1.0}})
