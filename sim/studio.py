"""What does every renderer of a scene promise?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from types import TracebackType
from typing import Self

import numpy as np

from .scene import Camera, Look, Scene
from .track import Track

_MAX_PX = 4096


class AnyStudio(ABC):
    """One renderer for one scene; used in a `with`.

    Look and camera may change from call to call without setting anything up again.
    """

    def __init__(
        self, scene: Scene, *, variant: str | None, size_px: tuple[int, int], quality: str, qualities: Collection[str]
    ) -> None:
        """Prepares nothing yet; the renderer is set up on entering the `with`.

        Args:
            scene: What to draw.
            variant: Name of a variant, or None for the base scene.
            size_px: Height and width of the pictures.
            quality: One of the qualities.
            qualities: Those that the renderer has.

        Raises:
            ValueError: The size or the quality is out of range.
            SceneError: There is no such variant.
        """
        if len(size_px) != 2 or not all(1 <= side <= _MAX_PX for side in size_px):
            raise ValueError(f"size_px must be a height and a width from 1 to {_MAX_PX}, got {size_px}")
        if quality not in qualities:
            raise ValueError(f"quality must be one of {', '.join(qualities)}, got {quality!r}")
        scene.variant(variant)
        self.scene, self.variant, self.size_px = scene, variant, size_px

    @abstractmethod
    def __enter__(self) -> Self:
        """Sets up the renderer.

        Raises:
            RuntimeError: There can be only one in a process, and another one is open.
            PrerequisiteError: What it needs is not there.
        """

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Frees all that the renderer holds."""
        self._free()

    @abstractmethod
    def _free(self) -> None:
        """Frees all that is held; does no harm if nothing is."""

    @abstractmethod
    def _is_open(self) -> bool:
        """Whether the renderer is set up."""

    @abstractmethod
    def _materials(self) -> tuple[str, ...]:
        """Names of the materials, sorted."""

    @abstractmethod
    def _frames(self, track: Track, look: Look, camera: Camera) -> np.ndarray:
        """See `frames`."""

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of the materials that a Look may tint, sorted; those named `mark_...` carry the outcome."""
        self._check_open()
        return self._materials()

    def frames(self, track: Track, *, look: Look | None = None, camera: Camera | None = None) -> np.ndarray:
        """(T, H, W, 3) uint8 pictures of the track.

        Args:
            track: What to draw in each frame.
            look: Light and background; the scene's (or the variant's) own if None.
            camera: Where the pictures are taken from; the scene's own if None.

        Raises:
            RuntimeError: The studio is not open.
            ValueError: The track has another number of bodies, or the look tints a material that is not there.
        """
        self._check_open()
        track.check_bodies(len(self.scene.moving_bodies))
        look = self.scene.look_of(self.variant) if look is None else look
        if unknown := set(look.tint) - set(self._materials()):
            known = ", ".join(self._materials())
            raise ValueError(f"tint must name materials of the scene ({known}), got {', '.join(sorted(unknown))}")
        return self._frames(track, look, self.scene.camera if camera is None else camera)

    def _check_open(self) -> None:
        if not self._is_open():
            raise RuntimeError("a studio draws only inside its `with`")
