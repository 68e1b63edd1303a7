"""How is a comparison with a real experiment printed and kept, and what table comes of all of them?

    python -m benchmarks.real_results

writes `benchmarks/results/README.md` from the JSON files beside it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sim import QuincunxError

RESULTS = Path(__file__).parent / "results"
_HEAD = "| experiment | real | simulated | aim | reached | quasi-static | command |\n|---|---|---|---|---|---|---|\n"
NOTES = """
What is missed, and what was tried. The shaved cube: falls from 0.1 to 1.5 m, restitution 0.2 to 0.8 and twice the speed
all leave the bias above the +6 % that was seen; only the cube at rest (+3.4 %) lies below it. The thick coin flipped:
its edge share follows the friction and the restitution of a surface that nobody stated. `--n 1000` with
`--restitution 0 0.3` gives 0.184, `--friction 0.15 0.25` 0.180, `--friction 0.4 0.6` 0.272, `--restitution 0.4 0.7`
0.232; `--n 2000 --restitution 0 0.3 --friction 0.1 0.2` gives 0.170, still above 0.162.
"""
"""What the table cannot say; below it in the README of the results."""


def row(
    experiment: str, *, real: str, simulated: str, aim: str, reached: bool | None, quasi_static: str = "does not apply"
) -> dict[str, Any]:
    """A line of the table; `reached` is None where the aim is a statement rather than a number."""
    return {
        "experiment": experiment,
        "real": real,
        "simulated": simulated,
        "aim": aim,
        "reached": reached,
        "quasi_static": quasi_static,
    }


def parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all comparisons have."""
    made = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=(description or "").split("\n")[0])
    made.add_argument("--json", action="store_true", help="print JSON")
    made.add_argument("--write", action="store_true", help="also keep the result in benchmarks/results/")
    return made


def finish(
    name: str,
    chosen: argparse.Namespace,
    arguments: Sequence[str] | None,
    measure: Callable[[], dict[str, Any]],
    *,
    suffix: str = "",
) -> int:
    """Measures, prints and keeps a comparison; the exit code.

    Args:
        name: Module of the comparison.
        chosen: The parsed arguments.
        arguments: The arguments as given; None for those of the process.
        measure: Gives the figures; `table` among them holds lines made by `row`.
        suffix: Tells results of one comparison apart.
    """
    given = [a for a in (sys.argv[1:] if arguments is None else arguments) if a not in ("--json", "--write")]
    try:
        figures = measure()
    except (QuincunxError, ValueError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    record = {"command": shlex.join(["python", "-m", f"benchmarks.{name}", *given, "--json"]), **figures}
    if chosen.write:
        RESULTS.mkdir(exist_ok=True)
        text = json.dumps(record, indent=1, allow_nan=False) + "\n"
        (RESULTS / f"{name}{suffix}.json").write_text(text, encoding="utf-8")
    if chosen.json:
        sys.stdout.write(json.dumps(record, allow_nan=False) + "\n")
    else:
        sys.stdout.write("".join(_line(r) for r in figures["table"]))
    return 0


def _line(entry: dict[str, Any]) -> str:
    word = {True: "reached", False: "MISSED", None: "stated"}[entry["reached"]]
    return (
        f"{entry['experiment']}: {entry['simulated']} (real: {entry['real']}; aim: {entry['aim']}: {word}; "
        f"quasi-static: {entry['quasi_static']})\n"
    )


def table(folder: Path = RESULTS) -> str:
    """The table of all results in a folder, in Markdown."""
    lines = ["# Agreement with real experiments\n\n", "Made by `python -m benchmarks.real_results`.\n\n", _HEAD]
    for path in sorted(folder.glob("real_*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        for r in record["table"]:
            word = {True: "yes", False: "**no**", None: "stated"}[r["reached"]]
            cells = (r["experiment"], r["real"], r["simulated"], r["aim"], word, r["quasi_static"])
            lines.append("| " + " | ".join(cells) + f" | `{record['command']}` |\n")
    return "".join([*lines, NOTES])


def main() -> int:
    """Writes the table."""
    argparse.ArgumentParser(prog="python -m benchmarks.real_results", description=main.__doc__).parse_args()
    (RESULTS / "README.md").write_text(table(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
