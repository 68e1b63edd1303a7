"""How does the whole way from a scene to a report look, on models whose faults are known?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scenes
from judge.judge import Judge

from .record import Record
from .report import write_report
from .score import score_study
from .standin_clips import write_standins
from .standins import MODELS

if TYPE_CHECKING:
    from sim.reference import Comparison

SCENES = ("die_roll", "coin_toss", "galton_board", "roulette", "pencil_fall", "y_fork")
"""The scenes of the demo."""
CHECK_N, CHECK_SEED = 256, 40_961
"""Fresh rollouts behind the check of each shipped reference, and their seed."""
CHECK_LEVEL = 0.01
"""A shipped reference is in doubt if p is below this over the number of scenes (Bonferroni)."""

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, how much of it is done, how much there is)."""


@dataclass(frozen=True, kw_only=True)
class Demo:
    """What the demo made."""

    checks: Mapping[str, Comparison]
    """Scene -> a fresh small sample beside the shipped reference."""
    record: Record
    record_path: Path
    report: Path

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Scenes whose fresh sample does not fit the shipped reference."""
        return tuple(scene for scene, check in self.checks.items() if check.p < CHECK_LEVEL / len(self.checks))


def run_demo(
    out: Path | str,
    judge: Judge,
    *,
    card: Mapping[str, Any] | None = None,
    tokens: Sequence[str] = SCENES,
    models: Sequence[str] = MODELS,
    n_clips: int = 24,
    workers: int = 2,
    progress: Progress | None = None,
) -> Demo:
    """Check the references, write the source images, make the stand-in models, score them and write the report.

    All is written below `out`: `source_images/`, `study/`, `truth.csv`, `record.json`, `report.html`. A call that was
    interrupted goes on where it stopped.

    Args:
        out: Folder to write into.
        judge: Reads the clips.
        card: The judge's card, for the report.
        tokens: Scene tokens.
        models: Stand-in models.
        n_clips: Clips of each cell.
        workers: Processes that draw, and threads that judge.
        progress: Called as the work goes on.

    Raises:
        QuincunxError: Something that the demo needs is missing; the message holds the cure.
    """
    root = Path(out)
    checks = check_references(tokens, work=root / "checks", progress=_named(progress, "checking references"))
    _source_images(root / "source_images", tokens, _named(progress, "drawing source images"))
    step = _named(progress, "filming stand-in models")
    write_standins(root, tokens, models=models, n_clips=n_clips, workers=workers, progress=step)
    step = _named(progress, "judging clips")
    record_path = root / "record.json"
    record = score_study(root / "study", judge, out=record_path, seed=0, workers=workers, card=card, progress=step)
    report = write_report(record_path, root / "report.html")
    return Demo(checks=checks, record=record, record_path=record_path, report=report)


def check_references(
    tokens: Sequence[str], *, work: Path, n: int = CHECK_N, progress: Callable[[int, int], None] | None = None
) -> dict[str, Comparison]:
    """A fresh sample of n rollouts of each scene beside its shipped reference, tested for one common distribution.

    Args:
        tokens: Scene tokens.
        work: Folder for checkpoints, so that an interrupted check goes on.
        n: Fresh rollouts of each scene.
        progress: Called after every scene.
    """
    from sim.sampling import compare, sample

    checks = {}
    for done, token in enumerate(tokens, start=1):
        scene, variant = scenes.parse_token(token)
        work.mkdir(parents=True, exist_ok=True)
        fresh = sample(scene, variant=variant, n=n, seed=CHECK_SEED, checkpoint=work / f"{token}.json")
        checks[token] = compare(scenes.reference(token), fresh)
        if progress is not None:
            progress(done, len(tokens))
    return checks


def _source_images(folder: Path, tokens: Sequence[str], progress: Callable[[int, int], None]) -> None:
    from sim.footage import source_image, write_picture

    for done, token in enumerate(tokens, start=1):
        scene, variant = scenes.parse_token(token)
        path = folder / f"{token}.png"
        if not path.is_file():
            write_picture(path, source_image(scene, variant))
        progress(done, len(tokens))


def _named(progress: Progress | None, what: str) -> Callable[[int, int], None]:
    """The progress of one step."""

    def step(done: int, n: int) -> None:
        if progress is not None:
            progress(what, done, n)

    return step


def table(demo: Demo) -> list[list[str]]:
    """The result as rows of text: a header, then one row a scene, one column a model."""
    models = list(dict.fromkeys(cell.model for cell in demo.record.cells))
    models.sort(key=lambda model: MODELS.index(model) if model in MODELS else len(MODELS))
    rows = [["scene", "reference check", *models]]
    for token, check in demo.checks.items():
        row = [token, f"p = {check.p:.2f}"]
        for model in models:
            cell = next((c for c in demo.record.cells if (c.model, c.token) == (model, token)), None)
            if cell is None:
                row.append("not covered by the judge")
            elif cell.tv is None:
                row.append(f"nothing scored of {cell.requested}")
            else:
                finding = cell.finding.replace("_", " ")
                row.append(f"{finding}, TV {cell.tv:.2f}, {cell.scored} of {cell.requested} scored")
        rows.append(row)
    return rows
