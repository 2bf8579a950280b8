"""The words of a model, one method for each section of a model file; _sections.pyi lists them for editors."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from . import _core
from ._symbols import Symbol
from ._words import PLAIN, SHAPES, Shape

# Entries of these may be given again.
REPLACED = ("parameters", "inputs", "initial", "run")


class Sections:
    """What a model may say. A model gives them `_builder`, `_plain` and `_set`."""


def _entry_method(shape: Shape) -> Callable[..., Any]:
    """One more of a table of names: m.mass("A", mass=1); m.parameter("l", 1) or m.parameter(l=1, k=2)."""

    def method(self: Any, *arguments: Any, **entries: Any) -> Any:
        put = self._builder.set if shape.name in REPLACED else self._builder.entry
        if not arguments or isinstance(arguments[0], Mapping):
            # Names as keywords, or in a dictionary: x' is no keyword.
            given = {**(arguments[0] if arguments else {}), **entries}
            for name, value in given.items():
                put(shape.name, str(name), self._plain(value))
            found = tuple(Symbol(str(name)) for name in given)
            return found[0] if len(found) == 1 else found
        name, rest = str(arguments[0]), arguments[1:]
        if shape.table is not None and not (len(rest) == 1 and isinstance(rest[0], Mapping) and not entries):
            value: Any = shape.entries(rest, entries)
        elif shape.places and len(rest) > 1:
            value = list(rest)
        elif len(rest) == 1 and not entries:
            value = rest[0]
        else:
            raise TypeError(f"{shape.method}: takes a name and what it stands for")
        put(shape.name, name, self._plain(value))
        return Symbol(name)

    return method


def _item_method(shape: Shape) -> Callable[..., Any]:
    """One more of a list: m.rod("O", "A", length=2); without a table of entries each argument is an item of its own."""

    def method(self: Any, *arguments: Any, **entries: Any) -> Any:
        if shape.table is None:
            for one in arguments:
                self._builder.item(shape.name, self._plain(one))
            found = tuple(Symbol(str(one)) for one in arguments) if shape.name == "coordinates" else ()
            return None if not found else found[0] if len(found) == 1 else found
        if len(arguments) == 1 and isinstance(arguments[0], Mapping) and not entries:
            content = dict(arguments[0])
        else:
            content = shape.entries(arguments, entries)
        self._builder.item(shape.name, self._plain(content))
        return Symbol(str(content["name"])) if "name" in content else None

    return method


def _section_method(shape: Shape) -> Callable[..., Any]:
    """Entries of the section itself: m.run(until=10); or its value: m.gravity(9.81), m.include("a.yaml")."""

    def method(self: Any, *arguments: Any, **entries: Any) -> Any:
        if shape.kind == "table":
            for one in (*arguments, entries):
                for key, value in dict(one).items():
                    if key not in shape.keys:
                        raise _core.InputError(
                            f"{shape.name}: there is no '{key}' here; allowed are: {', '.join(shape.keys)}"
                        )
                    self._set(shape.name, key, value)
            return self
        if entries or not arguments:
            raise TypeError(f"{shape.name}: takes a value")
        self._builder.add(shape.name, self._plain(list(arguments) if len(arguments) > 1 else arguments[0]))
        return self

    return method


def _plural_method(shape: Shape) -> Callable[..., Any]:
    """Several at once, as they stand in a model file."""

    def method(self: Any, *contents: Any, **entries: Any) -> Any:
        if entries:
            contents = (*contents, entries)
        for content in contents:
            self.add(shape.name, content)
        names = [str(one) for content in contents for one in (content if isinstance(content, (Mapping, list)) else [content])]
        if shape.kind == "names" or shape.name == "coordinates":
            return tuple(Symbol(name) for name in names)
        return self

    return method


def _add_words() -> None:
    makers = {"names": _entry_method, "list": _item_method, "table": _section_method, "value": _section_method}
    for name, shape in SHAPES.items():
        if name in PLAIN:
            continue
        words = {shape.method: makers[shape.kind]}
        if shape.method != name:
            words[name] = _plural_method
        if shape.method in ("force", "constraint"):
            words.pop(shape.method)  # Model has its own
        for word, make in words.items():
            method = make(shape)
            method.__name__, method.__qualname__ = word, f"Model.{word}"
            method.__doc__ = shape.docstring()
            setattr(Sections, word, method)


_add_words()
