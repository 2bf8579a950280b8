#!/usr/bin/env python3
"""Formats every C++ file with clang-format; with --check only tells which are not formatted."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["src", "cli", "python", "tests", "benchmarks", "examples"]


def main() -> int:
    files = [str(p) for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*")) if p.suffix in {".cpp", ".hpp"}]
    options = ["--dry-run", "--Werror"] if "--check" in sys.argv else ["-i"]
    return subprocess.run(["clang-format", "--style=file", *options, *files], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
