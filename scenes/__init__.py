"""The catalogue: one file per scene, registered by being there; textures, meshes, references, source images."""

from .registry import load as load
from .registry import names as names
from .registry import parse_token as parse_token
from .shipped import evidence as evidence
from .shipped import reference as reference
from .shipped import source_image as source_image
