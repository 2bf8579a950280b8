"""Symbols: Python's operators and NumPy's functions, traced into the expressions of model files."""

from __future__ import annotations

import math
import numbers
from typing import Any, Callable, Iterable

import numpy as np

# How tightly an operation binds: what stands within another one needs parentheses where it binds less.
_CONDITION, _SUM, _PRODUCT, _POWER, _ATOM = range(5)

_FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "sqrt": "sqrt", "exp": "exp", "log": "log",
    "absolute": "abs", "fabs": "abs", "sign": "sign", "hypot": "hypot", "minimum": "min", "maximum": "max",
    "fmin": "min", "fmax": "max",
}  # fmt: skip


class Expr:
    """An expression: made of symbols and numbers by operators and NumPy's functions, and written as a model file would have it.

    >>> x = taut.symbol("x")
    >>> print(np.sqrt(x**2 + 1) / 2)
    sqrt(x^2 + 1)/2
    """

    __slots__ = ("_form", "_parts", "_binds", "_size")
    __array_priority__ = 1000.0

    def __init__(self, form: str, parts: tuple["Expr", ...] = (), binds: int = _ATOM):
        self._form = form  # with {0}, {1}, … where parts stand
        self._parts = parts
        self._binds = binds
        self._size: int = len(form) + sum(part._size for part in parts)

    def __str__(self) -> str:
        return _written(self, {})

    def __repr__(self) -> str:
        return f"<{self}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    # Equal are an expression and itself, and two symbols of one name; it is no equation.
    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __bool__(self) -> bool:
        raise TypeError(f"whether {_brief(self)} is true is not known before the run; use taut.where(condition, a, b)")

    def __float__(self) -> float:
        raise TypeError(
            f"{_brief(self)} is a symbol and no number: use NumPy's functions (np.sin) and not those of `math`"
        )

    def __iter__(self) -> Any:
        raise TypeError(f"{_brief(self)} is one number, not several")

    # Operators.

    def __add__(self, other: Any) -> Any:
        return _binary("{0} + {1}", self, other, _SUM)

    def __radd__(self, other: Any) -> Any:
        return _binary("{0} + {1}", other, self, _SUM)

    def __sub__(self, other: Any) -> Any:
        return _binary("{0} - {1}", self, other, _SUM)

    def __rsub__(self, other: Any) -> Any:
        return _binary("{0} - {1}", other, self, _SUM)

    def __mul__(self, other: Any) -> Any:
        return _binary("{0}*{1}", self, other, _PRODUCT)

    def __rmul__(self, other: Any) -> Any:
        return _binary("{0}*{1}", other, self, _PRODUCT)

    def __truediv__(self, other: Any) -> Any:
        return _binary("{0}/{1}", self, other, _PRODUCT)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary("{0}/{1}", other, self, _PRODUCT)

    def __pow__(self, other: Any) -> Any:
        return _binary("{0}^{1}", self, other, _POWER)

    def __rpow__(self, other: Any) -> Any:
        return _binary("{0}^{1}", other, self, _POWER)

    def __neg__(self) -> "Expr":
        return Expr("-{0}", (self,), _SUM)

    def __pos__(self) -> "Expr":
        return self

    def __abs__(self) -> "Expr":
        return _call("abs", self)

    def __lt__(self, other: Any) -> Any:
        return _binary("{0} < {1}", self, other, _CONDITION)

    def __le__(self, other: Any) -> Any:
        return _binary("{0} <= {1}", self, other, _CONDITION)

    def __gt__(self, other: Any) -> Any:
        return _binary("{0} > {1}", self, other, _CONDITION)

    def __ge__(self, other: Any) -> Any:
        return _binary("{0} >= {1}", self, other, _CONDITION)

    def __and__(self, other: Any) -> Any:
        return _binary("{0} and {1}", self, other, _CONDITION)

    def __or__(self, other: Any) -> Any:
        return _binary("{0} or {1}", self, other, _CONDITION)

    def __invert__(self) -> "Expr":
        return Expr("not {0}", (self,), _CONDITION)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            raise TypeError(f"np.{ufunc.__name__} with options, or its .{method}, cannot be traced into an expression")
        if any(isinstance(one, np.ndarray) for one in inputs):
            return _each(lambda *parts: _applied(ufunc, parts), *inputs)
        return _applied(ufunc, inputs)

    def __array_function__(self, function: Callable[..., Any], types: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        instead: dict[Any, Callable[..., Any]] = {np.where: where, np.clip: _clip, np.interp: _interp}
        known = instead.get(function)
        if known is not None:
            return known(*arguments, **options)
        try:
            own = getattr(function, "_implementation", None) or function.__wrapped__  # type: ignore[attr-defined]
            return own(*arguments, **options)
        except ValueError as error:
            name = getattr(function, "__name__", "this")
            raise TypeError(f"np.{name} cannot be traced into an expression ({error}); forces may be called instead: call=True") from None


def _each(function: Callable[..., Any], *arguments: Any) -> np.ndarray:
    """A function of symbols, number by number of arrays."""
    arrays = []
    for one in arguments:
        array = np.empty(np.shape(one) if isinstance(one, np.ndarray) else (), dtype=object)
        array[...] = one
        arrays.append(array)
    whole = np.broadcast_arrays(*arrays)
    out = np.empty(whole[0].shape, dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = function(*(one[index] for one in whole))
    return out


def _brief(expression: Expr) -> str:
    text = str(expression)
    return f'"{text}"' if len(text) <= 60 else f'"{text[:57]}..."'


def _method(name: str) -> Callable[..., Any]:
    # Arrays of symbols call methods by the names of NumPy's functions.
    def method(self: Expr, *others: Any) -> Any:
        return _applied(getattr(np, name), (self, *others))

    return method


for _name in _FUNCTIONS:
    setattr(Expr, _name, _method(_name))


class Symbol(Expr):
    """A name of a model: a coordinate, a parameter, a mass. `A.x` is a part of it, `x.dot` its rate: x' in a model file."""

    __slots__ = ()

    @property
    def dot(self) -> "Symbol":
        return Symbol(self._form + "'")

    def __getattr__(self, part: str) -> "Symbol":
        if part.startswith("_"):
            raise AttributeError(part)
        return Symbol(f"{self._form}.{part}")

    def __getitem__(self, node: int) -> "Symbol":
        """A node of a beam or a string: pipe[3] is pipe.3 in a model file."""
        return Symbol(f"{self._form}.{node}")

    def __hash__(self) -> int:
        return hash(self._form)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self._form == other._form

    def __getstate__(self) -> Any:
        return self._form

    def __setstate__(self, form: str) -> None:
        Expr.__init__(self, form)


def symbol(name: str) -> Symbol:
    """A name as a symbol, whatever it stands for: taut.symbol("A.x")."""
    return Symbol(name)


def symbols(names: str | Iterable[str]) -> tuple[Symbol, ...]:
    """Several of them: x, y = taut.symbols("x y")."""
    return tuple(Symbol(name) for name in (names.replace(",", " ").split() if isinstance(names, str) else names))


def _operand(value: Any) -> Expr:
    if isinstance(value, Expr):
        return value
    if isinstance(value, (bool, np.bool_)):
        return Expr("1" if value else "0")
    if isinstance(value, numbers.Real):
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"{number} cannot stand in an expression")
        text = str(int(value)) if isinstance(value, numbers.Integral) else repr(number)
        return Expr(text, (), _ATOM if number >= 0 and not text.startswith("-") else _SUM)
    if isinstance(value, str):
        return Expr(value, (), _ATOM if value.replace(".", "").replace("'", "").isidentifier() else _CONDITION)
    raise TypeError(f"{value!r} cannot stand in an expression")


def _binary(form: str, a: Any, b: Any, binds: int) -> Any:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _each(lambda x, y: _binary(form, x, y, binds), a, b)
    try:
        return Expr(form, (_operand(a), _operand(b)), binds)
    except TypeError:
        return NotImplemented


def _call(name: str, *arguments: Any) -> Expr:
    places = ", ".join(f"{{{k}}}" for k in range(len(arguments)))
    return Expr(f"{name}({places})", tuple(_operand(one) for one in arguments))


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: _operand(a) + b, "subtract": lambda a, b: _operand(a) - b,
    "multiply": lambda a, b: _operand(a) * b, "divide": lambda a, b: _operand(a) / b,
    "true_divide": lambda a, b: _operand(a) / b, "power": lambda a, b: _operand(a) ** b,
    "float_power": lambda a, b: _operand(a) ** b, "negative": lambda a: -_operand(a), "positive": lambda a: _operand(a),
    "square": lambda a: _operand(a) ** 2, "cbrt": lambda a: np.sign(a) * np.absolute(a) ** (1 / 3),
    "reciprocal": lambda a: 1 / _operand(a), "log10": lambda a: _call("log", a) / math.log(10),
    "log2": lambda a: _call("log", a) / math.log(2), "exp2": lambda a: 2 ** _operand(a),
    "expm1": lambda a: _call("exp", a) - 1, "log1p": lambda a: _call("log", 1 + _operand(a)),
    "deg2rad": lambda a: _operand(a) * (math.pi / 180), "radians": lambda a: _operand(a) * (math.pi / 180),
    "rad2deg": lambda a: _operand(a) * (180 / math.pi), "degrees": lambda a: _operand(a) * (180 / math.pi),
    "less": lambda a, b: _operand(a) < b, "less_equal": lambda a, b: _operand(a) <= b,
    "greater": lambda a, b: _operand(a) > b, "greater_equal": lambda a, b: _operand(a) >= b,
    "logical_and": lambda a, b: _operand(a) & b, "logical_or": lambda a, b: _operand(a) | b,
    "logical_not": lambda a: ~_operand(a), "conjugate": lambda a: _operand(a), "heaviside": lambda a, b: _heaviside(a, b),
}  # fmt: skip


def _heaviside(x: Any, at_zero: Any) -> Any:
    return _call("step", x) if isinstance(at_zero, numbers.Real) and at_zero == 1 else where(_operand(x) > 0, 1, where(_operand(x) < 0, 0, at_zero))


def _applied(ufunc: np.ufunc, arguments: tuple[Any, ...]) -> Any:
    name = ufunc.__name__
    if name in _FUNCTIONS:
        return _call(_FUNCTIONS[name], *arguments)
    if name in _OPERATORS:
        return _OPERATORS[name](*arguments)
    raise TypeError(
        f"np.{name} has no counterpart in expressions; there are {', '.join(sorted({*_FUNCTIONS, *_OPERATORS}))}"
    )


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, otherwise b: `if` for symbols. Arrays are taken number by number."""
    if isinstance(condition, (bool, np.bool_)):
        raise TypeError("taut.where: the condition is true or false already; compare symbols with <, <=, > or >=")
    if any(isinstance(one, np.ndarray) for one in (condition, a, b)):
        return _each(where, condition, a, b)
    return _call("if", condition, a, b)


def _clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    low = a if a_min is None else np.maximum(a, a_min)
    return low if a_max is None else np.minimum(low, a_max)


def _interp(x: Any, xp: Any, fp: Any, left: None = None, right: None = None, period: None = None) -> Any:
    """Straight lines through points, level beyond them: a sum of kinks."""
    if not (left is None and right is None and period is None):
        raise TypeError("np.interp of a symbol knows no left, right and period")
    at, value = np.asarray(xp, dtype=float), np.asarray(fp, dtype=float)
    if at.ndim != 1 or at.shape != value.shape or len(at) < 2 or np.any(np.diff(at) <= 0):
        raise TypeError("np.interp of a symbol needs as many values as arguments, at least two, and these increasing")
    slopes = np.concatenate([[0.0], np.diff(value) / np.diff(at), [0.0]])
    out: Any = float(value[0])
    for where_, bend in zip(at, np.diff(slopes)):
        if bend != 0:
            out = out + float(bend) * np.maximum(x - float(where_), 0)
    return out


def _written(expression: Expr, names: dict[int, str]) -> str:
    """As text; parts that have a name of their own by that. Not by recursion: sums of thousands are deep."""
    done: dict[int, str] = {}
    stack: list[tuple[Expr, bool]] = [(expression, False)]
    while stack:
        one, ready = stack.pop()
        if id(one) in done:
            continue
        if not ready:
            stack.append((one, True))
            stack.extend((part, False) for part in one._parts if id(part) not in done and id(part) not in names)
            continue
        parts = []
        for k, part in enumerate(one._parts):
            named = id(part) in names
            text = names[id(part)] if named else done[id(part)]
            call = one._binds == _ATOM
            # What stands on the right of - and /, and both sides of ^, binds more tightly than the operation itself.
            strict = one._binds == _POWER or (k > 0 and ("-" in one._form or "/" in one._form)) or one._form == "-{0}"
            strict = strict or one._binds == _CONDITION
            inside = not named and not call and (part._binds <= one._binds if strict else part._binds < one._binds)
            parts.append(f"({text})" if inside else text)
        done[id(one)] = one._form.format(*parts) if one._parts else one._form
    return done[id(expression)]


# Longer than this, an expression is written with names for what occurs in it more than once.
_LONG = 2000


def definitions(expressions: list[Expr], fresh: Callable[[], str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Expressions as texts that do not repeat themselves: names with what they stand for, and the texts."""
    if sum(one._size for one in expressions) <= _LONG:
        return [], [str(one) for one in expressions]
    uses: dict[int, int] = {}
    order: list[Expr] = []
    stack = [(one, False) for one in expressions]
    while stack:
        one, ready = stack.pop()
        if ready:
            order.append(one)
            continue
        uses[id(one)] = uses.get(id(one), 0) + 1
        if uses[id(one)] == 1:
            stack.append((one, True))
            stack.extend((part, False) for part in one._parts)
    names: dict[int, str] = {}
    made: list[tuple[str, str]] = []
    for one in order:
        if uses[id(one)] > 1 and one._parts and one._size > 40:
            made.append((fresh(), _written(one, names)))
            names[id(one)] = made[-1][0]
    return made, [names.get(id(one)) or _written(one, names) for one in expressions]
