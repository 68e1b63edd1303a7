"""Which verdicts are there already, whoever gave them: a CSV, CaliBench's `*_bins.json`, PAWBench's `rows.jsonl`?"""

from __future__ import annotations

import hashlib
from pathlib import Path

from calibrate.clip_row import ClipRow
from calibrate.study_files import Unmatched, find_files
from calibrate.verdicts_csv import read_verdicts
from sim import InputError

from .calibench import BINS, read_bins
from .pawbench import ROWS, read_rows


def find_tables(folder: Path) -> tuple[list[str], list[str], list[Unmatched]]:
    """Bins files, tables of rows, and entries that are refused, as links that lead outside."""
    found = find_files(folder)
    bins = [file for file in found.others if file.endswith(BINS)]
    rows = [file for file in found.others if file.rpartition("/")[2] == ROWS]
    return bins, rows, [u for u in found.refused if u.file.endswith((BINS, ROWS))]


def is_table(path: Path) -> bool:
    """Whether `read_tables` reads what has such a name."""
    return path.suffix.lower() in (".csv", ".jsonl") or path.name.endswith(BINS) or path.is_dir()


def holds_only_tables(folder: Path) -> bool:
    """Whether verdicts are there and no clip is."""
    bins, rows, _ = find_tables(folder)
    return bool(bins or rows) and not find_files(folder).videos


def verdicts_in(folder: Path) -> tuple[list[ClipRow], list[Unmatched]]:
    """The verdicts that a folder holds, and those that match no scene; none if it has no table.

    Raises:
        InputError: There are tables of two kinds, or one is not valid.
    """
    bins, rows, refused = find_tables(folder)
    if not bins and not rows:
        return [], refused
    found, unmatched, _ = read_tables(folder)
    return found, unmatched


def read_tables(path: Path) -> tuple[list[ClipRow], list[Unmatched], str]:
    """The rows, those that match no scene, and the digest of the tables.

    Args:
        path: A CSV (calibrate.verdicts_csv), a file of one of the other kinds, or a folder of files of one kind.

    Raises:
        InputError: There is no table, there are tables of two kinds, or one is not valid.
    """
    root, refused = path.parent, list[Unmatched]()
    if path.is_dir():
        root = path
        bins, rows, refused = find_tables(path)
    elif path.name.endswith(BINS) or path.suffix.lower() == ".jsonl":
        is_bins = path.name.endswith(BINS)
        bins, rows = ([path.name], []) if is_bins else ([], [path.name])
    else:
        return read_verdicts(path)
    if bins and rows:
        raise InputError(f"{path} holds {bins[0]} of CaliBench and {rows[0]} of PAWBench; give one of them alone")
    if not bins and not rows:
        raise InputError(f"{path} holds no verdicts: neither *{BINS} nor {ROWS}; give a CSV, or a folder that has some")
    digest = _digest(root, bins or rows)
    found, unmatched = read_bins(root, bins, digest) if bins else read_rows(root, rows, digest)
    return found, [*unmatched, *refused], digest


def _digest(root: Path, files: list[str]) -> str:
    """Of the names and contents of all tables."""
    total = hashlib.sha256()
    for file in files:
        try:
            content = (root / file).read_bytes()
        except OSError as error:
            raise InputError(f"{root / file} cannot be read ({error.strerror}); give a table of verdicts") from error
        total.update(hashlib.sha256(content).digest())
    return f"tables:{total.hexdigest()}"
