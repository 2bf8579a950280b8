"""Models as units of FMI 2.0, for other simulators."""

from __future__ import annotations

import os
import pathlib
import re
import uuid
import zipfile
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from . import _core

if TYPE_CHECKING:
    from ._model import Model

_LIBRARY = "libtaut_fmu.so"


def _library() -> pathlib.Path:
    found = pathlib.Path(__file__).parent / _LIBRARY
    if not found.exists():
        raise _core.Error(f"this build of the package has no {_LIBRARY}, which a unit of FMI needs")
    return found


def _variables(built: _core.Built) -> list[tuple[str, str, str, float | None]]:
    """Name, causality, variability and start value, in the order in which the library numbers them."""
    out: list[tuple[str, str, str, float | None]] = []
    out += [(name, "parameter", "fixed", value) for name, value in built.parameters.items()]
    out += [(name, "input", "continuous", value) for name, value in built.inputs.items()]
    outputs = built.output_names
    # Where the model names no outputs, its coordinates are.
    out += [(name, "output", "continuous", None) for name in outputs]
    out += [(name, "local" if outputs else "output", "continuous", None) for name in built.coordinates]
    out += [(f"der({name})", "local", "continuous", None) for name in built.coordinates]
    return out


def description(model: "Model", built: _core.Built, identifier: str, text: str) -> str:
    """The text of modelDescription.xml."""
    variables = _variables(built)
    taken: set[str] = set()
    lines, outputs = [], []
    for number, (name, causality, variability, start) in enumerate(variables, 1):
        while name in taken:  # an output may have the name of a coordinate
            name += "_"
        taken.add(name)
        value = f' start="{start!r}"' if start is not None else ""
        initial = ' initial="exact"' if causality == "parameter" else ""
        lines.append(
            f'    <ScalarVariable name={quoteattr(name)} valueReference="{number}" causality="{causality}" '
            f'variability="{variability}"{initial}><Real{value}/></ScalarVariable>'
        )
        if causality == "output":
            outputs.append(number)
    known = "\n".join(f'      <Unknown index="{number}"/>' for number in outputs)
    structure = f"    <Outputs>\n{known}\n    </Outputs>\n    <InitialUnknowns>\n{known}\n    </InitialUnknowns>"
    guid = uuid.uuid5(uuid.NAMESPACE_URL, text)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName={quoteattr(model.name or identifier)} guid="{{{guid}}}" generationTool="taut {_core.version}"
  variableNamingConvention="structured" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="{identifier}" canHandleVariableCommunicationStepSize="true" canNotUseMemoryManagementFunctions="true"/>
  <ModelVariables>
{chr(10).join(lines)}
  </ModelVariables>
  <ModelStructure>
{structure if outputs else ""}
  </ModelStructure>
</fmiModelDescription>
"""


def to_fmu(model: "Model", path: str | os.PathLike[str] | None, run: dict[str, Any]) -> pathlib.Path:
    whole = model.copy()
    whole.run(**{key: value for key, value in run.items() if value is not None})
    built = whole._build(None, {})
    identifier = re.sub(r"\W", "_", model.name or "model")
    identifier = identifier if identifier[0].isalpha() else "m" + identifier
    target = pathlib.Path(path) if path is not None else pathlib.Path(f"{identifier}.fmu")
    library, text = _library(), whole.to_yaml()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as unit:
        unit.writestr("modelDescription.xml", description(whole, built, identifier, text))
        unit.writestr("resources/model.yaml", text)
        unit.write(library, f"binaries/linux64/{identifier}.so")
        # Libraries that a wheel brings along lie beside the package, and here beside the unit's own.
        for one in sorted(library.parent.parent.glob("taut.libs/*")):
            unit.write(one, f"binaries/linux64/{one.name}")
    return target
