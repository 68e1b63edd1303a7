"""Of which layout is a folder, by what lies in it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from calibrate.study_clip import scene_tokens
from sim import InputError

from .calibench import calibench
from .folders import folders, no_scene
from .pawbench import pawbench
from .physics_iq import physics_iq
from .sorting import Layout, Sorted
from .vbench import vbench

PUBLISHED: Mapping[str, Layout] = {
    "CaliBench": calibench,
    "PAWBench": pawbench,
    "VBench": vbench,
    "Physics-IQ": physics_iq,
}
"""Name -> layout; our own stands before all of them."""


def sort_in(root: Path, files: Sequence[str], own: str) -> tuple[str, Sorted]:
    """The name of the folder's layout (`folders` is ours), and what it says of every file.

    Our own layout is taken where it finds a clip, unless another one finds all of those and more. A folder in which no
    layout finds a clip is of ours.

    Args:
        root: The folder.
        files: Its videos, as paths in it with `/`.
        own: The model's name if the folder is of one model.

    Raises:
        InputError: Two layouts claim files that the other does not.
    """
    ours, found = folders(root, files, own), {}
    for name, layout in PUBLISHED.items():
        claim = layout(root, files, own)
        if claim.claimed and ours.claimed < claim.claimed:
            found[name] = claim
    widest = max(found, key=lambda name: len(found[name].claimed), default=None)
    for name, claim in found.items():
        if widest is not None and (odd := sorted(claim.claimed - found[widest].claimed)):
            also = sorted(found[widest].claimed - claim.claimed)
            both = f"{widest} (as {also[0]}) and of {name} (as {odd[0]})"
            raise InputError(f"{root} holds files of two layouts, {both}; give each a folder of its own")
    name, best = ("folders", ours) if widest is None else (widest, found[widest])
    tokens = scene_tokens()
    rest = [no_scene(file, tokens) for file in files if file not in best.claimed]
    return name, Sorted(clips=best.clips, unmatched=[*best.unmatched, *rest])
