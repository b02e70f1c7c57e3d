"""Saved and loaded trajectories: all data, continuation bit for bit, and files of other kinds."""

from dataclasses import fields

import numpy as np
import pytest

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import Body, Model, load_trajectory, save_trajectory, simulate
from rbnotes.multibody.trajectory_files import FORMAT_VERSION
from rbnotes.shapes import Box, Plane


def boxes():
    return Model(
        [
            Body(f"box{k}", Box([0.2, 0.2, 0.2]), mass=1.0, position=[0.02 * k, 0, 0.12 + 0.22 * k])
            for k in range(2)
        ],
        ground=Plane(),
    )


def flatten(value, path=""):
    """Return all arrays and numbers of nested dataclasses and tuples, by their places."""
    if hasattr(value, "__dataclass_fields__"):
        return {
            k: v
            for f in fields(value)
            for k, v in flatten(getattr(value, f.name), f"{path}.{f.name}").items()
        }
    if isinstance(value, dict):
        return {k: v for key, each in value.items() for k, v in flatten(each, f"{path}[{key}]").items()}
    if isinstance(value, tuple | list):
        return {k: v for i, each in enumerate(value) for k, v in flatten(each, f"{path}[{i}]").items()}
    return {path: value}


@pytest.mark.parametrize(
    ("coordinates", "compiled"),
    [("reduced", False), ("reduced", True), ("maximal", False), ("maximal", True)],
)
def test_loaded_trajectory_has_all_data_and_continues_bit_for_bit(coordinates, compiled, tmp_path):
    model = boxes()
    options = {"h": 0.01, "coordinates": coordinates, "compiled": compiled, "record": ["box1", "contacts"]}
    motion = simulate(model, steps=12, **options)
    assert any(np.any(record.impulses) for record in motion.contacts)
    save_trajectory(motion, tmp_path / "run.npz")
    loaded = load_trajectory(tmp_path / "run.npz", model)
    saved_data, loaded_data = (
        {k: v for k, v in flatten(each).items() if not k.startswith(".model")} for each in (motion, loaded)
    )
    assert saved_data.keys() == loaded_data.keys()
    assert len(saved_data) > 50
    assert loaded.contact_events == motion.contact_events != ()
    for name, value in saved_data.items():
        np.testing.assert_array_equal(loaded_data[name], value, err_msg=name)
    further, again = (simulate(model, each, steps=5, **options) for each in (motion, loaded))
    assert np.array_equal(further.body_states.E, again.body_states.E)
    assert np.array_equal(further.restart.last_impulses[1], again.restart.last_impulses[1])


def test_run_without_contacts_is_saved(tmp_path):
    model = Model([Body("rod", Box([0.1, 0.1, 0.5]), mass=1.0, joint=joints.Revolute([0, 1, 0]))])
    motion = simulate(model, model.state(qdot={"rod": 1.0}), h=0.01, steps=3)
    save_trajectory(motion, str(tmp_path / "run"))
    assert np.array_equal(load_trajectory(tmp_path / "run.npz", model).tree_q, motion.tree_q)


def test_other_files_and_models_are_refused(tmp_path):
    model = boxes()
    save_trajectory(simulate(model, h=0.01, steps=2), tmp_path / "run.npz")
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    np.savez(tmp_path / "pickle.npz", format=np.array({"a": 1}, dtype=object))
    (tmp_path / "half.npz").write_bytes((tmp_path / "run.npz").read_bytes()[:500])
    for name in ("text", "other", "pickle", "half"):
        with pytest.raises(InvalidArgument, match="path: got"):
            load_trajectory(tmp_path / f"{name}.npz", model)
    for call in (
        lambda: load_trajectory(3, model),
        lambda: load_trajectory(tmp_path / "run.npz", None),
        lambda: save_trajectory(None, tmp_path / "run.npz"),
        lambda: save_trajectory(load_trajectory(tmp_path / "run.npz", model), 3),
    ):
        with pytest.raises(InvalidArgument):
            call()
    with pytest.raises(FileNotFoundError):
        load_trajectory(tmp_path / "missing.npz", model)
    one = Model(model.bodies[:1], ground=Plane())
    with pytest.raises(InvalidArgument, match="model: got a trajectory of"):
        load_trajectory(tmp_path / "run.npz", one)


@pytest.mark.parametrize(
    ("version", "advice"), [(FORMAT_VERSION - 1, "simulate again"), (FORMAT_VERSION + 1, "update rbnotes")]
)
def test_file_of_another_version_is_refused(tmp_path, version, advice):
    model = boxes()
    save_trajectory(simulate(model, h=0.01, steps=2), tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        arrays = dict(file)
    arrays["format"] = np.array(f"{str(arrays['format'])[:-1]}{version}")
    np.savez(tmp_path / "other.npz", **arrays)
    with pytest.raises(InvalidArgument, match=f"file of version {version}, .* {FORMAT_VERSION}: .*{advice}"):
        load_trajectory(tmp_path / "other.npz", model)
