import pytest

from sim import (
    PrerequisiteError,
)
from sim.bullet_engine import BulletEngine
from sim.bullet_shapes import pybullet


def test_without_pybullet_one_line_says_how_to_install_it(monkeypatch):
    """S21: it has no wheels past Python 3.11, so that everything else must do without."""
    import sys

    pybullet.cache_clear()
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(PrerequisiteError, match="pip install pybullet"):
        BulletEngine()
    pybullet.cache_clear()


def test_importing_pybullet_prints_nothing():
    import subprocess
    import sys

    code = "from sim.bullet_shapes import pybullet; print(pybullet().__name__)"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (seen.stdout, seen.stderr) == ("pybullet\n", "")
