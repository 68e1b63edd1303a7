"""Which page shows a record to a person: self-contained, offline, under 10 MB?"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sim import NULL_REASONS

from . import alignment_view, anytime_view, people_view, run_card_view, scale_view, support_view
from . import report_view as view
from .audit import AUDIT_CLIPS, as_judged, audit_order, audited
from .clip_row import ClipRow
from .output_file import checked_output, write_whole
from .record import Cell, Record
from .study_files import is_inside, is_regular

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).parent / "templates"
SCRIPT = (TEMPLATES / "labels.js").read_text(encoding="utf-8")
"""The page's one script, named by its hash in the page's policy: no other runs."""
IMAGE_BUDGET_BYTES = 6_000_000
"""All thumbnails together, before base64 makes them a third larger."""
PAGE_LIMIT_BYTES = 10_000_000
"""A page is always smaller than this."""
THUMBNAIL_SIDE_PX = 128
MOST_PER_CELL = 24
"""Clips shown of a cell, the doubtful ones first."""
_BYTES_EACH = 4_000
UNSEEN = dict.fromkeys(
    [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
"""Control characters and marks that turn the direction of writing: a name that holds them is shown without."""


def write_report(
    record_path: Path | str,
    out_html: Path | str | None = None,
    *,
    thumbnails: bool = True,
    audit: int = AUDIT_CLIPS,
) -> Path:
    """Write the page of a record; a clip that is gone is shown without its picture.

    Args:
        record_path: What `score` wrote.
        out_html: File to write; None for the record's name with `.html`.
        thumbnails: False to leave all pictures out.
        audit: Clips of the random audit to show, after those that are labelled.

    Returns:
        The file written.

    Raises:
        InputError: The record cannot be read, or the page cannot be written.
    """
    record = Record.read(record_path)
    page_path = Path(record_path).with_suffix(".html") if out_html is None else out_html
    out = checked_output(page_path, inputs=[record_path], cure="choose another file")
    shown, sample = _shown(record), _to_audit(record, audit)
    at = Path(record_path).resolve().parent
    images = _images(record, at, [sample, *shown]) if thumbnails else {}
    links = _links(record, at, out)
    page = _page(record, shown, sample, images, links)
    if len(page.encode()) >= PAGE_LIMIT_BYTES:  # thousands of cells, or very long names: the figures matter most
        page = _page(record, [[] for _ in shown], [], {}, {})
    write_whole(out, page.translate(UNSEEN))
    return out


def _shown(record: Record) -> list[list[ClipRow]]:
    """For each cell, the clips to show."""
    room = IMAGE_BUDGET_BYTES // (_BYTES_EACH * max(1, len(record.cells)))
    most = max(1, min(MOST_PER_CELL, room))
    by_cell: dict[tuple[str, str], list[ClipRow]] = {}
    for row in record.clips:
        by_cell.setdefault((row.model, row.scene), []).append(row)
    return [view.doubtful_first(by_cell[cell.model, cell.token])[:most] for cell in record.cells]


def _to_audit(record: Record, n: int) -> list[ClipRow]:
    """The next clips of the audit."""
    done = len(audited(record.clips, seed=record.seed))
    return audit_order(record.clips, seed=record.seed)[done : done + n]


def _links(record: Record, at: Path, page: Path) -> dict[str, str]:
    """File -> where the page finds the clip, as long as the study lies where the record says."""
    folder = at / record.study
    try:
        if not folder.is_dir():
            return {}
    except OSError:  # a name that no folder can have
        return {}
    way = os.path.relpath(folder, page.resolve().parent)
    files = {str(row.file) for row in record.clips if row.file is not None}
    return {file: quote(f"{way}/{file}", errors="replace") for file in files}


def _images(record: Record, at: Path, shown: Sequence[Sequence[ClipRow]]) -> dict[str, str]:
    """File -> base64 JPEG of its last frame, as far as the budget goes."""
    folder = at / record.study
    try:
        if not folder.is_dir():
            return {}
    except OSError:  # a name that no folder can have
        return {}
    files = [str(row.file) for rows in shown for row in rows if row.status != "unreadable"]
    inside = [folder / file if is_inside(folder / file, folder) else None for file in files]
    import cv2  # noqa: F401 it cannot be loaded by two threads at once

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        pictures = list(pool.map(_last_frame, inside))
    images: dict[str, str] = {}
    left = IMAGE_BUDGET_BYTES
    for file, picture in zip(files, pictures, strict=True):
        if picture is not None and len(picture) <= left:
            images[file] = base64.b64encode(picture).decode("ascii")
            left -= len(picture)
    return images


def _last_frame(path: Path | None) -> bytes | None:
    """JPEG of the last frame of a clip; None if it has gone or cannot be read."""
    import cv2

    from judge.intake import Sampled, read

    if path is None or not is_regular(path):
        return None
    found = read(path, lambda duration_s: [duration_s], side_px=THUMBNAIL_SIDE_PX)
    if not isinstance(found, Sampled):
        return None
    done, data = cv2.imencode(".jpg", cv2.cvtColor(found.frames[-1], cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 72])
    return data.tobytes() if done else None


def template(name: str, **filters: Callable[..., Any]) -> jinja2.Template:
    """A page of this package; what is put into it is escaped.

    Args:
        name: File name in TEMPLATES.
        **filters: Name -> filter, besides jinja2's own.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment.get_template(name)


def _page(
    record: Record,
    shown: Sequence[Sequence[ClipRow]],
    sample: Sequence[ClipRow],
    images: dict[str, str],
    links: dict[str, str],
) -> str:
    import markupsafe

    page = template(
        "report.html", number=view.number, percent=view.percent, p=view.p_text, q=view.q_text, span=view.span
    )
    models = list(dict.fromkeys(cell.model for cell in record.cells))
    tokens = list(dict.fromkeys(sorted(cell.token for cell in record.cells)))
    return page.render(
        record=record,
        models=models,
        tokens=tokens,
        by_place={(cell.model, cell.token): i for i, cell in enumerate(record.cells)},
        details=[_detail(cell, rows, images, links, record) for cell, rows in zip(record.cells, shown, strict=True)],
        accounting=view.accounting(record),
        moves=alignment_view.lines(record.alignments),
        supports=support_view.lines(record.cells),
        anytime=anytime_view.lines(record.cells),
        references=view.references(record),
        made=run_card_view.lines(record),
        made_columns=run_card_view.COLUMNS,
        kinds=view.kinds(record),
        card=view.card_lines(record.judge["card"]),
        headline=view.headline(record),
        findings=view.FINDINGS,
        margin=view.margin(record),
        totals=view.totals(record),
        has_pictures=bool(images),
        audit=[_thumbnail(row, images, links) for row in sample],
        n_judged=len(audit_order(record.clips, seed=record.seed)),
        n_audited=len(audited(record.clips, seed=record.seed)),
        people=people_view.lines(record.people),
        label_options=[record.references[token]["outcomes"] for token in tokens],
        null_reasons=NULL_REASONS,
        script=markupsafe.Markup(SCRIPT),  # noqa: S704 our own file
        script_hash=f"sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode('ascii')}",
        n_tested=sum(cell.p is not None for cell in record.cells),
    )


def _thumbnail(row: ClipRow, images: dict[str, str], links: dict[str, str]) -> view.Thumbnail:
    sure = "" if row.confidence is None else f"{100 * row.confidence:.0f} % sure"
    return view.Thumbnail(
        row=row,
        image=images.get(str(row.file)),
        link=links.get(str(row.file)),
        caption=view.caption(row),
        doubt=sure if row.judged is None else f"by people; the judge said {view.caption(as_judged(row))}",
    )


def _detail(
    cell: Cell, rows: Sequence[ClipRow], images: dict[str, str], links: dict[str, str], record: Record
) -> dict[str, object]:
    """What the page shows of one cell."""
    thumbnails = [_thumbnail(row, images, links) for row in rows]
    n_files = sum(r.file is not None for r in record.clips if (r.model, r.scene) == (cell.model, cell.token))
    return {
        "cell": cell,
        "sentence": view.sentence(cell),
        "reference": view.about_reference(cell),
        "chart": view.chart(cell),
        "scale": scale_view.scale(cell),
        "corrected_shares": view.told_shares(cell.corrected.shares if cell.corrected else {}),
        "powered_shares": view.told_shares(cell.prediction_powered),
        "thumbnails": thumbnails,
        "n_left_out": n_files - len(rows),
    }
