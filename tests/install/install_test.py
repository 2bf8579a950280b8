#!/usr/bin/env python3
"""Installs the library into an empty folder and builds and runs a project that finds it with find_package(taut)."""
import pathlib
import subprocess
import sys
import tempfile

build, consumer, cmake = sys.argv[1:4]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    prefix, tree = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "tree")
    run(cmake, "--install", build, "--prefix", prefix)
    run(cmake, "-S", consumer, "-B", tree, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run(cmake, "--build", tree)
    output = run(tree / "consumer")
    print(output)
    if "reached the end" not in output or "constraints, position" not in output:
        sys.exit("the consumer did not print a certificate")
    recorded = run(tree / "reader", pathlib.Path(folder, "run.h5"))
    if recorded != "11 records\n":
        sys.exit(f"the libraries of files gave {recorded!r}")
    listing = run(prefix / "bin" / "taut", "list")
    if "midpoint" not in listing:
        sys.exit("the installed program does not list its integrators")
