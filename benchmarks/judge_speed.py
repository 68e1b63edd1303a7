"""How long does judging take, against decoding and resizing the same clips once, in one run on one machine?

    python -m benchmarks.judge_speed --json

The clips are the shipped source picture of a scene with something that moves over it: 5 s of 1280 x 720 at 24 frames/s.
Most of each picture stands still, which is the cheapest to decode, so that generated clips make the ratio smaller.

- `baseline`: PyAV decodes every frame to RGB, OpenCV reduces it to the side that the judge keeps;
- `decode`: `judge.intake.read` as the judge calls it: all frames checked, eight of them converted;
- `network`: `judge.reader.read_frames` on those eight;
- `judge`: a verdict, from the file on.

All four take turns on each clip, in several rounds; medians are reported, of time on the clock and of processor time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import scenes
from sim.clip import write_clip

SIZE_PX = (720, 1280)
DURATION_S, FPS = 5.0, 24.0
STAGES = ("baseline", "decode", "network", "judge")
_MOVER_PX = 60


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """Median time of one clip."""

    clock_s: float
    processor_s: float
    """Of all threads, those of the process that decodes for the judge too."""


@dataclass(frozen=True, kw_only=True)
class JudgeSpeed:
    """How long each stage takes."""

    n_clips: int
    n_rounds: int
    stages: dict[str, Seconds]
    """STAGES -> time of one clip."""

    @property
    def judge_over_decode(self) -> float:
        """Time of a verdict over that of the baseline, on the clock."""
        return self.stages["judge"].clock_s / self.stages["baseline"].clock_s

    @property
    def processor_ratio(self) -> float:
        """The same in processor time, which other work on the machine does not lengthen."""
        return self.stages["judge"].processor_s / self.stages["baseline"].processor_s

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "judge_over_decode": self.judge_over_decode,
            "judge_over_decode_processor": self.processor_ratio,
            "clips_per_s": {name: 1 / stage.clock_s for name, stage in self.stages.items()},
            "clips_per_processor_s": {name: 1 / stage.processor_s for name, stage in self.stages.items()},
            "seconds": {name: vars(stage) for name, stage in self.stages.items()},
            "clips": self.n_clips,
            "rounds": self.n_rounds,
            "clip": f"{DURATION_S:g} s, {SIZE_PX[1]}x{SIZE_PX[0]}, {FPS:g} frames/s, H.264",
        }


def films(
    scene: str, n: int, *, size_px: tuple[int, int] = SIZE_PX, duration_s: float = DURATION_S
) -> Iterator[np.ndarray]:
    """Films (T, H, W, 3) uint8: a disc falls and rolls over the scene's source picture, another way in each of n."""
    import cv2

    picture = cv2.imread(str(scenes.source_image(scene)))
    still = cv2.cvtColor(cv2.resize(picture, size_px[::-1], interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
    radius = max(2, size_px[0] * _MOVER_PX // (2 * SIZE_PX[0]))
    for k in range(n):
        frames = np.stack([still] * round(duration_s * FPS))
        for t, frame in enumerate(frames):
            share = t / len(frames)
            column = round(size_px[1] * (0.15 + (0.2 + 0.5 * (k + 1) / n) * share))
            row = round(size_px[0] * (0.8 - 0.6 * max(0.0, 1 - 3 * share) ** 2))
            cv2.circle(frame, (column, row), radius, (235, 235, 220), -1, cv2.LINE_AA)
        yield frames


def decode_and_resize(path: Path, side_px: int) -> int:
    """Every frame decoded and reduced once; how many there were."""
    import av
    import cv2

    n = 0
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"  # as the judge decodes
        for frame in container.decode(stream):
            pixels = frame.to_ndarray(format="rgb24")
            scale = min(1.0, side_px / max(pixels.shape[:2]))
            size = (round(pixels.shape[1] * scale), round(pixels.shape[0] * scale))
            cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
            n += 1
    return n


def judge_speed(files: Sequence[Path], scene: str, *, rounds: int, weights: Path | None = None) -> JudgeSpeed:
    """How long the judge takes for each of the files, by stage.

    Args:
        files: Clips that can be read.
        scene: Scene token that they are judged as.
        rounds: How often each file is measured; once more before, unmeasured.
        weights: Weights of the judge; the shipped ones if None.

    Raises:
        ValueError: There is no file or no round, or a file cannot be read.
    """
    if not files or rounds < 1:
        raise ValueError(f"give at least one file and one round, got {len(files)} and {rounds}")
    works = [_works(file, scene, weights) for file in files]
    taken: dict[str, list[tuple[float, float]]] = {stage: [] for stage in STAGES}
    for k in range(rounds + 1):
        for stages in works:
            for stage, work in stages.items():
                seconds = _taken(work)
                if k > 0:  # the first round fills caches
                    taken[stage].append(seconds)
    medians = {
        stage: Seconds(clock_s=statistics.median(c for c, _ in t), processor_s=statistics.median(p for _, p in t))
        for stage, t in taken.items()
    }
    return JudgeSpeed(n_clips=len(files), n_rounds=rounds, stages=medians)


def _works(file: Path, scene: str, weights: Path | None) -> dict[str, Callable[[], object]]:
    """STAGES -> what is done in it with the file."""
    from judge import load_judge
    from judge.intake import Sampled, read
    from judge.network_judge import SIDE_PX as SEEN_PX
    from judge.reader import read_frames
    from judge.views import look_times
    from judge.weights import SHIPPED, read_weights

    judge = load_judge(weights)
    network, settings = read_weights(SHIPPED if weights is None else weights)
    name = scene.partition("@")[0]
    clip = read(file, look_times, side_px=SEEN_PX)
    if not isinstance(clip, Sampled):
        raise ValueError(f"files must be clips that can be read, got {file}: {clip.detail}")
    frames, n_outcomes = clip.frames, len(settings.outcomes[name])
    return {
        "baseline": lambda: decode_and_resize(file, SEEN_PX),
        "decode": lambda: read(file, look_times, side_px=SEEN_PX),
        "network": lambda: read_frames(network, frames, name, n_outcomes),
        "judge": lambda: list(judge.verdicts([file], scene)),
    }


def _taken(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock and of the processor."""
    from judge.intake import processor_s

    clock, processor = time.perf_counter(), time.process_time() + processor_s()
    work()
    return time.perf_counter() - clock, time.process_time() + processor_s() - processor


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the speeds; as JSON with `--json`."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.judge_speed", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--scene", default="die_roll", help="scene whose picture the clips show")
    parser.add_argument("--clips", type=int, default=3, help="how many clips")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--weights", type=Path, help="weights of another judge")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args(arguments)
    if chosen.clips < 1 or chosen.rounds < 1:
        parser.error("--clips and --rounds must be at least 1")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{k}.mp4") for k in range(chosen.clips)]
        for file, frames in zip(files, films(chosen.scene, chosen.clips), strict=True):
            write_clip(file, frames, fps=FPS)
        found = judge_speed(files, chosen.scene, rounds=chosen.rounds, weights=chosen.weights)
    if chosen.json:
        print(json.dumps(found.to_json(), indent=1))
        return
    for name, stage in found.stages.items():
        print(f"{name:9s} {1 / stage.clock_s:7.2f} clips/s  ({stage.processor_s:.3f} s of the processor a clip)")
    ratios = (
        f"{found.judge_over_decode:.2f} times the baseline on the clock, {found.processor_ratio:.2f} in processor time"
    )
    print(f"a verdict takes {ratios}")


if __name__ == "__main__":
    main()
