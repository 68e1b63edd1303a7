"""What does the judge say of every clip, each of them looked at once?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import scenes
from judge.judge import Judge
from judge.verdict import Verdict

from .study_clip import Clip
from .study_files import as_text
from .verdict_log import Key, VerdictLog, content_hash

Progress = Callable[[int, int], None]
"""Called with (clips done, clips in all)."""


def verdicts_of(
    folder: Path, clips: Sequence[Clip], judge: Judge, log: VerdictLog, workers: int, progress: Progress | None
) -> tuple[dict[str, str], dict[tuple[str, str], Verdict]]:
    """File -> hash of its bytes, and (file, scene token) -> its verdict.

    Args:
        folder: The study's folder.
        clips: The clips to look at; those without a file are passed over.
        judge: Gives the verdicts.
        log: What is known already; every new verdict is written to it at once.
        workers: Threads that judge.
        progress: Called after every clip.
    """
    digest = judge.digest
    hashes: dict[str, str] = {}
    verdicts: dict[tuple[str, str], Verdict] = {}
    first: dict[Key, str] = {}
    for clip in clips:
        if clip.file is None:
            continue
        try:
            hashes[clip.file] = content_hash(folder / clip.file)
            first.setdefault(Key(hashes[clip.file], clip.scene, digest), clip.file)
        except OSError as error:
            verdicts[clip.file, clip.scene] = _failure(clip.scene, digest, f"cannot be opened: {error.strerror}")
    found = {key: v for key, v in log.known.items() if key in first and v.status != "judge_error"}
    import cv2  # noqa: F401 it cannot be loaded by two threads at once

    with ThreadPoolExecutor(max_workers=workers) as pool:
        jobs = {pool.submit(_judged, judge, folder / f, k): k for k, f in first.items() if k not in found}
        done = len(first) - len(jobs)
        for job in as_completed(jobs):
            found[jobs[job]] = job.result()
            log.append(jobs[job].sha256, job.result())
            done += 1
            if progress is not None:
                progress(done, len(first))
    for clip in clips:
        if clip.file in hashes:
            verdicts[clip.file, clip.scene] = found[Key(hashes[clip.file], clip.scene, digest)]
    return hashes, verdicts


def _judged(judge: Judge, file: Path, key: Key) -> Verdict:
    """The judge's verdict; whatever goes wrong is a judge error."""
    try:
        verdict = next(iter(judge.verdicts([file], key.token)))
    except Exception as error:  # noqa: BLE001 a judge may be anybody's code, and no clip may be lost
        return _failure(key.token, key.judge, f"{type(error).__name__}: {error}")
    scene, _ = scenes.parse_token(key.token)
    if verdict.judge != key.judge or verdict.scene != key.token:
        return _failure(key.token, key.judge, f"the verdict is of {verdict.scene} by {verdict.judge}")
    if verdict.outcome is not None and verdict.outcome not in scene.outcomes:
        return _failure(key.token, key.judge, f"the judge gave {verdict.outcome!r}, which is no outcome of the scene")
    numbers = [*(verdict.probabilities or {}).values(), *([] if verdict.confidence is None else [verdict.confidence])]
    if not all(math.isfinite(number) for number in numbers):
        return _failure(key.token, key.judge, "the judge gave a probability that is not a number")
    return verdict


def _failure(token: str, digest: str, detail: str) -> Verdict:
    line = as_text(" ".join(detail.split())[:200])
    return Verdict(scene=token, status="judge_error", detail=line, judge=digest)
