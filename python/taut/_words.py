"""The methods of a model, made from the one table of sections that the reader of model files goes by."""

from __future__ import annotations

import textwrap
from typing import Any, Iterator

from . import _core

SECTIONS: dict[str, dict[str, Any]] = {one["name"]: one for one in _core.sections()}

# Words of a model that are no methods.
PLAIN = ("name", "source")


def singular(name: str) -> str:
    """masses: mass, bodies: body, rods: rod; kinetic stays."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith("sses"):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def alternatives(form: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if form["kind"] == "any_of":
        for part in form["parts"]:
            yield from alternatives(part)
    else:
        yield form


def table_of(form: dict[str, Any]) -> dict[str, Any] | None:
    """The table with entries of its own that may stand here, if there is one."""
    return next((one for one in alternatives(form) if one["kind"] == "table" and one["fields"]), None)


class Shape:
    """What a section holds, and so how its method is called.

    `names`: a table of names, each with a value or a table of entries; `list`: items, each a value or a table; `table`: entries of
    the section itself; `value`: one value.
    """

    def __init__(self, section: dict[str, Any]):
        self.name: str = section["name"]
        self.doc: str = section["doc"]
        form = section["form"]
        kinds = {one["kind"]: one for one in alternatives(form)}
        self.kind = "value"
        inner = form
        if "names" in kinds:
            self.kind = "names"
            inner = kinds["names"]["parts"][1]
        elif "table" in kinds:
            self.kind = "table"
        elif "list" in kinds and kinds["list"]["at_most"] == 0:
            self.kind = "list"
            inner = kinds["list"]["parts"][0]
        self.form = kinds.get("names") or kinds.get("table") or form
        self.table = table_of(inner)
        fields = self.table["fields"] if self.table else self.form["fields"]
        self.fields: list[dict[str, Any]] = sorted(fields, key=lambda one: not one["required"])
        self.keys = [one["name"] for one in self.fields]
        self.places = any(one["kind"] == "list" for one in alternatives(inner)) and self.kind == "names"

    @property
    def method(self) -> str:
        return singular(self.name)

    def entries(self, arguments: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
        """Arguments by position become entries of the table: those that are required first, in the order of the reference page."""
        out: dict[str, Any] = {}
        rest = list(arguments)
        for field in self.fields:
            if not rest:
                break
            if field["name"] in given:
                continue
            form = field["form"]
            pair = form["kind"] == "list" and form["fewest"] == form["at_most"] > 1
            if pair and not isinstance(rest[0], (list, tuple)):
                out[field["name"]], rest = rest[: form["at_most"]], rest[form["at_most"] :]
            else:
                out[field["name"]] = rest.pop(0)
        if rest:
            raise TypeError(f"{self.method}: too many arguments; it takes {', '.join(self.keys)}")
        for key in given:
            if key not in self.keys:
                raise _core.InputError(f"{self.method}: there is no '{key}' here; allowed are: {', '.join(self.keys)}")
        return {**out, **given}

    def docstring(self) -> str:
        lines = [self.doc]
        if self.fields:
            lines += ["", "Entries:" if self.table else "Among the names:"]
            for one in self.fields:
                more = " Required." if one["required"] else (f" Unless given: {one['standard']}." if one["standard"] else "")
                text = f"{one['name']}: {one['doc']}{more}".replace(": .", ":")
                lines += textwrap.wrap(text, 110, initial_indent="    ", subsequent_indent="        ")
        return "\n".join(lines)


SHAPES = {name: Shape(section) for name, section in SECTIONS.items()}
RUN = [one["name"] for one in SHAPES["run"].fields]
