"""The shipped references belong to the shipped scenes, are sound, and say how far the ideal is."""

import json

import numpy as np
import pytest

import scenes
import scenes.shipped as shipped
from sim import InputError
from sim.sampling import MAX_BAD_SHARE, compare, sample, settings_hash

TOKENS = [token for name in scenes.names() for token in shipped.tokens(scenes.load(name))]


@pytest.mark.parametrize("token", TOKENS)
def test_reference_is_whole_and_of_this_version(token):
    scene, variant = scenes.parse_token(token)
    found = scenes.reference(token)
    assert found.scene == token and found.outcomes == scene.outcomes
    assert found.settings_hash == settings_hash(scene, variant, solver=None, engine=found.engine), "make it again"
    assert found.n >= 5000 and found.bad_share <= MAX_BAD_SHARE and found.half_width < 0.03
    if scene.one_engine_only is None:
        assert found.second_engine is not None and found.second_engine.n >= 500
    if variant is None:
        quiet = {name for name, v in scene.variants.items() if not v.causal}
        assert set(found.not_causal or {}) == quiet
        assert all(check.p > 1e-3 for check in (found.not_causal or {}).values())


@pytest.mark.parametrize("token", TOKENS)
def test_a_fresh_sample_agrees_with_the_reference(token):
    scene, variant = scenes.parse_token(token)
    assert compare(scenes.reference(token), sample(scene, variant=variant, n=64, seed=1)).p > 1e-4


def test_not_causal_variants_have_their_bases_reference():
    assert scenes.reference("y_fork@sign") is scenes.reference("y_fork")
    assert scenes.reference("y_fork@offset").scene == "y_fork@offset"


def test_causal_variants_move_the_distribution():
    for token in TOKENS:
        name, _, variant = token.partition("@")
        if variant:
            assert compare(scenes.reference(name), scenes.reference(token)).p < 1e-3, token


def test_old_and_missing_references_are_named_with_the_cure(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "REFERENCES", tmp_path)
    with pytest.raises(InputError, match="no reference is shipped for die_roll; make one with: quincunx ref"):
        scenes.reference("die_roll")
    old = {**sample(scenes.load("die_roll"), n=8, seed=1).to_json(), "version": 0}
    (tmp_path / "die_roll.json").write_text(json.dumps(old))
    with pytest.raises(InputError, match="is of version 0 of die_roll, but the scene has version 1"):
        scenes.reference("die_roll")


def test_source_images_are_shipped_for_every_token():
    import cv2

    for name in scenes.names():
        scene = scenes.load(name)
        for variant in (None, *scene.variants):
            image = cv2.imread(str(scenes.source_image(scene.token(variant))))
            assert image is not None and image.shape[0] >= 480 and np.ptp(image) > 100


def test_missing_source_image_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "SOURCE_IMAGES", tmp_path)
    with pytest.raises(InputError, match="no source image is shipped for die_roll; draw it with: quincunx render"):
        scenes.source_image("die_roll")


def test_interrupted_making_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "REFERENCES", tmp_path / "made")
    for size in ("N_ROLLOUTS", "N_SECOND_ENGINE", "N_NOT_CAUSAL"):
        monkeypatch.setattr(shipped, size, 16)

    def interrupt(what, done, n):
        if "check of sign" in what:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shipped.make_reference("y_fork", work=tmp_path / "work", progress=interrupt)
    assert not (tmp_path / "made").exists()
    seen = []
    made = shipped.make_reference("y_fork", work=tmp_path / "work", progress=lambda what, done, n: seen.append(what))
    assert seen == [] and made.n == 16 and made.second_engine.n == 16 and set(made.not_causal) == {"sign"}


def test_the_reference_of_a_users_own_scene_lies_beside_it(tmp_path, monkeypatch):
    own = tmp_path / "my_die.py"
    own.write_text(
        "from dataclasses import replace\nimport scenes\nSCENE = replace(scenes.load('die_roll'), name='my_die')\n"
    )
    monkeypatch.setenv("QUINCUNX_SCENES", str(tmp_path))
    assert shipped.reference_path("my_die") == tmp_path / "references" / "my_die.json"
    assert shipped.reference_path("die_roll") == shipped.REFERENCES / "die_roll.json"
    made = sample(scenes.load("my_die"), n=8, seed=1)
    made.write(shipped.reference_path("my_die"))
    assert scenes.reference("my_die").counts == made.counts
