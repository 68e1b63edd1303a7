import numpy as np
import pytest
from scipy import stats as reference

from calibrate.stats.prediction_powered import prediction_powered_shares

BAD = np.array([[0.70, 0.20, 0.10], [0.05, 0.85, 0.10], [0.10, 0.10, 0.80]])


def drawn(truth, rates, n: int, rng) -> np.ndarray:
    return np.stack([rng.multinomial(m, row) for m, row in zip(rng.multinomial(n, truth), rates, strict=True)])


@pytest.mark.parametrize("rates", [BAD, np.eye(3), BAD[[1, 0, 2]]], ids=["bad", "perfect", "upside down"])
@pytest.mark.parametrize("truth", [(0.55, 0.35, 0.1), (0.8, 0.1, 0.1)])
@pytest.mark.parametrize(("n", "n_rest"), [(20, 30), (60, 240)])
def test_covers_the_truth_whatever_the_judge(rates, truth, n, n_rest) -> None:
    rng, trials, missed, middle = np.random.default_rng(4), 600, 0, []
    true = truth[0] / (truth[0] + truth[1])
    for _ in range(trials):
        labelled, rest = drawn(truth, rates, n, rng), drawn(truth, rates, n_rest, rng).sum(axis=0)
        share, ends = prediction_powered_shares(labelled, rest)[0]
        missed += not ends.low <= true <= ends.high
        middle.append(share)
    assert missed <= reference.binom(trials, 0.05).ppf(0.999)
    assert np.mean(middle) == pytest.approx(true, abs=0.02 if n == 60 else 0.04)  # a ratio, cut off at 1


def test_many_judged_clips_narrow_the_interval_of_few_labels() -> None:
    labelled = [[9, 0, 0], [0, 9, 0], [0, 0, 2]]
    widths = [prediction_powered_shares(labelled, [5 * m, 5 * m, m])[0][1] for m in (2, 200)]
    assert widths[1].high - widths[1].low < 0.7 * (widths[0].high - widths[0].low)


def test_without_errors_the_shares_are_those_of_the_rest() -> None:
    found = prediction_powered_shares([[20, 0, 0], [0, 10, 0], [0, 0, 0]], [60, 20, 20])
    assert [share for share, _ in found] == pytest.approx([0.75, 0.25])


def test_too_little_says_nothing() -> None:
    assert prediction_powered_shares([[1, 0, 0], [0, 0, 0], [0, 0, 0]], [5, 5, 0]) is None
    assert prediction_powered_shares([[9, 0, 0], [0, 9, 0], [0, 0, 0]], [0, 0, 0]) is None
    assert prediction_powered_shares([[0, 0, 0], [0, 0, 0], [0, 0, 9]], [0, 0, 9]) is None
