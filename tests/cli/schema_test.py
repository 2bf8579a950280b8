#!/usr/bin/env python3
"""schema_test.py PROGRAM REPOSITORY: the schema and the page of reference in docs/ are what the table of sections says."""
import pathlib
import subprocess
import sys

program, repository = sys.argv[1:3]
wrong = []
for name, arguments in {"model.schema.json": [], "model-reference.md": ["--reference"]}.items():
    made = subprocess.run([program, "schema", *arguments], capture_output=True, text=True, check=True).stdout
    if made != pathlib.Path(repository, "docs", name).read_text():
        wrong.append(f"docs/{name} is not what the program says: taut schema {' '.join(arguments)} > docs/{name}")
sys.exit("\n".join(wrong) or 0)
