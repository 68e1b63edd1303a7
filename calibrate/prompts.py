"""With which prompt was each clip made: the scene's own, or one that was rewritten?

Rewriting the prompt changes what a generator shows, and is often untold. The record keeps a hash of each clip's prompt,
which is compared with the scene's own, and between models.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import scenes
from sim import SceneError

from .clip_row import ClipRow

PLAIN = "plain"
"""What a run card calls prompts that were used as they are."""


def prompt_hash(prompt: str | None) -> str | None:
    """First 16 hexadecimal digits of the SHA-256 of a prompt without the spaces at its ends; None for none."""
    return None if prompt is None or not prompt.strip() else hashlib.sha256(prompt.strip().encode()).hexdigest()[:16]


def own_hash(token: str) -> str | None:
    """Hash of the scene's own prompt; None if the scene is no more."""
    try:
        scene, _ = scenes.parse_token(token)
    except SceneError:  # a record may outlive a scene
        return None
    return prompt_hash(scene.prompt)


def prompts_told(rows: Sequence[ClipRow]) -> str:
    """In words, how many clips were made with which prompt."""
    known = [row for row in rows if row.prompt is not None]
    if not known:
        return "not recorded"
    own = sum(row.prompt == own_hash(row.scene) for row in known)
    others = Counter(str(row.prompt) for row in known if row.prompt != own_hash(row.scene))
    parts = [f"the scene's own ({own} clips)"] if own else []
    if others:
        first, _ = others.most_common(1)[0]
        which = f"hash {first}" if len(others) == 1 else f"{len(others)} of them, as that of hash {first}"
        parts.append(f"others ({sum(others.values())} clips, {which})")
    if len(known) < len(rows):
        parts.append(f"not recorded ({len(rows) - len(known)} clips)")
    return ", ".join(parts)


def variant_on(card: Mapping[str, Any] | None) -> str | None:
    """What a run card says of the prompts; None if nothing."""
    said = None if card is None else card["rest"].get("prompt_variant")
    return str(said).strip() or None if said is not None else None


def prompt_warnings(
    models: Mapping[str, Sequence[ClipRow]], cards: Mapping[str, Mapping[str, Any] | None]
) -> list[str]:
    """What to beware of where models are compared that were prompted in different ways.

    Args:
        models: Model -> its clips.
        cards: Model -> its run card as a dictionary; None for none.
    """
    warnings = []
    variants = {model: found for model in models if (found := variant_on(cards.get(model))) is not None}
    if len(set(variants.values())) > 1:
        said = ", ".join(f"{model} {variant!r}" for model, variant in variants.items())
        warnings.append(f"the run cards name different prompts ({said}): what differs may be theirs, not the models'")
    by_scene: dict[str, dict[str, set[str]]] = {}
    for model, rows in models.items():
        for row in rows:
            if row.prompt is not None:
                by_scene.setdefault(row.scene, {}).setdefault(model, set()).add(row.prompt)
    apart = [token for token, of in sorted(by_scene.items()) if len({frozenset(used) for used in of.values()}) > 1]
    if apart:
        warnings.append(f"the manifests give the models different prompts on {', '.join(apart)}")
    return warnings
