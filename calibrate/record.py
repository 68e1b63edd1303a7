"""What was measured, and everything that is needed to recompute it?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from sim import InputError, QuincunxError

from . import anytime
from .alignment import Alignment
from .anytime import Anytime
from .clip_row import ClipRow
from .conclusion import Finding
from .corrected import Corrected
from .output_file import write_whole
from .record_check import check_record, strict_json
from .support import Support

FORMAT = 2
"""Raised by every change of the file's meaning: since 2 a reference may be a set, and `tv` is its nearest point's."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The numbers of one scene and one model; a pair of numbers is an interval's low and high end."""

    model: str
    scene: str
    variant: str | None
    requested: int
    """scored + null + unreadable + judge_error + refused + missing."""
    scored: int
    null: Mapping[str, int]
    unreadable: Mapping[str, int]
    judge_error: int
    refused: int
    missing: int
    missing_reasons: Mapping[str, int]
    n_distinct: int
    """Scored clips whose files differ from one another."""
    seeds: str
    """Which seeds the manifest records: `none`, `some`, `shared` or `per_clip`."""
    counts: Mapping[str, int]
    scorability: float
    """scored / requested."""
    scorability_interval: tuple[float, float]
    """95 % Clopper-Pearson, which always covers at least that."""
    scorability_wilson: tuple[float, float]
    """95 % Wilson: shorter, and 95 % only on average."""
    shares: Mapping[str, Mapping[str, float | None]]
    """Outcome -> `reference`, in a set that of all draws of the unknown constants together; `reference_low` and
    `reference_high`, its range in the set; `nearest`, that of the nearest point; `share` of the scored clips with `low`
    and `high` (95 % Clopper-Pearson, for this outcome alone), `low_together` and `high_together` (95 % Goodman, for all
    outcomes at once); `least` and `most`, bounds of the share of all requested clips, whatever the others showed."""
    impossible: Mapping[str, int]
    """Outcomes that the reference never gave, with how many clips showed them."""
    reference_kind: Literal["set", "point"]
    """Whether the reference is every mixture of its draws of the unknown constants, and of two engines where these
    differ, or one distribution."""
    reference_note: str
    """Which draws and engines make the set, or why there is none."""
    tv: float | None
    """Total variation between the shares of the scored clips and the reference; of a set, its nearest point."""
    tv_point: float | None
    """The same from `reference` in `shares`, one point whatever the kind."""
    tv_interval: tuple[float, float] | None
    """95 %, see calibrate.stats.tv_interval and hull_interval."""
    tv_bounds: tuple[float, float]
    """Lowest and highest `tv` of all requested clips, whatever the unscored ones showed."""
    tv_expected: float | None
    """What a faithful model, one that draws from the nearest point, is on average away from it at this number of
    scored clips."""
    excess: float | None
    """(tv - tv_expected) / (1 - tv_expected); 0 on average for a faithful model, less inside a set."""
    p: float | None
    """How often a faithful model is at least this far away; for a set the largest over its points."""
    p_method: str
    p_holm: float | None
    """p adjusted for all cells of the record that were tested, by Holm: for a claim about this cell."""
    q: float | None
    """The same by Benjamini and Hochberg: for screening, since of the cells with q below 0.05 at most
    one in twenty is a false alarm, on average."""
    margin: float
    """Total variation within which the cell counts as calibrated."""
    p_equivalence: float | None
    """p of "the model is the margin or more away", of a set from its pooled point, see calibrate.distance."""
    p_equivalence_holm: float | None
    """The same adjusted for all cells of the record that were tested."""
    finding: Finding
    detectable_tv: float | None
    """Where one cannot tell: the least total variation that so many scored clips find with a power of 0.8, whichever of
    three ways the model is off (calibrate.stats.power.departure); None if they find none surely."""
    more_clips: int | None
    """Where one cannot tell: further clips, at this scorability, that would show with a power of 0.8 that a faithful
    model is within the margin; None if that takes more than 20,000."""
    why_undefined: str | None
    """Why the figures that are None have no value."""
    corrected: Corrected | None = None
    """The same with the judge's measured error carried through; None without a card's confusion or a scored clip."""
    n_independent: float | None = None
    """Where clips of the cell hang together (a group, a seed, copies): so many independent ones they are worth.
    `tv_interval`, `tv_expected`, `excess` and every p are then those of so many; None if nothing says that they do."""
    prediction_powered: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Outcome -> `share`, `low` and `high` (95 %) from audit labels and the judge's verdicts of the other clips
    (calibrate.powered); empty without enough labels."""
    anchors: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    """Where other models lie on this scale, see calibrate.anchors; empty in a record of before they were kept."""
    null_warning: str | None = None
    """Said if one outcome is likelier to be read as null than another, so that the scored clips are no fair sample."""
    support: Support | None = None
    """Which outcomes it shows and which it may have missed by chance; None in a record of before it was kept."""
    anytime: Anytime | None = None
    """Figures that hold at every number of clips; None without scored clips, or in a record of before it was kept."""

    @property
    def token(self) -> str:
        """Scene token."""
        return self.scene if self.variant is None else f"{self.scene}@{self.variant}"


@dataclass(frozen=True, kw_only=True)
class Record:
    """The result of scoring a study."""

    quincunx: str
    """Version that wrote the record."""
    study: str
    """The study's folder or file of verdicts, relative to the record."""
    seed: int
    """Seed of every Monte Carlo draw in the record."""
    judge: Mapping[str, Any]
    """`digest`, `kind`, and `card`: what the judge's card says per scene, or None."""
    references: Mapping[str, Mapping[str, Any]]
    """Scene token -> counts and provenance of the reference."""
    cells: tuple[Cell, ...]
    clips: tuple[ClipRow, ...]
    unmatched: tuple[Mapping[str, str | None], ...] = ()
    """Files that belong to no cell: `file`, `why`, `nearest`."""
    warnings: tuple[str, ...] = ()
    run_cards: Mapping[str, Any] = field(default_factory=dict)
    alignments: tuple[Alignment, ...] = ()
    """For every model with clips of a scene and of its variant: whether it moves as the reference does."""
    people: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """`audit` and `doubtful`, where people have labelled clips: how far the judge agrees with them."""

    @property
    def n_scored(self) -> int:
        """Clips with an outcome; 0 makes the command exit with 3."""
        return sum(cell.scored for cell in self.cells)

    def unmatched_lines(self, *, most_files: int = 3) -> list[str]:
        """Lines for people about the files that belong to no cell; many files with one reason share a line."""
        files: dict[tuple[str, str | None], list[str]] = {}
        for row in self.unmatched:
            files.setdefault((str(row["why"]), row["nearest"]), []).append(str(row["file"]))
        lines = []
        for (why, nearest), named in files.items():
            more = f" and {len(named) - most_files} more" if len(named) > most_files else ""
            lines.append(f"{', '.join(named[:most_files])}{more}: {why}" + (f"; nearest: {nearest}" if nearest else ""))
        return lines

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {"format": FORMAT, **asdict(self)}

    @staticmethod
    def from_json(data: Any, *, origin: Path | str = "this record") -> Record:
        """The record that `to_json` wrote.

        Args:
            data: The dictionary.
            origin: Where it came from, for messages.

        Raises:
            InputError: It has another format, or was edited so that its parts do not fit each other.
        """
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, Mapping) else None
            raise InputError(f"this is no record of format {FORMAT} (it says {str(found)[:40]}); score the study again")
        try:
            record = Record._built(data)
            check_record(record)
        except (
            QuincunxError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ) as e:
            why = f"it lacks {e}" if isinstance(e, KeyError) else " ".join(str(e).split())[:200]
            raise InputError(f"{origin} was edited or is damaged ({why}); score again") from e
        return record

    @staticmethod
    def _built(data: Mapping[str, Any]) -> Record:
        fields = {k: v for k, v in data.items() if k != "format"}
        pairs = ("scorability_interval", "scorability_wilson", "tv_interval", "tv_bounds")
        cells = [{**c, **{k: None if c[k] is None else tuple(c[k]) for k in pairs}} for c in fields["cells"]]
        cells = [{**c, "corrected": Corrected.from_json(c["corrected"])} if c.get("corrected") else c for c in cells]
        return Record(
            **{
                **fields,
                "cells": tuple(Cell(**{**c, **_parts(c)}) for c in cells),
                "clips": tuple(ClipRow(**c) for c in fields["clips"]),
                "unmatched": tuple(fields["unmatched"]),
                "warnings": tuple(fields["warnings"]),
                "alignments": tuple(Alignment.from_json(pair) for pair in fields.get("alignments", ())),
            }
        )

    @staticmethod
    def read(path: Path | str) -> Record:
        """The record in a file.

        Raises:
            InputError: The file is not there, is not JSON, has another format, or was edited.
        """
        try:
            if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
                raise OSError(0, "a pipe or a device")
            data = strict_json(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror}); give the record that `score` wrote") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is not a record: {error}; give what `score` wrote, or score again") from error
        return Record.from_json(data, origin=path)

    def write(self, path: Path | str) -> None:
        """Write the record; a file that is there is replaced in one step."""
        text = json.dumps(self.to_json(), ensure_ascii=False, allow_nan=False, indent=1)
        write_whole(Path(path), text + "\n")


def _parts(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The records within a cell's dictionary."""
    support = None if cell.get("support") is None else Support(**cell["support"])
    return {"support": support, "anytime": anytime.from_json(cell.get("anytime"))}
