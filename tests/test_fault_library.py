"""Each kind of fault shows what its reason says, from its beginning on, and the sheet shows all of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import scenes
from judge.fault_library import KINDS
from judge.fault_trial import fault_sheet, measured
from judge.faults import FAULTS
from judge.pixel_faults import Drawn
from judge.track_faults import Staging
from sim import NULL_REASONS
from sim.track import Track

N, SIZE_PX = 8, (60, 80)
AFTER = np.clip((np.linspace(0, 1, N) - 0.45) / 0.25, 0, 1)
BEFORE = np.flatnonzero(AFTER == 0)
OF_TRACK = [kind for kind in KINDS.values() if kind.track is not None]
OF_PIXELS = [kind for kind in KINDS.values() if kind.pixels is not None]


def straight() -> Track:
    """A body that goes one metre to the right and rests."""
    position = np.zeros((N, 1, 3))
    position[:, 0, 0] = np.minimum(1, np.linspace(0, 2, N))
    return Track(
        position_m=position, quaternion=np.tile([1.0, 0, 0, 0], (N, 1, 1)), visible=np.ones((N, 1), dtype=bool)
    )


def staging(strength: float = 0.5) -> Staging:
    return Staging(strength=strength, after=AFTER, size_m=0.1, aside_m=np.array([3.0, 0, 0]))


def painted() -> np.ndarray:
    """(T, H, W, 3) a bright body with one dark mark, left of its middle, on a ground with a gradient."""
    frames = np.zeros((N, *SIZE_PX, 3), np.uint8) + np.arange(SIZE_PX[1], dtype=np.uint8)[:, None]
    frames[:, 20:40, 30:50] = 220
    frames[:, 27:33, 33:37] = 20
    return frames


def drawn(strength: float = 0.5) -> Drawn:
    return Drawn(
        strength=strength,
        after=AFTER,
        centre_px=np.tile([39.5, 29.5], (N, 1)),
        radius_px=np.full(N, 14.0),
        rng=np.random.default_rng(3),
    )


def test_at_least_sixteen_kinds_have_a_known_reason_and_a_strength() -> None:
    assert len(KINDS) >= 16 and set(FAULTS) < set(KINDS)
    assert all(kind.strength and (kind.reason is None or kind.reason in NULL_REASONS) for kind in KINDS.values())
    assert {k.reason for k in KINDS.values()} == {None, *NULL_REASONS} - {"out_of_domain"}
    assert [k.name for k in KINDS.values() if k.taught] == list(FAULTS)
    assert all((k.track is None) != (k.pixels is None) for k in KINDS.values() if not k.taught)


@pytest.mark.parametrize("kind", OF_TRACK, ids=lambda kind: kind.name)
@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_a_path_is_broken_and_its_first_frame_is_not(kind, strength: float) -> None:
    sound, broken = straight(), kind.track(straight(), staging(strength))
    assert np.array_equal(broken.position_m[0], sound.position_m[0])
    assert np.array_equal(broken.quaternion[0], sound.quaternion[0]) and broken.visible[0].all()
    ends_alike = np.array_equal(broken.position_m[-1], sound.position_m[-1]) and broken.visible[-1].all()
    ends_alike &= np.array_equal(broken.quaternion[-1], sound.quaternion[-1]) and broken.ghost_position_m is None
    assert ends_alike == (kind.reason is None)
    assert np.linalg.norm(broken.quaternion, axis=-1) == pytest.approx(1)


def test_paths_end_where_their_reason_says() -> None:
    end = {kind.name: kind.track(straight(), staging()) for kind in OF_TRACK}
    assert end["floats"].position_m[-1, 0, 2] == pytest.approx(0.085)
    assert end["leaves"].position_m[-1, 0, 0] >= 1 + 3
    assert not end["sinks"].visible[-1, 0] and end["sinks"].position_m[-1, 0, 2] < -0.1
    assert np.linalg.norm(end["splits"].ghost_position_m[-1] - end["splits"].position_m[-1, 0]) > 0.1
    assert np.isnan(end["splits"].ghost_position_m[BEFORE]).all()
    w = end["rests_on_edge"].quaternion[-1, 0, 0]
    assert np.degrees(2 * np.arccos(w)) == pytest.approx(37.5)
    assert np.ptp(end["teleports"].position_m[:, 0, 0] - straight().position_m[:, 0, 0]) > 0.3


@pytest.mark.parametrize("kind", OF_PIXELS, ids=lambda kind: kind.name)
def test_pixels_are_broken_visibly_and_stronger_breaks_more(kind) -> None:
    sound = painted()
    weak, strong = (kind.pixels(painted(), drawn(strength)).astype(int) for strength in (0.0, 1.0))
    assert weak.shape == sound.shape and kind.pixels(painted(), drawn()).dtype == np.uint8
    if kind.name == "ghosting":  # nothing moves here
        assert np.array_equal(weak, sound)
        return
    change = [np.abs(some - sound).mean() for some in (weak, strong)]
    assert change[0] > 0 and change[1] >= change[0]
    if kind.name not in ("flickers", "drifts"):
        assert np.array_equal(weak[BEFORE], sound[BEFORE])


@pytest.mark.parametrize("name", ["melts", "grows", "mirrored", "changes_colour", "blank_marks", "extra_mark"])
def test_what_befalls_the_body_leaves_the_rest_alone(name: str) -> None:
    found = KINDS[name].pixels(painted(), drawn(1.0))
    rows, columns = np.mgrid[: SIZE_PX[0], : SIZE_PX[1]]
    far = np.hypot(columns - 39.5, rows - 29.5) > 1.6 * 14
    assert np.array_equal(found[:, far], painted()[:, far])


def test_a_mark_is_mirrored_blanked_and_covered() -> None:
    mirrored = KINDS["mirrored"].pixels(painted(), drawn())[-1, :, :, 0]
    assert mirrored[30, 44] < 60 and mirrored[30, 34] > 180
    blank = KINDS["blank_marks"].pixels(painted(), drawn(1.0))[-1]
    assert np.ptp(blank[27:33, 33:37]) < 5 and blank[30, 35, 0] > 180
    hand = KINDS["covered"].pixels(painted(), drawn(0.0))[-1, 20:40, 30:50].reshape(-1, 3)
    assert len(np.unique(hand, axis=0)) == 1


def test_ghosting_shows_the_frame_before_but_in_the_last() -> None:
    frames = np.arange(N, dtype=np.uint8)[:, None, None, None] * np.full((1, 4, 4, 3), 20, np.uint8)
    found = KINDS["ghosting"].pixels(frames, drawn(1.0))
    assert found[3, 0, 0, 0] == 50 and found[-1, 0, 0, 0] == 140


def test_the_sheet_shows_every_kind() -> None:
    sheet = fault_sheet(scenes.load("die_roll"), n_columns=2, size_px=(60, 104))
    assert len(sheet) == len(KINDS) * 64
    rows = dict(zip(KINDS, sheet[:, 330:].reshape(len(KINDS), -1), strict=True))
    sound = rows["teleports"]  # which begins and ends as it should
    assert all(not np.array_equal(rows[name], sound) for name, kind in KINDS.items() if kind.reason is not None)
    with pytest.raises(ValueError, match="at least 2, got 1"):
        fault_sheet(scenes.load("die_roll"), n_columns=1)
    with pytest.raises(ValueError, match=r"lie in \[0, 1\], got 2"):
        fault_sheet(scenes.load("die_roll"), strength=2)


def test_counts_of_a_judge_add_up(random_weights) -> None:
    found = measured(random_weights, scenes.load("die_roll"), n=1)
    assert set(found) == set(KINDS)
    assert all(row["n"] == 1 == sum(row["said"].values()) and 0 <= row["right"] <= 1 for row in found.values())
    assert all(0 <= row["interval"]["low"] <= row["interval"]["high"] <= 1 for row in found.values())


def test_the_command_writes_the_sheet(quincunx, tmp_path) -> None:
    code, said, _ = quincunx("faults", "--scene", "y_fork", "--out", tmp_path / "sheet.png", "--json")
    told = json.loads(said)
    assert code == 0 and (tmp_path / "sheet.png").stat().st_size > 10_000
    assert [kind["name"] for kind in told["kinds"]] == list(KINDS)
    assert quincunx("faults", "--scene", "pencil_fall@leaning_left")[0] == 2
