from dataclasses import replace

import numpy as np
import pytest

import scenes
from sim import EngineError, film
from sim.film import films
from sim.render import Studio
from sim.rollout import Rollout, simulate

SMALL = (48, 64)


@pytest.fixture(scope="module")
def coin():
    return scenes.load("coin_toss")


@pytest.mark.parametrize(("size_px", "fps"), [(SMALL, 8), ((36, 30), 4)])
def test_films_are_the_rollouts_of_their_indices(coin, size_px, fps):
    """S23: drawing, and the size of the picture, must not touch the random numbers."""
    indices = [3, 0]
    shown = list(films(coin, seed=5, indices=indices, size_px=size_px, fps=fps))
    early = list(simulate(coin, seed=5, indices=indices))
    assert [(f.index, f.outcome, f.null) for f in shown] == [(r.index, r.outcome, r.null) for r in early]
    assert {f.frames.shape for f in shown} == {(round(coin.duration_s * fps), *size_px, 3)}
    assert (shown[0].frames[0] != shown[0].frames[-1]).any()


def test_a_film_does_not_depend_on_its_neighbours(coin):
    alone = list(films(coin, seed=5, indices=[2], size_px=SMALL, fps=8))
    among = list(films(coin, seed=5, indices=[0, 2], size_px=SMALL, fps=8))
    np.testing.assert_array_equal(alone[0].frames, among[1].frames)


def test_leaving_early_frees_the_renderer(coin):
    taken = films(coin, seed=5, indices=range(5), size_px=SMALL, fps=8)
    next(taken)
    taken.close()
    with Studio(coin, size_px=SMALL):
        pass


def test_a_failed_rollout_is_drawn_and_named(ball):
    (fault,) = films(ball, seed=1, indices=[0], size_px=SMALL, fps=8)
    assert fault.failed is None
    wrong = replace(ball, settings={"fault": "fast"})
    (fault,) = films(wrong, seed=1, indices=[0], size_px=SMALL, fps=8)
    assert (fault.outcome, fault.null, fault.failed) == (None, None, "left_the_scene")
    assert fault.frames.shape == (3, *SMALL, 3)


def test_a_rollout_without_a_record_is_an_error(coin, monkeypatch):
    def unrecorded(scene, *, indices, **options):
        return (Rollout(index=index, failed="engine_warning") for index in indices)

    monkeypatch.setattr(film, "simulate", unrecorded)
    with pytest.raises(EngineError, match="coin_toss, seed 5, index 7: nothing was recorded"):
        list(films(coin, seed=5, indices=[7], size_px=SMALL, fps=8))
