import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "sim": set(),
    "scenes": {"sim"},
    "judge": {"sim"},
    "calibrate": {"sim", "scenes", "judge"},
    "benchmarks": {"sim", "scenes", "judge", "calibrate"},
    "cli": {"sim", "scenes", "judge", "calibrate", "benchmarks"},
}
HEAVY = {"torch", "torchvision", "safetensors", "cv2", "mujoco", "scipy.stats", "trimesh", "av", "pybullet"}
HEAVY |= {"matplotlib", "numba", "rich", "PIL", "OpenGL"}
TORCH = {"torch", "torchvision", "safetensors"}
STATS_MAY_IMPORT = {"numpy", "scipy", "numba"}
NOT_SCENES = {"__init__.py", "making.py", "registry.py", "shipped.py"}

FILES = sorted(p.relative_to(ROOT) for top in MAY_IMPORT for p in (ROOT / top).rglob("*.py"))


def imports(tree: ast.AST) -> set[str]:
    """Full names of all modules that the nodes below import absolutely."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def tops(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


class _RunsAtImport(ast.NodeTransformer):
    """Drops what does not run when the module is imported: function bodies and TYPE_CHECKING blocks."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        return None

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        return None

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            return None
        return self.generic_visit(node)


def parsed(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def imports_at_load(path: Path) -> set[str]:
    return imports(_RunsAtImport().visit(parsed(path)))


def is_scene(path: Path) -> bool:
    return path.parent == Path("scenes") and path.name not in NOT_SCENES


def may_hold_torch(path: Path) -> bool:
    return path.parts[0] == "judge" or path.parts[:2] == ("calibrate", "generators")


def under(names: set[str], modules: set[str]) -> set[str]:
    """Those of the names that are one of the modules or lie inside one."""
    return {name for name in names for module in modules if name == module or name.startswith(f"{module}.")}


def test_there_are_files_to_look_at():
    assert {p.parts[0] for p in FILES} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=str)
def test_imports_follow_the_arrows(path: Path):
    top, inside = path.parts[0], ".".join(path.parts[:-1])
    names = imports(parsed(path))
    assert tops(names) & set(MAY_IMPORT) - MAY_IMPORT[top] - {top} == set()
    # A subpackage reaches its parent by the full name, since two dots are banned; else one dot inside a package.
    # A scene's file may use full names, so that it can be copied into a user's own folder of scenes.
    own = under(names, {inside if len(path.parts) > 2 else top})
    assert own == set() or is_scene(path), "inside a package: one dot"


@pytest.mark.parametrize("path", FILES, ids=str)
def test_heavy_imports_wait_until_they_are_needed(path: Path):
    allowed: set[str] = set()
    if may_hold_torch(path):
        allowed |= TORCH  # a network is a class; test_cli shows that no package loads it before it is needed
    if path.parts[:2] in (("calibrate", "stats"), ("sim", "impact")):
        allowed |= {"numba"}  # its decorators run at import
    assert under(imports_at_load(path), HEAVY - allowed) == set()


@pytest.mark.parametrize("path", FILES, ids=str)
def test_torch_stays_in_the_judge_and_the_generators(path: Path):
    if not may_hold_torch(path):
        assert under(imports(parsed(path)), TORCH) == set()


@pytest.mark.parametrize("path", [p for p in FILES if p.parts[:2] == ("calibrate", "stats")], ids=str)
def test_statistics_know_numbers_alone(path: Path):
    foreign = tops(imports(parsed(path))) - STATS_MAY_IMPORT - set(sys.stdlib_module_names)
    assert foreign == set()


@pytest.mark.parametrize("path", FILES, ids=str)
def test_files_and_functions_keep_their_limits(path: Path):
    n_lines = len((ROOT / path).read_text(encoding="utf-8").splitlines())
    assert n_lines < (120 if is_scene(path) else 300)
    functions = [n for n in ast.walk(parsed(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert {f.name: n_code_lines(f) for f in functions if n_code_lines(f) >= 50} == {}


def n_code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the `def` to the end, the docstring not counted."""
    n = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        n -= first.end_lineno - first.lineno + 1
    return n


@pytest.mark.parametrize("path", FILES, ids=str)
def test_nothing_asserts_and_nothing_pickles(path: Path):
    assert not any(isinstance(node, ast.Assert) for node in ast.walk(parsed(path)))
    assert under(imports(parsed(path)), {"pickle", "shelve", "dill", "joblib"}) == set()


def test_tests_hold_no_package_that_could_hide_ours():
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_no_benchmark_bears_the_name_of_a_package():
    assert {p.stem for p in (ROOT / "benchmarks").glob("*.py")} & set(MAY_IMPORT) == set()


def test_what_runs_at_import_is_told_from_what_does_not():
    tree = ast.parse(
        "import cv2\nif TYPE_CHECKING:\n    import mujoco\ndef f():\n    import av\nclass A:\n    import trimesh\n"
    )
    assert imports(tree) == {"cv2", "mujoco", "av", "trimesh"}
    assert imports(_RunsAtImport().visit(tree)) == {"cv2", "trimesh"}
