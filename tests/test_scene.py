"""A Scene record refuses contradictions and draws params that depend on nothing else."""

from dataclasses import replace

import pytest

from sim import Camera, Look, Normal, Null, Scene, SceneError, Solver, Uniform, Variant, hidden, unknown
from sim.scene import N_UNKNOWN_DRAWS


def toy(**changes):
    fields = {
        "name": "toy",
        "version": 1,
        "group": "tossing",
        "prompt": "A toy.",
        "negative_prompt": "",
        "outcomes": ("a", "b"),
        "null_rules": ("none",),
        "duration_s": 1.0,
        "camera": Camera(position_m=(0, -1, 0), target_m=(0, 0, 0)),
        "look": Look(),
        "factors": {"friction": unknown(Uniform(0, 1)), "push_m_s": hidden(Normal(0, 1))},
        "moving_bodies": ("ball",),
        "bounds_m": ((-1, -1, -1), (1, 1, 1)),
        "build": lambda params: None,
        "read": lambda trajectory: "a",
        "settings": {"lean_rad": 0.0},
        "variants": {"leaning": Variant(change="leans", causal=True, settings={"lean_rad": 0.1})},
    }
    return Scene(**{**fields, **changes})


def test_params_hold_factors_settings_and_solver():
    params = toy().params(1, 5, variant="leaning")
    assert set(params) == {"friction", "push_m_s", "lean_rad"}
    assert params["lean_rad"] == 0.1 and params.solver == Solver()


def test_a_new_factor_changes_no_other_draw():
    base, more = toy(), toy(factors={"extra": hidden(Uniform(0, 1)), **toy().factors})
    for i in range(20):
        assert base.params(3, i)["push_m_s"] == more.params(3, i)["push_m_s"]


def test_variants_share_the_draws_of_their_base():
    scene = toy()
    assert scene.params(3, 7)["push_m_s"] == scene.params(3, 7, variant="leaning")["push_m_s"]


def test_unknown_draws_come_round_and_hidden_ones_do_not():
    first, later = toy().params(0, 1), toy().params(0, 1 + N_UNKNOWN_DRAWS)
    assert first["friction"] == later["friction"] and first["push_m_s"] != later["push_m_s"]


def test_seed_zero_is_a_seed():
    assert toy().params(0, 0)["push_m_s"] != toy().params(1, 0)["push_m_s"]


def test_contradictions_are_refused():
    with pytest.raises(SceneError, match="toy: outcomes must be two or more different labels"):
        toy(outcomes=("a", "a"))
    with pytest.raises(SceneError, match=r"toy: duration_s must lie in \(0, 5\], got 6"):
        toy(duration_s=6)
    with pytest.raises(SceneError, match="toy: moving_bodies must name one body or more"):
        toy(moving_bodies=())
    with pytest.raises(SceneError, match=r"toy: factor 'push_m_s' must be hidden\(...\) or unknown\(...\), got 5"):
        toy(factors={"push_m_s": 5})
    with pytest.raises(SceneError, match="toy: solver must be a Solver, got 3"):
        toy(solver=3)
    with pytest.raises(SceneError, match="toy: ideal must give one probability per outcome"):
        toy(ideal={"a": 0.5, "b": 0.6})
    with pytest.raises(SceneError, match=r"toy@x: settings \['nope'\] are not settings of the scene"):
        toy(variants={"x": Variant(change="", causal=True, settings={"nope": 1})})
    with pytest.raises(SceneError, match="toy has no variant 'tilted'; its variants: leaning"):
        toy().token("tilted")
    with pytest.raises(ValueError, match="index must not be negative, got -1"):
        toy().params(0, -1)
    with pytest.raises(ValueError, match="reason must be one of no_motion"):
        Null("bored")


@pytest.mark.parametrize(
    ("change", "label"),
    [
        ({"name": "My toy"}, "'My toy'"),
        ({"name": "../toy"}, "'../toy'"),
        ({"name": ""}, "''"),
        ({"name": "toy\n"}, r"'toy\\n'"),
        ({"outcomes": ("a", "b,c")}, "'b,c'"),
        ({"outcomes": (1, 2)}, "1"),
        ({"variants": {"x@y": Variant(change="", causal=True)}}, "'x@y'"),
    ],
)
def test_names_are_plain(change, label):
    with pytest.raises(SceneError, match=f"names and outcomes may hold a-z, 0-9 and _ alone, got {label}$"):
        toy(**change)


@pytest.mark.parametrize("high", [-1, -2, float("nan")])
def test_bounds_are_in_order(high):
    with pytest.raises(SceneError, match="toy: each lower bound of bounds_m must be below its upper, got"):
        toy(bounds_m=((-1, -1, -1), (1, high, 1)))


def test_solver_checks_its_step_and_contacts():
    with pytest.raises(ValueError, match="timestep_s must divide 1/60 s, got 0.001"):
        Solver(timestep_s=0.001)
    with pytest.raises(ValueError, match=r"must lie in \(0, 0.3\], got 0.600"):
        Solver(timestep_s=1 / 4800, contact_frequency_rad_s=2880)
    assert Solver().steps_per_frame == 80


def test_look_of_a_variant():
    dark = Look(light_diffuse=0.1)
    scene = toy(variants={"dark": Variant(change="darker", causal=False, look=dark)})
    assert scene.look_of("dark") == dark and scene.look_of(None) == scene.look
    assert replace(scene, version=2).token("dark") == "toy@dark"
