"""Does the judge, which has only ever seen drawn dice, read photographs of real ones?

Each crop (a die seen from above) becomes a short clip: the whole crop slides and spins into its place over a ground
that continues its border, then rests. The clips are written as mp4 files and go through the same judge as any user's
clip, as the scene `die_roll`. A null counts as not right; n is all crops. No photograph is used in training.

    python -m benchmarks.real_dice --data ../shared/data/real_dice --json
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim import InputError, QuincunxError

SCENE = "die_roll"
FPS = 16
MOVES_S = 0.8
RESTS_S = 0.7
SEED = 20
_BATCH = 50


@dataclass(frozen=True, kw_only=True)
class Crop:
    """One photograph."""

    file: Path
    face: int
    """Pips on the top face, as labelled by people."""


def read_labels(data: Path) -> list[Crop]:
    """The crops that `labels.csv` in the folder lists.

    Raises:
        InputError: The folder, the table or a picture is missing, or a label is no face of a die.
    """
    table = data / "labels.csv"
    if not table.is_file():
        raise InputError(f"{table} is not there; give the folder of the crops with --data")
    crops = []
    with table.open(newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            crop = Crop(file=data / row["file"], face=int(row["top_face"]))
            if not 1 <= crop.face <= 6:
                raise InputError(f"{table} labels {row['file']} as face {crop.face}; faces are 1 to 6")
            if not crop.file.is_file():
                raise InputError(f"{crop.file} is listed in {table} and is not there")
            crops.append(crop)
    if not crops:
        raise InputError(f"{table} lists no crop")
    return crops


def slide_in(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(T, H, W, 3) uint8 clip in which the picture (H, W, 3) slides and spins into place and rests for 0.7 s."""
    import cv2

    height, width = picture.shape[:2]
    heading, spin = rng.uniform(0, 2 * np.pi), rng.uniform(40, 200) * rng.choice([-1, 1])
    start = rng.uniform(0.3, 0.6) * width * np.array([np.cos(heading), np.sin(heading)])
    colour = np.median(picture[[0, -1]], axis=(0, 1)).astype(np.uint8)
    ground = cv2.GaussianBlur(np.full_like(picture, colour), (0, 0), 1)
    frames = []
    for k in range(round((MOVES_S + RESTS_S) * FPS) + 1):
        left = max(0.0, 1 - k / FPS / MOVES_S) ** 1.5
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), float(spin * left), 1.0)
        matrix[:, 2] += start * left
        moved = cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_LINEAR)
        inside = cv2.warpAffine(np.ones((height, width), np.float32), matrix, (width, height))[..., None]
        frame = moved + (1 - inside) * ground if left > 0 else picture
        blur = 1.2 * left  # a moving object is blurred
        frame = np.clip(frame, 0, 255).astype(np.uint8)
        frames.append(cv2.GaussianBlur(frame, (0, 0), blur) if blur > 0.1 else frame)
    return np.stack(frames)


def measure(data: Path, *, n: int | None = None, weights: Path | None = None) -> dict[str, Any]:
    """The judge's accuracy on all crops (or the first `n`), with a Clopper-Pearson interval at 95 %.

    Args:
        data: Folder with `labels.csv` and the crops.
        n: Number of crops; all of them if None.
        weights: Weights of another judge; the shipped one if None.

    Raises:
        InputError: The data are not there.
        PrerequisiteError: The judge is missing.
    """
    from calibrate.stats.clopper_pearson import clopper_pearson
    from judge import load_judge

    crops = read_labels(data)[:n]
    judge = load_judge(weights)
    right, nulls, confusion = 0, Counter[str](), Counter[str]()
    sure: list[tuple[float, bool]] = []
    for first in range(0, len(crops), _BATCH):
        some = crops[first : first + _BATCH]
        with tempfile.TemporaryDirectory() as folder:
            files = [_written(crop, Path(folder) / f"{first + k:05d}.mp4", first + k) for k, crop in enumerate(some)]
            for crop, verdict in zip(some, judge.verdicts(files, SCENE), strict=True):
                right += (is_right := verdict.outcome == f"face_{crop.face}")
                sure.append((-1.0 if verdict.outcome is None else verdict.confidence or 0.0, is_right))
                if verdict.outcome is None:
                    nulls[verdict.reason or verdict.status] += 1
                confusion[f"{crop.face} read as {verdict.outcome or verdict.reason or verdict.status}"] += 1
    bounds = clopper_pearson(right, len(crops))
    return {
        "n": len(crops),
        "right": right,
        "interval": [bounds.low, bounds.high],
        "accuracy": right / len(crops),
        "right_at_90_percent_cover": right_at_cover(sure, 0.9),
        "null": dict(nulls),
        "confusion": dict(sorted(confusion.items())),
        "judge": judge.digest,
    }


def right_at_cover(sure: Sequence[tuple[float, bool]], cover: float) -> float:
    """Share that is right among the surest verdicts, when the judge abstains from the rest.

    Args:
        sure: Confidence of each verdict and whether it is right; a null has less than any outcome. At least one.
        cover: Share of the verdicts that is kept, in (0, 1]; rounded up to whole verdicts. Of equally sure ones, those
            that are wrong are kept first, so that ties flatter nobody.

    References:
        Geifman and El-Yaniv, Selective classification for deep neural networks, NeurIPS 2017, eq. 1 and 2.
    """
    kept = sorted(sure, key=lambda one: (-one[0], one[1]))[: math.ceil(cover * len(sure) - 1e-9)]
    return sum(right for _, right in kept) / len(kept)


def _written(crop: Crop, path: Path, index: int) -> Path:
    import cv2

    from sim.clip import write_clip

    picture = cv2.imread(str(crop.file))
    if picture is None:
        raise InputError(f"{crop.file} is not a picture")
    even = picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2, ::-1]
    write_clip(path, slide_in(np.ascontiguousarray(even), np.random.default_rng([SEED, index])), fps=FPS, crf=23)
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark from the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_dice", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/real_dice"), help="folder of the crops")
    parser.add_argument("--n", type=int, default=None, help="only the first N crops")
    parser.add_argument("--weights", type=Path, default=None, help="weights of another judge")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args(arguments)
    try:
        figures = measure(chosen.data, n=chosen.n, weights=chosen.weights)
    except QuincunxError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    if chosen.json:
        sys.stdout.write(json.dumps(figures, allow_nan=False) + "\n")
    else:
        low, high = figures["interval"]
        sys.stdout.write(
            f"{figures['right']} of {figures['n']} real dice read correctly: {100 * figures['accuracy']:.1f} % "
            f"(95 % interval {100 * low:.1f} to {100 * high:.1f} %); nulls {figures['null'] or 'none'}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
