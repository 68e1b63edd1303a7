"""What stands behind a scene's reference, as figures and as one page with plots?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import scenes
from sim import InputError

from . import reference_card_view as view
from .output_file import checked_output, write_whole
from .report import template
from .report_view import FINDINGS, number, p_text
from .stats.hull import Hull, nearest

TWINS = {
    "half_step": "half the step",
    "half_step_double_frequency": "half the step, twice the contact frequency",
}
"""Name of a twin -> what it changes."""


def card(token: str) -> dict[str, Any]:
    """The figures of a reference card, as JSON can hold them: the evidence, and `reference` beside it.

    To `ideal_distance` it adds `tv_from_set`, the distance of the textbook distribution from the nearest point of the
    set that the unknown constants span, and a second engine if it differs; `about_set` says what that is.

    Args:
        token: A scene token; a variant that is not causal has the card of its base scene.

    Raises:
        SceneError: The token means no scene.
        InputError: There is no reference or no evidence, or the two do not belong together.
    """
    try:
        return _figures(token)
    except (KeyError, TypeError) as fault:
        raise InputError(
            f"the evidence of {token} is not whole ({fault}); make it again with: quincunx references"
        ) from fault


def _figures(token: str) -> dict[str, Any]:
    found, evidence = scenes.reference(token), scenes.evidence(token)
    out = evidence.to_json()
    if evidence.ideal is not None and evidence.ideal_distance is not None:
        ideal = tuple(evidence.ideal[o] for o in found.outcomes)
        hull = Hull.of(found.member_shares)
        out["ideal_distance"] = {**evidence.ideal_distance, "tv_from_set": round(nearest(ideal, hull).tv, 6)}
    stated = found.to_json()
    keep = (
        "outcomes",
        "counts",
        "shares",
        "interval",
        "half_width",
        "engine",
        "engine_version",
        "platform",
        "n",
        "seed",
    )
    out["reference"] = {name: stated[name] for name in keep}
    out["reference"]["members_shrunk"] = [[round(float(q), 6) for q in row] for row in found.draw_shares]
    out["bad_share"] = found.bad_share
    out["about_set"] = found.about_set
    return out


def write_card(token: str, out: Path | str) -> Path:
    """Write the card of a scene token as one self-contained page that works offline.

    Args:
        token: A scene token.
        out: File to write.

    Returns:
        The file written.

    Raises:
        SceneError: The token means no scene.
        InputError: There is no evidence, or the page cannot be written.
    """
    figures = card(token)
    path = checked_output(out)
    scene, variant = scenes.parse_token(token)
    empty = template("reference_card.html", number=number, p=p_text, rows=view.rows_text, scale=view.scale_text)
    chosen = scene.variant(variant)
    page = empty.render(
        card=figures,
        token=token,
        about=scene.prompt if chosen is None else f"{scene.prompt} Changed: {chosen.change}.",
        exact=scene.exact,
        findings=FINDINGS,
        shares=view.shares_plot(figures),
        checks=_checks(figures),
        curve=view.curve(figures["predictability"], figures["reference"]["outcomes"]),
        width=view.WIDTH,
    )
    write_whole(path, page)
    return path


def _checks(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """Every second sample with what it changes and its plot."""
    named = [(TWINS.get(name, name), found) for name, found in figures["twins"].items()]
    named += [(f"engine: {name}", found) for name, found in figures["engines"].items()]
    named += [(f"variant: {name}", found) for name, found in figures["not_causal"].items()]
    return [
        {
            "what": what,
            "found": found,
            "n_bad": sum(map(len, found["failed"].values())) + found["null"].get("not_settled", 0),
            "plot": None if found["differences"] is None else view.differences_plot(found["differences"]),
        }
        for what, found in named
    ]
