"""What is wrong with a study before it is judged, in one line each, and what mends it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import scenes
from judge.intake import Unreadable

from .clip_facts import ClipFacts
from .clip_row import ClipRow
from .prompts import PLAIN, own_hash, prompt_hash, variant_on
from .run_card import RECORDED, RUN_CARD
from .study_clip import Clip
from .study_files import Unmatched

MOST_SHORT = 0.02
"""A clip may be shorter than its scene by this share and one frame."""
_MOST_FILES = 3
_CURES = {
    "empty_file": "make or copy it again",
    "not_a_video": "save it as mp4 (H.264)",
    "no_video_stream": "save it as mp4 (H.264)",
    "damaged": "make or copy it again",
    "too_short": "make it longer",
    "over_limit": "make it smaller or shorter",
}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing to look at."""

    kind: str
    """`missing`, `refused`, `extra`, `unreadable`, `duplicates`, `near_duplicates`, `too_short`, `mixed`,
    `first_frame`, `shared_seed`, `verdicts`, `other_prompt` or `not_recorded`."""
    model: str | None
    """None if it belongs to no model."""
    scene: str | None
    """Scene token; None if it belongs to no scene or to several."""
    files: tuple[str, ...]
    line: str
    """What was found."""
    cure: str

    @property
    def told(self) -> str:
        """One line for people."""
        where = " / ".join(part for part in (self.model, self.scene) if part is not None)
        return f"{where}: {self.line}; {self.cure}" if where else f"{self.line}; {self.cure}"


def named(files: Sequence[str]) -> str:
    """The first few files, and how many more."""
    more = f" and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    return ", ".join(files[:_MOST_FILES]) + more


def is_short(facts: ClipFacts, duration_s: float) -> bool:
    """Whether the clip ends before its scene is over."""
    return facts.shown_s < (1 - MOST_SHORT) * duration_s - facts.shown_s / facts.n_frames


def cell_findings(
    clips: Sequence[Clip], facts: Mapping[str, ClipFacts | Unreadable], seeds: str, *, duration_s: float
) -> Iterator[Finding]:
    """What is to be said of the clips of one model and scene.

    Args:
        clips: The clips of the cell, at least one.
        facts: File -> what is known of it.
        seeds: What `cell.seeds_recorded` says.
        duration_s: How long the scene lasts.
    """
    about: dict[str, Any] = {"model": clips[0].model, "scene": clips[0].scene}
    n = len(clips)
    for status in ("missing", "refused"):
        lost = [clip for clip in clips if clip.status == status]
        if lost:
            reasons = Counter(clip.detail or "refused" for clip in lost)
            why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
            files = tuple(clip.asked_file for clip in lost if clip.asked_file is not None)
            cure = "make them, or they are counted as missing" if status == "missing" else "they stay in the sum"
            yield Finding(
                kind=status, files=files, line=f"{len(lost)} of {n} clips are {status} ({why})", cure=cure, **about
            )
    yield from _unreadable(facts, about, [clip.file for clip in clips if clip.file is not None])
    read = {c.file: f for c in clips if c.file is not None and isinstance(f := facts[c.file], ClipFacts)}
    short = {file: f for file, f in read.items() if is_short(f, duration_s)}
    if short:
        shown = [f.shown_s for f in short.values()]
        line = f"{len(short)} of {n} clips last {_span(shown)} s, the scene {duration_s:g} s: {named(list(short))}"
        cure = f"make clips of {duration_s:g} s or more, or the outcome may not be seen"
        yield Finding(kind="too_short", files=tuple(short), line=line, cure=cure, **about)
    yield from _mixed(read, about)
    yield from _first_frames(read, about, n)
    if seeds == "shared":
        cure = "give each clip a seed of its own, or they are copies"
        yield Finding(kind="shared_seed", files=(), line="several clips have the same seed", cure=cure, **about)


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.2f}" if high - low < 0.005 else f"{low:.2f} to {high:.2f}"


def _unreadable(
    facts: Mapping[str, ClipFacts | Unreadable], about: Mapping[str, Any], files: Sequence[str]
) -> Iterator[Finding]:
    by_reason: dict[str, list[tuple[str, str]]] = {}
    for file in files:
        if isinstance(fault := facts[file], Unreadable):
            by_reason.setdefault(fault.reason, []).append((file, fault.detail))
    for reason, found in sorted(by_reason.items()):
        bad = [file for file, _ in found]
        line = f"{len(bad)} of {len(files)} files cannot be read, {reason}: {named(bad)} ({found[0][1]})"
        yield Finding(kind="unreadable", files=tuple(bad), line=line, cure=_CURES[reason], **about)


def _mixed(read: Mapping[str, ClipFacts], about: Mapping[str, Any]) -> Iterator[Finding]:
    sizes = Counter(size_name(f) for f in read.values())
    rates = Counter(rate_name(f) for f in read.values())
    for what, counts in (("sizes", sizes), ("frame rates", rates)):
        if len(counts) > 1:
            common, _ = counts.most_common(1)[0]
            name = size_name if what == "sizes" else rate_name
            odd = tuple(file for file, f in read.items() if name(f) != common)
            line = f"{len(counts)} {what}: " + ", ".join(f"{v} ({c} clips)" for v, c in counts.most_common(_MOST_FILES))
            cure = "if they were made with other settings, they are another model: move them to a folder of their own"
            yield Finding(kind="mixed", files=odd, line=f"{line}; look at {named(odd)}", cure=cure, **about)


def _first_frames(read: Mapping[str, ClipFacts], about: Mapping[str, Any], n: int) -> Iterator[Finding]:
    off = {file: f.drift.faults for file, f in read.items() if f.drift is not None and f.drift.faults}
    if off:
        first, faults = next(iter(off.items()))
        line = f"{len(off)} of {n} first frames are not the source picture, as {first}: {', '.join(faults)}"
        cure = "start from the kit's picture, and neither crop nor pad it"
        yield Finding(kind="first_frame", files=tuple(off), line=line, cure=cure, **about)


def size_name(facts: ClipFacts) -> str:
    """Width x height."""
    return f"{facts.size_px[1]}x{facts.size_px[0]}"


def rate_name(facts: ClipFacts) -> str:
    """Frames a second, to a tenth."""
    return f"{facts.fps:.1f}".removesuffix(".0") + " fps"


def copies(groups: Sequence[Sequence[str]], kind: str) -> Iterator[Finding]:
    """What is to be said of files that are the same.

    Args:
        groups: Files that are the same.
        kind: `duplicates` (byte for byte) or `near_duplicates` (to the eye).
    """
    exact = kind == "duplicates"
    what = "are the same file, byte for byte" if exact else "show the same to the eye"
    cure = (
        "keep one, and make the others with seeds of their own" if exact else "look at them, and keep one of each film"
    )
    for files in groups:
        line = f"{len(files)} clips {what}: {named(files)}"
        yield Finding(kind=kind, model=None, scene=None, files=tuple(files), line=line, cure=cure)


def strays(unmatched: Sequence[Unmatched]) -> Iterator[Finding]:
    """What is to be said of files that belong to no cell."""
    by_why: dict[tuple[str, bool], list[Unmatched]] = {}
    for stray in unmatched:
        by_why.setdefault((stray.why, stray.nearest is not None), []).append(stray)
    for (why, has_name), rows in by_why.items():
        files = [row.file for row in rows]
        cure = f"rename, for example to {rows[0].nearest}" if has_name else "it is not scored; move or mend it"
        line = f"{named(files)}: {why}"
        yield Finding(kind="extra", model=None, scene=None, files=tuple(files), line=line, cure=cure)


def verdicts_there(rows: Sequence[ClipRow], beside_clips: bool) -> Iterator[Finding]:
    """What is to be said of verdicts that a folder holds already."""
    if rows:
        cells = {(row.model, row.scene) for row in rows}
        line = f"{len(rows)} verdicts of {len(cells)} cells are there already"
        cure = "score --verdicts takes them" + (", else the clips are judged" if beside_clips else ", without a judge")
        yield Finding(kind="verdicts", model=None, scene=None, files=(), line=line, cure=cure)


def not_recorded(model: str, card: Mapping[str, Any] | None) -> Iterator[Finding]:
    """What is to be said of a run card (`RunCard.to_json`), or of none."""
    empty = [name for name in RECORDED if card is None or card["rest"].get(name) in (None, "")]
    if card is None:
        line, cure = f"it has no {RUN_CARD}: how its clips were made is not recorded", "fill in the one of the kit"
    elif empty:
        line, cure = f"its {RUN_CARD} does not record {', '.join(empty)}", "fill it in"
    else:
        return
    yield Finding(kind="not_recorded", model=model, scene=None, files=(), line=line, cure=cure)


def other_prompts(model: str, clips: Sequence[Clip], card: Mapping[str, Any] | None) -> Iterator[Finding]:
    """What is to be said of prompts that are not the scenes' own, where the run card does not tell that they are not.

    Args:
        model: The model.
        clips: Its clips.
        card: Its run card (`RunCard.to_json`), or None.
    """
    known = [clip for clip in clips if prompt_hash(clip.prompt) is not None]
    other = [clip for clip in known if prompt_hash(clip.prompt) != own_hash(clip.scene)]
    if other and variant_on(card) in (None, PLAIN):
        files = tuple(clip.asked_file for clip in other if clip.asked_file is not None)
        line = f"{len(other)} of {len(known)} prompts are not the scene's own: {named(files)}"
        cure = f"say in prompt_variant of {RUN_CARD} what changed them; with both kinds they are two models"
        yield Finding(kind="other_prompt", model=model, scene=None, files=files, line=line, cure=cure)


def duration_of(token: str) -> float:
    """How long the scene of a token lasts, in seconds."""
    return scenes.parse_token(token)[0].duration_s
