"""How is a record written as a folder that a hub takes as a data set?

The folder holds `README.md` with a YAML header that names the tables as configurations, `clips.jsonl`, `cells.jsonl`,
`outcomes.jsonl`, and the record itself; if asked for, the clips in `videos/` with a `metadata.jsonl`. That folder is a
data set of its own, which can be scored again: a hub reads every configuration of one data set with one reader, that of
the tables.

References:
    Hugging Face Hub, "Data files configuration" and "Dataset cards"; Datasets, "Create a video dataset".
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from sim import InputError
from sim.clip import whole_file

from .columns import TABLES, columns, rows
from .output_file import write_whole
from .record import Record
from .study_files import is_inside, is_regular
from .table_files import write_table

VIDEOS = "videos"


def write_data_set(record: Record, origin: Path, out: Path, *, videos: bool = False) -> None:
    """Write the folder, which must not exist or be empty.

    Args:
        record: What to write.
        origin: The record's file; the study's folder is named relative to it.
        out: The folder.
        videos: Whether to copy the clips.

    Raises:
        InputError: The folder is not empty or cannot be written, or the clips are not there.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is there already and not empty; choose another --to")
    study = origin.resolve().parent / record.study
    if videos and not study.is_dir():
        raise InputError(f"{record.study} is no folder of clips; leave out --videos")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be made ({error.strerror}); choose another --to") from error
    for table in TABLES:
        write_table(out / f"{table}.jsonl", rows(record, table), columns(table))
    record.write(out / "record.json")
    n_videos = _copy(record, study, out / VIDEOS) if videos else 0
    write_whole(out / "README.md", _card(record, n_videos))


def _copy(record: Record, study: Path, to: Path) -> int:
    """Copy every clip that lies in the study, as `<number>.<suffix>`; its own name stays in the metadata."""
    to.mkdir()
    told = []
    is_text = any(isinstance(clip.seed, str) for clip in record.clips)  # a column of a data set has one type
    for k, clip in enumerate(record.clips):
        if clip.file is None or not is_regular(study / clip.file) or not is_inside(study / clip.file, study):
            continue
        name = f"{k:06d}{Path(clip.file).suffix.lower()}"
        with whole_file(to / name) as part:
            shutil.copyfile(study / clip.file, part)
        row: dict[str, Any] = {"file_name": name, "model": clip.model, "scene": clip.scene, "original": clip.file}
        told.append(row | {"outcome": clip.outcome, "verdict": clip.status, "reason": clip.reason})
        told[-1]["seed"] = str(clip.seed) if is_text and clip.seed is not None else clip.seed
    write_whole(to / "metadata.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in told))
    return len(told)


def _card(record: Record, n_videos: int) -> str:
    configs = [{"config_name": table, "data_files": f"{table}.jsonl"} for table in TABLES]
    size = "n<1K" if len(record.clips) < 1000 else "1K<n<10K" if len(record.clips) < 10_000 else "10K<n<100K"
    header: dict[str, Any] = {
        "pretty_name": "Outcomes of chance events in generated videos",
        "tags": ["video-generation", "calibration", "evaluation"],
        "size_categories": [size],
        "configs": configs,
    }
    # JSON is YAML, and json.dumps quotes whatever a name may hold
    lines = [f"{key}: {json.dumps(value, ensure_ascii=True)}" for key, value in header.items()]
    text = "---\n" + "\n".join(lines) + "\n---\n\n# Outcomes of chance events in generated videos\n\n"
    text += f"Written by quincunx {record.quincunx}: {len(record.clips)} clips, {len(record.cells)} cells.\n"
    if n_videos:
        text += f"\n`{VIDEOS}/` holds {n_videos} of them, a data set of its own: `load_dataset(\"videofolder\", "
        text += f'data_dir="{VIDEOS}")`.\n'
    for table in TABLES:
        text += f"\n## `{table}`\n\n| column | kind | what it says |\n|---|---|---|\n"
        text += "".join(f"| `{c.name}` | {c.kind} | {c.about.replace('|', '/')} |\n" for c in columns(table))
    return text
