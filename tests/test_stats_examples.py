import doctest
import importlib
from pathlib import Path

import pytest

import calibrate.stats

MODULES = sorted(p.stem for p in Path(calibrate.stats.__file__).parent.glob("*.py") if p.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(f"calibrate.stats.{name}")
    assert doctest.testmod(module).failed == 0


def test_there_are_examples() -> None:
    found = [doctest.DocTestFinder().find(importlib.import_module(f"calibrate.stats.{name}")) for name in MODULES]
    assert sum(len(test.examples) for tests in found for test in tests) >= 8
