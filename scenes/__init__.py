"""The catalogue: one file per scene, registered by being there; drawn textures and meshes, references, source images."""

from .registry import load as load
from .registry import names as names
from .registry import parse_token as parse_token
