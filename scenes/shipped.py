"""Which references and source images come with the scenes, and how are they made again?"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from sim import InputError, Scene
from sim.reference import Comparison, Reference
from sim.sampling import compare, sample, with_evidence

from .registry import load, names, parse_token, user_folder_of

REFERENCES = Path(__file__).parent / "references"
SOURCE_IMAGES = Path(__file__).parent / "source_images"
N_ROLLOUTS, N_SECOND_ENGINE, N_NOT_CAUSAL = 5120, 512, 2048
"""Rollouts of a shipped reference, of its second engine, and of each variant that should not matter."""
SEED, CHECK_SEED = 20261130, 20261131
"""Seeds of the shipped references and of the checks of variants that should not matter: fresh draws, since variants
share the draws of their base and would agree rollout by rollout. No other part of the project draws with them."""

Progress = Callable[[str, int, int], None]


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


@cache
def _read(path: Path) -> Reference:
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


def make_reference(token: str, *, work: Path, progress: Progress | None = None) -> Reference:
    """Samples the shipped reference of one token with its evidence; interrupted work goes on where it stopped.

    Args:
        token: A base scene or a causal variant.
        work: Folder for checkpoints.
        progress: Called with (what, done, n).

    Raises:
        EngineError: Too many rollouts failed.
    """
    scene, variant = parse_token(token)

    def run(what: str, chosen: str | None, engine: str, n: int, seed: int = SEED) -> Reference:
        step = None if progress is None else (lambda done, of: progress(f"{token}: {what}", done, of))
        path = work / f"{scene.token(chosen)}-{engine}-{seed}-{n}.json"
        return sample(scene, variant=chosen, n=n, seed=seed, engine=engine, checkpoint=path, progress=step)

    main = run("reference", variant, "mujoco", N_ROLLOUTS)
    second = None
    if scene.one_engine_only is None:
        second = compare(main, run("second engine", variant, "bullet", N_SECOND_ENGINE))
    checks: dict[str, Comparison] = {}
    if variant is None:
        for name, other in scene.variants.items():
            if not other.causal:
                checked = run(f"check of {name}", name, "mujoco", N_NOT_CAUSAL, CHECK_SEED)
                checks[name] = compare(main, checked)
    made = with_evidence(main, second_engine=second, not_causal=checks or None)
    made.write(reference_path(token))
    _read.cache_clear()
    return made


def make_references(
    only: tuple[str, ...] = (), *, work: Path = Path("runs/references"), progress: Progress | None = None
) -> list[Reference]:
    """Makes the shipped references of the named scenes (all if none is named) and their causal variants."""
    chosen = [load(name) for name in (only or names())]
    return [make_reference(token, work=work, progress=progress) for scene in chosen for token in tokens(scene)]


def make_source_images(only: tuple[str, ...] = (), *, progress: Progress | None = None) -> list[Path]:
    """Draws the first frames of the named scenes (all if none is named) and of all their variants.

    Raises:
        PrerequisiteError: No OpenGL can draw here.
    """
    from sim.footage import source_image, write_picture

    scenes = [load(name) for name in (only or names())]
    wanted = [(scene, variant) for scene in scenes for variant in (None, *scene.variants)]
    paths = []
    for done, (scene, variant) in enumerate(wanted, 1):
        path = source_image_path(scene.token(variant))
        write_picture(path, source_image(scene, variant))
        paths.append(path)
        if progress is not None:
            progress(f"{scene.token(variant)}: source image", done, len(wanted))
    return paths
