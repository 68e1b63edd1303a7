"""References are made with their evidence, go on after an interruption, and are written only when all is there."""

import functools

import pytest

import scenes
from scenes import making, shipped
from sim.evidence import Evidence
from sim.predictability import curve
from sim.reference import Reference


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Makes references of a few rollouts, outside the package."""
    monkeypatch.setattr(shipped, "REFERENCES", tmp_path / "made")
    monkeypatch.setattr(shipped, "EVIDENCE", tmp_path / "evidence")
    sizes = {"N_LEAST": 8, "N_TWIN": 8, "N_SECOND_ENGINE": 8, "N_NOT_CAUSAL": 8, "N_JITTER": 8, "N_PENETRATION": 2}
    for name, n in sizes.items():
        monkeypatch.setattr(making, name, n)
    monkeypatch.setattr("sim.sampling.CHUNK", 8)
    monkeypatch.setattr(making, "curve", functools.partial(curve, scales=(0.125,)))
    return functools.partial(making.make_reference, work=tmp_path / "work", budget_cpu_s=1e-9)


def test_interrupted_making_goes_on_and_ends_the_same(make, tmp_path):
    def interrupt(what, done, n):
        if "check of sign" in what:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make("y_fork", progress=interrupt)
    assert not (tmp_path / "made").exists() and not (tmp_path / "evidence").exists()
    told = []
    made = make("y_fork", progress=lambda what, done, n: told.append(what.removeprefix("y_fork: ")))
    assert made.n == 8 and made.second_engine.n == 8 and set(made.not_causal) == {"sign"}
    assert set(told) <= {"reference", "hidden jitter"}  # what was sampled before is not sampled again
    files = [tmp_path / "made" / "y_fork.json", tmp_path / "evidence" / "y_fork.json"]
    before = [file.read_bytes() for file in files]
    assert make("y_fork") == made == Reference.read(files[0]) and [file.read_bytes() for file in files] == before


def test_evidence_holds_what_the_card_needs(make):
    made = make("y_fork")
    found = scenes.evidence("y_fork")
    assert isinstance(found, Evidence) and found.n == made.n == 8
    assert set(found.twins) == {"half_step", "half_step_double_frequency"} and set(found.engines) == {"bullet"}
    for check in (*found.twins.values(), *found.engines.values(), *found.not_causal.values()):
        # other draws of the hidden factors, the same draws of the unknown ones
        assert (check.seed, check.first_index) == (made.seed, making.CHECK_INDEX) and making.CHECK_INDEX % 64 == 0
    assert not found.sampling["reached"] and found.sampling["half_width"] > 0.01
    assert [point["scale"] for point in found.predictability["points"]] == [0.125, 1.0]
    assert found.penetration["n"] == 2 and found.ideal_distance["tv"] >= 0


def test_a_causal_variant_leaves_to_its_base_what_is_the_bases(make):
    make("y_fork@offset")
    found = scenes.evidence("y_fork@offset")
    assert (found.twins, found.penetration, found.predictability, found.ideal) == ({}, None, None, None)
    assert found.engines["bullet"].n == 8


def test_without_evidence_the_reference_alone_is_made(make, tmp_path):
    make("y_fork", evidence=False)
    assert (tmp_path / "made" / "y_fork.json").is_file() and not (tmp_path / "evidence").exists()
