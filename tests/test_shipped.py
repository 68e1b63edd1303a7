"""The shipped references belong to the shipped scenes, are sound, and say how far the ideal is."""

import json

import numpy as np
import pytest

import scenes
import scenes.shipped as shipped
from sim import InputError
from sim.comparison import compare
from sim.evidence import MAX_BAD_SHARE, Evidence
from sim.fingerprint import code_hash, settings_hash
from sim.sampling import sample

TOKENS = [token for name in scenes.names() for token in shipped.tokens(scenes.load(name))]


@pytest.mark.parametrize("token", TOKENS)
def test_reference_is_whole_and_of_this_version(token):
    scene, variant = scenes.parse_token(token)
    found = scenes.reference(token)
    assert found.scene == token and found.outcomes == scene.outcomes
    assert found.settings_hash == settings_hash(scene, variant, solver=None, engine=found.engine), "make it again"
    assert found.code_hash in (None, code_hash(scene, variant, solver=None)), "make it again"  # None: format 1
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


def test_evidence_that_is_missing_or_of_another_reference_is_named_with_the_cure(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "EVIDENCE", tmp_path)
    with pytest.raises(InputError, match="no evidence is shipped for y_fork; make it with: quincunx references y_fork"):
        scenes.evidence("y_fork@sign")
    tables = ("twins", "engines", "not_causal", "sampling", "failed", "null", "unknown_spread", "engines_missing")
    facts = {name: None for name in Evidence.__dataclass_fields__} | {name: {} for name in tables}
    facts |= {name: 0 for name in ("version", "failed_share", "undecided_share")}
    facts["sampling"] = {"reached": True, "aimed_half_width": 0.01, "budget_cpu_s": 300.0}
    Evidence(**{**facts, "scene": "y_fork"}).write(tmp_path / "y_fork.json")
    with pytest.raises(InputError, match="y_fork.json is not of the reference beside it; make both again with"):
        scenes.evidence("y_fork")


@pytest.mark.parametrize("token", TOKENS)
def test_shipped_evidence_belongs_to_its_reference(token):
    found, reference = scenes.evidence(token), scenes.reference(token)
    assert found.failed_share <= MAX_BAD_SHARE and found.n == reference.n
    if "@" not in token:
        assert set(found.twins) == {"half_step", "half_step_double_frequency"}
        assert all(twin.n >= 2000 and twin.p >= 0.001 for twin in found.twins.values())
        assert set(found.engines) | set(found.engines_missing) == {"bullet", "impact"}
        assert all(engine.n >= 2000 for engine in found.engines.values())
        assert found.penetration is not None and found.penetration["sank"] == []


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
