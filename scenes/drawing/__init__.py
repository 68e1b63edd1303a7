"""Drawn textures and meshes of the scenes."""
