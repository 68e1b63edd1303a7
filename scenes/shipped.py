"""Which references, evidence and source images come with the scenes?"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sim import InputError, Scene

from .registry import parse_token, user_folder_of

if TYPE_CHECKING:
    from sim.evidence import Evidence
    from sim.reference import Reference

REFERENCES = Path(__file__).parent / "references"
SOURCE_IMAGES = Path(__file__).parent / "source_images"
EVIDENCE = Path(__file__).parent / "evidence"


def source_image(token: str) -> Path:
    """Path of the shipped first frame of a scene token.

    Raises:
        SceneError: The token means no scene.
        InputError: No picture is shipped for it.
    """
    parse_token(token)
    path = source_image_path(token)
    if not path.is_file():
        raise InputError(f"no source image is shipped for {token}; draw it with: quincunx render {token}")
    return path


def reference_path(token: str) -> Path:
    """Where the reference of a token is kept: in the package, or in `references/` beside a scene of the user's own."""
    folder = user_folder_of(token.partition("@")[0])
    return (REFERENCES if folder is None else folder / "references") / f"{token}.json"


def source_image_path(token: str) -> Path:
    """Where the first frame of a token is kept: in the package, or in `source_images/` beside a user's own scene."""
    folder = user_folder_of(token.partition("@")[0])
    return (SOURCE_IMAGES if folder is None else folder / "source_images") / f"{token}.png"


def evidence_path(token: str) -> Path:
    """Where the evidence of a token's reference is kept: in the package, or in `evidence/` beside a user's scene."""
    folder = user_folder_of(token.partition("@")[0])
    return (EVIDENCE if folder is None else folder / "evidence") / f"{token}.json"


def evidence(token: str) -> Evidence:
    """What stands behind the reference of a token; a variant that is not causal has that of its base scene.

    Raises:
        SceneError: The token means no scene.
        InputError: There is no reference or no evidence, or the two do not belong together.
    """
    from sim.evidence import Evidence

    found = reference(token)
    path = evidence_path(found.scene)
    name = found.scene.partition("@")[0]
    if not path.is_file():
        raise InputError(f"no evidence is shipped for {found.scene}; make it with: quincunx references {name}")
    kept = Evidence.read(path)
    if (kept.scene, kept.settings_hash, kept.code_hash, kept.seed, kept.n) != (
        found.scene,
        found.settings_hash,
        found.code_hash,
        found.seed,
        found.n,
    ):
        raise InputError(f"{path} is not of the reference beside it; make both again with: quincunx references {name}")
    return kept


@cache
def _read(path: Path) -> Reference:
    from sim.reference import Reference

    return Reference.read(path)


def reference(token: str) -> Reference:
    """The shipped reference of a scene token; a variant that is not causal has that of its base scene.

    Raises:
        SceneError: The token means no scene.
        InputError: No reference is shipped for it, or it belongs to another version of the scene.
    """
    scene, variant = parse_token(token)
    chosen = scene.variant(variant)
    wanted = token if chosen is None or chosen.causal else scene.name
    path = reference_path(wanted)
    if not path.is_file():
        raise InputError(f"no reference is shipped for {wanted}; make one with: quincunx references {scene.name}")
    found = _read(path)
    if found.version != scene.version:
        raise InputError(
            f"{path} is of version {found.version} of {scene.name}, but the scene has version {scene.version}; "
            f"make it again with: quincunx references {scene.name}"
        )
    return found


def tokens(scene: Scene) -> tuple[str, ...]:
    """The scene's tokens that have a reference of their own: the base scene and its causal variants."""
    return (scene.name, *(scene.token(name) for name, variant in scene.variants.items() if variant.causal))


def forget() -> None:
    """Read every reference anew when it is next asked for: one has been made again."""
    _read.cache_clear()
