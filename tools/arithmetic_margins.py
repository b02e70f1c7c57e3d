"""Measure how near the ledger and the tests come to failing on processors with other arithmetic.

Both run in child processes with different kernels of OpenBLAS, NumPy and the C library or with other numbers
of threads. The tool prints the smallest margins with their places. The margin of a tolerance is tolerance /
residual. Tolerances of 1e-7 or more, and those of printed numbers, bound model errors instead of rounding:
their margin is (tolerance - residual) / spread, with the spread of the residual over the variants. Exit
status 1 if a margin is below ten or a child fails. `margins_plugin.py` lists the comparisons that it does not
see.

    python tools/arithmetic_margins.py                                all of it: hours on one core
    python tools/arithmetic_margins.py --only ledger --select 0.22.1
    python tools/arithmetic_margins.py --only tests --select tests/forces --variants host Nehalem
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
TARGET_MARGIN = 10.0
LOOSE = 1e-7
NOT_NUMERICAL = ("book", "ledger", "viewer", "test_command_line.py", "test_installed.py")

DIGITS = "printed digits"

Margins = dict[str, tuple[float, float]]
"""Residual and tolerance by place."""


def variants() -> dict[str, dict[str, str]]:
    """Return the environment variables of each variant."""
    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    threads = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    return {
        "host": {},
        **{core: {"OPENBLAS_CORETYPE": core} for core in ("Nehalem", "Haswell", "SkylakeX", "Zen")},
        "plain-numpy": {"NPY_DISABLE_CPU_FEATURES": " ".join(features)},
        "plain-libm": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"},
        "two-threads": threads,
    }


def numerical_tests() -> list[str]:
    return [
        f"tests/{path.name}"
        for path in sorted((ROOT / "tests").iterdir())
        if path.name not in NOT_NUMERICAL and (path.is_dir() or path.name.startswith("test_"))
        if path.name != "__pycache__"
    ]


def measure_ledger(sections: list[str], examples: int) -> Margins:
    """Return the worst residual of the library's form, and of a printed form where it holds."""
    from rbnotes import ledger
    from rbnotes.ledger.evaluation import search
    from rbnotes.ledger.record import NEEDS_CORRECTION, Verdict

    margins: Margins = {}
    for record in ledger.load():
        if sections and record.section not in sections and record.id not in sections:
            continue
        if record.reference is None:
            continue
        forms = {"library": (record.library, record.inputs)}
        if record.verdict is Verdict.CONDITIONAL:
            forms["printed"] = (record.printed, record.condition_inputs or {})
        elif record.verdict is Verdict.DEMONSTRATION:
            forms[DIGITS] = (record.printed, record.inputs)
        elif record.verdict not in NEEDS_CORRECTION:
            forms["printed"] = (record.printed, record.inputs)
        for name, (form, inputs) in forms.items():
            if form is not None:
                # Without a threshold, a search without result has evaluated every input.
                hunt = search(form, record.reference, inputs, threshold=np.inf, examples=examples)
                margins[f"{record.id} {name}"] = hunt.max_residual, record.tolerance
    return margins


def run_tests(
    paths: list[str], processes: int, environment: dict[str, str], compiled: str
) -> tuple[Margins, str]:
    with tempfile.TemporaryDirectory() as folder:
        # Cached test bytecode of ordinary runs lacks the hook for bare assertions.
        more = {"MARGINS": folder, "PYTHONPYCACHEPREFIX": compiled}
        more["PYTHONPATH"] = os.pathsep.join(
            [str(ROOT / "tools"), *filter(None, [os.environ.get("PYTHONPATH", "")])]
        )
        command = [sys.executable, "-m", "pytest", "-p", "margins_plugin", "-p", "no:cacheprovider"]
        command += [
            "-o",
            "enable_assertion_pass_hook=true",
            "-n",
            str(processes if processes > 1 else 0),
            "--tb=line",
            *paths,
        ]
        run = subprocess.run(command, cwd=ROOT, env=environment | more, capture_output=True, text=True)
        margins: Margins = {}
        for part in Path(folder).glob("*.json"):
            margins |= json.loads(part.read_text(encoding="utf-8"))
    failures = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if run.returncode and not failures:
        failures = [(run.stdout + run.stderr)[-2000:]]
    return margins, "\n".join(failures)


def run_ledger(arguments: argparse.Namespace, environment: dict[str, str]) -> tuple[Margins, str]:
    command = [sys.executable, __file__, "--child", "--examples", str(arguments.examples)]
    run = subprocess.run(
        [*command, "--select", *arguments.select], env=environment, capture_output=True, text=True
    )
    if run.returncode:
        return {}, run.stderr[-2000:]
    return json.loads(run.stdout), ""


def margin(location: str, residual: float, tolerance: float, spread: float) -> float:
    """Return the margin of a tolerance; `spread` is the range of the residual over the variants."""
    if not np.isfinite(residual):
        return 0.0
    ratio = tolerance / residual if residual > 0 else np.inf
    if tolerance < LOOSE and not location.endswith(DIGITS):
        return ratio
    return max(ratio, (tolerance - residual) / spread if spread > 0 else np.inf)


def report(kind: str, results: dict[str, Margins], rows: int) -> bool:
    """Print the smallest margins of each variant; return True if all are wide enough."""
    locations = {location for measured in results.values() for location in measured}
    spread = {}
    for location in locations:
        residuals = [measured[location][0] for measured in results.values() if location in measured]
        spread[location] = max(residuals) - min(residuals)
    wide = True
    for variant, measured in results.items():
        margins = sorted(
            (margin(location, *measured[location], spread[location]), location) for location in measured
        )
        narrow = sum(size < TARGET_MARGIN for size, _ in margins)
        wide &= not narrow
        print(f"{variant} {kind}: {len(margins)} tolerances, {narrow} with a margin below {TARGET_MARGIN:g}")
        for size, location in margins[: max(1, rows)]:
            residual, tolerance = measured[location]
            print(f"    {size:9.3g}  {location}  ({residual:.2g} of {tolerance:.2g})")
    return wide


def main() -> int:
    available = variants()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=["ledger", "tests"])
    parser.add_argument(
        "--select", nargs="*", default=[], metavar="X", help="sections or ids; paths of tests"
    )
    parser.add_argument("--variants", nargs="+", choices=list(available), default=list(available))
    parser.add_argument("--examples", type=int, default=40, help="inputs tried per record")
    parser.add_argument("--processes", type=int, default=1, help="of pytest (default 1)")
    parser.add_argument("--rows", type=int, default=1, help="how many of the smallest margins to print")
    parser.add_argument("--json", type=Path, help="write all residuals and tolerances to this file")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure_ledger(arguments.select, arguments.examples)))
        return 0

    results: dict[str, dict[str, Margins]] = {"ledger": {}, "tests": {}}
    failed = False
    paths = arguments.select if arguments.only == "tests" and arguments.select else numerical_tests()
    with tempfile.TemporaryDirectory() as compiled:
        for variant in arguments.variants:
            one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            environment = os.environ | one_thread | available[variant]
            for kind in results:
                if arguments.only not in (None, kind):
                    continue
                print(f"{variant} {kind} ...", file=sys.stderr, flush=True)
                if kind == "ledger":
                    measured, failures = run_ledger(arguments, environment)
                else:
                    measured, failures = run_tests(paths, arguments.processes, environment, compiled)
                results[kind][variant] = measured
                if failures:
                    failed = True
                    print(f"{variant} {kind} failed:\n{failures}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    wide = [report(kind, measured, arguments.rows) for kind, measured in results.items() if measured]
    return 0 if all(wide) and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
