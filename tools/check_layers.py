#!/usr/bin/env python3
"""Includes point downward only: fails with a line for each that does not."""
import pathlib
import re
import sys

# From the bottom up; a folder may include itself and everything before it.
LAYERS = ["base", "linalg", "system", "expression", "step", "integrators", "simulate", "diagnostics", "models", "model", "study", "yaml", "results", "report"]
# Neighbours that do not know each other.
APART = [("study", "yaml"), ("study", "results"), ("yaml", "results"), ("yaml", "report"), ("study", "report")]
# Headers that applications alone include.
UMBRELLA = "taut/taut.hpp"


def main() -> int:
    root = pathlib.Path(sys.argv[1]) / "src" / "taut"
    wrong = []
    files = sorted(p for p in root.rglob("*") if p.suffix in {".hpp", ".cpp"})
    for file in files:
        if file == root / "taut.hpp":
            continue
        own = file.relative_to(root).parts[0]
        if own not in LAYERS:
            wrong.append(f"{file}: the folder '{own}' has no place in the list of layers")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = re.match(r"\s*#\s*include\s*[<\"](taut/[^>\"]+)", line)
            if not found:
                continue
            layer = found.group(1).split("/")[1]
            apart = (own, layer) in APART or (layer, own) in APART
            if apart or found.group(1) == UMBRELLA or layer not in LAYERS or LAYERS.index(layer) > LAYERS.index(own):
                wrong.append(f"{file}:{number}: {own} must not include <{found.group(1)}>")
    print("\n".join(wrong) if wrong else f"layers: {len(files)} files in order")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
