#!/usr/bin/env python3
"""Writes python/taut/_sections.pyi and _core.pyi: what editors and mypy see of words that are made when the package is imported.

    PYTHONPATH=build/check/python build/env/bin/python tools/python_stub.py [--check]
"""
import pathlib
import re
import sys

from nanobind.stubgen import StubGen

import taut
import taut._core
from taut._words import PLAIN, SHAPES

TARGET = pathlib.Path(__file__).resolve().parents[1] / "python" / "taut"


ERRORS = """
class Error(Exception): ...

class InputError(Error, ValueError): ...

class RunError(Error, RuntimeError):
    result: Any
"""


def method(word: str, arguments: str, returns: str, doc: str) -> str:
    text = doc.replace("\\", "\\\\").replace('"""', "'''")
    body = "\n".join(("        " + line).rstrip() for line in text.splitlines()).strip()
    return f'    def {word}(self, {arguments}) -> {returns}:\n        """{body}"""\n'


def sections() -> str:
    out = [
        '"""Made by tools/python_stub.py from the table that the reader of models goes by."""\n',
        "from typing import Any\n",
        "from ._symbols import Symbol\n",
        "REPLACED: tuple[str, ...]\n",
        "class Sections:",
    ]
    for name, shape in SHAPES.items():
        if name in PLAIN:
            continue
        doc = shape.docstring()
        fields = ", ".join(f"{one}: Any = ..." for one in shape.keys if one.isidentifier())
        if shape.method in ("force", "constraint", "sweep"):
            pass  # Model has its own
        elif shape.kind == "names":
            out.append(method(shape.method, "*arguments: Any, **entries: Any", "Any", doc))
        elif shape.kind == "list":
            listed = f"*arguments: Any, {fields}" if fields else "*arguments: Any"
            out.append(method(shape.method, listed, "Any", doc))
        elif shape.kind == "table":
            out.append(method(shape.method, f"*arguments: Any, {fields}", "Any", doc))
        else:
            out.append(method(shape.method, "*arguments: Any", "Any", doc))
        if shape.method != name and name != "forces":
            returns = "tuple[Symbol, ...]" if shape.kind == "names" or name == "coordinates" else "Any"
            out.append(method(name, "*contents: Any, **entries: Any", returns, shape.doc))
    return "\n".join(out)


def core() -> str:
    made = StubGen(taut._core)
    made.put(taut._core)
    text = made.get()
    # The errors are at home here, though they are called taut.Error; and collections hold anything.
    text = re.sub(r"from taut import \(.*?\)\n", ERRORS, text, flags=re.S)
    text = re.sub(r"\b(list|tuple)\b(?!\[)(?=[:,)\n]| \||:)", r"\1[Any, ...]", text).replace("list[Any, ...]", "list[Any]")
    text = text.replace("-> object", "-> Any")
    text = re.sub(r"(?<=[ :>])dict(?=[:,)\n])", "dict[str, Any]", text)
    return text.replace("from typing import Annotated", "from typing import Annotated, Any")


def main() -> int:
    wrong = []
    for name, text in (("_sections.pyi", sections()), ("_core.pyi", core())):
        path = TARGET / name
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                wrong.append(f"python/taut/{name} is not what the package says; tools/python_stub.py writes it")
        else:
            path.write_text(text)
    print("\n".join(wrong) if wrong else "stubs: up to date")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
